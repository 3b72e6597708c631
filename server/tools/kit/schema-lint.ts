import { resolveReference, SchemaRefusal } from './schema-references.ts';
import { isSchemaObject, mapValues } from './schema-walk.ts';
import type { JsonSchema } from './tool-descriptor.ts';

/** How a model's interface wants schemas; `none` takes them as they are. */
export type SchemaDialect = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'none';

const MAX_NAME_CHARACTERS: Readonly<Record<Exclude<SchemaDialect, 'none'>, number>> = {
  'openai-chat': 64,
  'openai-responses': 64,
  'anthropic-messages': 128,
};
const MAX_SCHEMA_CHARACTERS = 60_000;
const MAX_DEPTH = 10;
const MAX_ENUM_VALUES = 1_000;

/** Keywords that some provider refuses. Calls are checked against them all the same, here. */
const UNSENT = new Set([
  ...['$schema', '$id', '$comment', '$defs', 'definitions', '$ref', 'const', 'oneOf'],
  ...['not', 'if', 'then', 'else', 'allOf', 'dependentSchemas', 'dependentRequired'],
  ...['dependencies', 'patternProperties', 'propertyNames', 'prefixItems', 'additionalItems'],
  ...['contains', 'minContains', 'maxContains', 'unevaluatedItems', 'unevaluatedProperties'],
]);

/**
 * The parameters as a provider accepts them: references resolved, what it refuses left out. What is
 * sent may only be wider than the declaration, never narrower.
 *
 * @throws SchemaRefusal if there is no such form.
 */
export function rewriteSchema(
  { name, parameters }: { readonly name: string; readonly parameters: JsonSchema },
  dialect: SchemaDialect,
): JsonSchema {
  if (dialect === 'none') return parameters;
  checkName(name, MAX_NAME_CHARACTERS[dialect]);
  const {
    anyOf: _anyOf,
    enum: _enum,
    ...sent
  } = rewrite(parameters, {
    root: parameters,
    dialect,
    seen: [],
    depth: 0,
  });
  const schema = { ...sent, type: 'object', properties: sent['properties'] ?? {} };
  const { length } = JSON.stringify(schema);
  if (length <= MAX_SCHEMA_CHARACTERS) return schema;
  throw new SchemaRefusal(
    `its parameters take ${length} characters, but at most ${MAX_SCHEMA_CHARACTERS} are sent`,
  );
}

function checkName(name: string, maxCharacters: number): void {
  if (/^[a-zA-Z0-9_-]+$/.test(name) && name.length <= maxCharacters) return;
  throw new SchemaRefusal(
    `its name must have at most ${maxCharacters} letters, digits, _ or - and nothing else`,
  );
}

interface Place {
  readonly root: JsonSchema;
  readonly dialect: SchemaDialect;
  /** References on the way down. */
  readonly seen: readonly string[];
  readonly depth: number;
}

/** What stands where a schema is expected; `true` and `false` are schemas, too. */
const rewriteValue = (value: unknown, place: Place): JsonSchema =>
  isSchemaObject(value) ? rewrite(value, place) : {};

function rewrite(schema: JsonSchema, place: Place): JsonSchema {
  if (place.depth > MAX_DEPTH) {
    throw new SchemaRefusal(`its parameters are nested over ${MAX_DEPTH} levels`);
  }
  if (schema['$ref'] !== undefined) return rewriteReference(schema, place);
  const inner: Place = { ...place, depth: place.depth + 1 };
  if (Array.isArray(schema['allOf'])) return rewrite(mergeAll(schema, place), inner);
  const sent = Object.entries(schema)
    .filter(([keyword]) => !UNSENT.has(keyword))
    .filter(([keyword, value]) => keyword !== 'pattern' || isPlainPattern(value))
    .map(([keyword, value]): [string, unknown] => [keyword, rewriteKeyword(keyword, value, inner)]);
  return { ...Object.fromEntries(sent), ...replaceUnsent(schema, inner) };
}

function rewriteReference({ $ref, ...beside }: JsonSchema, place: Place): JsonSchema {
  const target = resolveReference($ref, place.root, place.seen);
  return rewrite({ ...target, ...beside }, { ...place, seen: [...place.seen, String($ref)] });
}

/** Of several schemas that all hold, the properties of each; the rest is checked here alone. */
function mergeAll({ allOf, ...schema }: JsonSchema, place: Place): JsonSchema {
  const parts = (allOf as unknown[]).filter(isSchemaObject).map((part) => {
    if (part['$ref'] === undefined) return part;
    return resolveReference(part['$ref'], place.root, place.seen);
  });
  const all = [...parts, schema];
  const properties = Object.assign({}, ...all.map((part) => part['properties'] ?? {})) as object;
  const required = all.flatMap((part) => (part['required'] as string[] | undefined) ?? []);
  return {
    ...(Object.assign({}, ...all) as JsonSchema),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
  };
}

function rewriteKeyword(keyword: string, value: unknown, place: Place): unknown {
  switch (keyword) {
    case 'properties':
      if (!isSchemaObject(value)) return {};
      for (const name of Object.keys(value)) checkProperty(name, place.dialect);
      return mapValues(value, (property) => rewriteValue(property, place));
    case 'items':
      if (Array.isArray(value)) return unite(value, place);
      return rewriteValue(value, place);
    case 'additionalProperties':
      return typeof value === 'boolean' ? value : rewriteValue(value, place);
    case 'anyOf':
      return (value as unknown[]).map((option) => rewriteValue(option, place));
    case 'enum':
      checkEnum(value as unknown[]);
      return value;
    default:
      return value;
  }
}

/** What can be said in other keywords. */
function replaceUnsent(schema: JsonSchema, place: Place): JsonSchema {
  const replaced: Record<string, unknown> = {};
  if ('const' in schema) replaced['enum'] = [schema['const']];
  if (Array.isArray(schema['oneOf']) && schema['anyOf'] === undefined) {
    replaced['anyOf'] = schema['oneOf'].map((option) => rewriteValue(option, place));
  }
  if (Array.isArray(schema['prefixItems'])) replaced['items'] = unite(schema['prefixItems'], place);
  else if (isArrayType(schema['type']) && schema['items'] === undefined) replaced['items'] = {};
  return replaced;
}

const isArrayType = (type: unknown): boolean =>
  type === 'array' || (Array.isArray(type) && type.includes('array'));

function unite(schemas: readonly unknown[], place: Place): JsonSchema {
  const options = schemas.map((option) => JSON.stringify(rewriteValue(option, place)));
  const unique = [...new Set(options)].map((option) => JSON.parse(option) as JsonSchema);
  return unique.length === 1 ? unique[0]! : { anyOf: unique };
}

/** Local servers turn patterns into grammars, which they can only with plain, anchored ones. */
const isPlainPattern = (pattern: unknown): boolean =>
  typeof pattern === 'string' && /^\^.*\$$/.test(pattern) && !/\(\?|\\[pPbBkdDwWsS]/.test(pattern);

function checkProperty(name: string, dialect: SchemaDialect): void {
  if (dialect !== 'anthropic-messages' || /^[a-zA-Z0-9_.-]{1,64}$/.test(name)) return;
  throw new SchemaRefusal(
    `its parameter ${JSON.stringify(name)} must have at most 64 letters, digits, _, . or - and nothing else`,
  );
}

function checkEnum(values: readonly unknown[]): void {
  if (values.length <= MAX_ENUM_VALUES) return;
  throw new SchemaRefusal(
    `one of its parameters lists ${values.length} values, but at most ${MAX_ENUM_VALUES} are sent`,
  );
}
