import type { JsonSchema } from './tool-descriptor.ts';

/** Keywords whose value is one schema. */
const ONE = new Set([
  'items',
  'additionalItems',
  'additionalProperties',
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
/** Keywords whose value is a list of schemas; `items` may be one in older drafts. */
const LIST = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items']);
/** Keywords whose value has schemas by names that are no keywords themselves. */
const NAMED = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);

export const isSchemaObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A copy in which `change` was applied to every schema, the inner ones first. */
export function transformSchema(
  schema: JsonSchema,
  change: (schema: JsonSchema) => JsonSchema,
): JsonSchema {
  const inner = (value: unknown): unknown =>
    isSchemaObject(value) ? transformSchema(value, change) : value;
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (LIST.has(key) && Array.isArray(value)) return [key, value.map(inner)];
    if (ONE.has(key)) return [key, inner(value)];
    if (NAMED.has(key) && isSchemaObject(value)) return [key, mapValues(value, inner)];
    return [key, value];
  });
  return change(Object.fromEntries(entries));
}

export const mapValues = (
  record: JsonSchema,
  change: (value: unknown, key: string) => unknown,
): JsonSchema =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
