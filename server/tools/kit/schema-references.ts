import { isSchemaObject } from './schema-walk.ts';
import type { JsonSchema } from './tool-descriptor.ts';

/** A schema that cannot be offered to a model; the message is the end of a sentence. */
export class SchemaRefusal extends Error {
  override readonly name = 'SchemaRefusal';
}

/**
 * The schema that a `$ref` within `root` points to.
 *
 * @param seen - references that are being followed; meeting one again means recursion.
 * @throws SchemaRefusal if the reference leads outside, nowhere or back to itself.
 */
export function resolveReference(
  reference: unknown,
  root: JsonSchema,
  seen: readonly string[],
): JsonSchema {
  if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) {
    throw new SchemaRefusal(
      `its parameters refer to ${JSON.stringify(reference)}, but only references within the schema (#/…) can be followed`,
    );
  }
  if (reference === '#' || seen.includes(reference)) {
    throw new SchemaRefusal(
      `its parameters contain themselves at ${reference}, and no model takes recursive parameters`,
    );
  }
  let target: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    target = isSchemaObject(target) && Object.hasOwn(target, key) ? target[key] : undefined;
  }
  if (isSchemaObject(target)) return target;
  throw new SchemaRefusal(`its parameters refer to ${reference}, which does not exist`);
}
