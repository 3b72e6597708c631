import { Ajv, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describeProblems } from './schema-problem.ts';
import type { JsonSchema } from './tool-descriptor.ts';

export interface SchemaCheckOptions {
  /** Whether missing properties get their defaults: the value is changed then. */
  readonly fillDefaults: boolean;
  /** How messages call the value itself, e.g. `the arguments`. */
  readonly whole: string;
}

/** @returns what is wrong with a value, as whole sentences; null if it is right. */
export type SchemaCheck = (value: unknown) => string | null;

/** Schemas come from outside too: what Ajv does not know in them is no error, and never logged. */
const BASE_OPTIONS: Options = {
  strict: false,
  validateSchema: false,
  allErrors: true,
  verbose: true,
  ownProperties: true,
  logger: false,
};

/**
 * Compiles a JSON Schema of draft 7 or, where it says so, 2020-12.
 *
 * @throws Error if the schema cannot be compiled.
 */
export function compileSchema(schema: JsonSchema, options: SchemaCheckOptions): SchemaCheck {
  // An instance each: two tools may use the same $id.
  const Compiler = String(schema['$schema']).includes('2020-12') ? Ajv2020 : Ajv;
  const ajv = new Compiler({ ...BASE_OPTIONS, useDefaults: options.fillDefaults });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  return (value) => {
    const isRight = validate(value);
    const problems = isRight ? null : describeProblems(validate.errors ?? [], options.whole);
    validate.errors = null;
    return problems;
  };
}

/** Keywords that take time in proportion to the value, whatever the value is. */
const LINEAR_KEYWORDS = new Set([
  ...['$schema', '$id', '$comment', 'title', 'description', 'default', 'examples', 'deprecated'],
  ...['type', 'enum', 'const', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  ...['multipleOf', 'minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties'],
  ...['maxProperties', 'required', 'properties', 'additionalProperties', 'items', 'anyOf'],
]);

/**
 * Whether every value is checked against the schema in linear time. Patterns, formats, references
 * and comparisons of items with each other may take for ever, and belong into a thread that can be ended.
 */
export function isLinearToCheck(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true;
  if (Array.isArray(schema)) return schema.every(isLinearToCheck);
  return Object.entries(schema).every(([keyword, value]) => {
    if (!LINEAR_KEYWORDS.has(keyword)) return false;
    if (keyword === 'properties') return Object.values(value as object).every(isLinearToCheck);
    return ['items', 'anyOf', 'additionalProperties'].includes(keyword)
      ? isLinearToCheck(value)
      : true;
  });
}
