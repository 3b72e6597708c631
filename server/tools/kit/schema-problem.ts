import type { ErrorObject } from 'ajv';
import { shorten } from './cut-text.ts';
import { findNearestName } from './nearest-name.ts';

type Schema = Readonly<Record<string, unknown>>;

const MAX_PROBLEMS = 5;
const MAX_VALUE_CHARACTERS = 80;
const MAX_LISTED_CHARACTERS = 400;

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

const BOUNDS: Readonly<Record<string, string>> = {
  minimum: 'at least',
  maximum: 'at most',
  exclusiveMinimum: 'more than',
  exclusiveMaximum: 'less than',
};

/**
 * What is wrong with a value, as whole sentences for a model: where, what was found and what would
 * be right. A handful at most; the rest is counted.
 *
 * @param errors - of an Ajv check that ran with `verbose`.
 * @param whole - how to call the value itself, e.g. `the arguments`.
 */
export function describeProblems(errors: readonly ErrorObject[], whole: string): string {
  const told = errors.filter((error) => !isWithinAlternative(error, errors));
  const sentences = told.slice(0, MAX_PROBLEMS).map((error) => `${describe(error, whole)}.`);
  const rest = told.length - sentences.length;
  return [...new Set(sentences), ...(rest > 0 ? [`There are ${rest} more problems.`] : [])].join(
    ' ',
  );
}

/** Each failed branch of an `anyOf` reports too; the `anyOf` itself says it all. */
const isWithinAlternative = (error: ErrorObject, errors: readonly ErrorObject[]): boolean =>
  errors.some(
    ({ keyword, schemaPath }) =>
      /^(anyOf|oneOf|if)$/.test(keyword) && error.schemaPath.startsWith(`${schemaPath}/`),
  );

function describe(error: ErrorObject, whole: string): string {
  const place = error.instancePath === '' ? whole : `\`${toPath(error.instancePath)}\``;
  const parameters = error.params as Schema;
  switch (error.keyword) {
    case 'required':
      return describeMissing(error, parameters);
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return describeUnknown(error, parameters);
    default:
      return `${place} ${describeValue(error, parameters)}`;
  }
}

function describeMissing(error: ErrorObject, parameters: Schema): string {
  const name = String(parameters['missingProperty']);
  const schema = propertiesOf(error)[name];
  const wanted = schema === undefined ? '' : `; it must be ${describeSchema(schema)}`;
  return `\`${within(error, name)}\` is missing${wanted}`;
}

function describeUnknown(error: ErrorObject, parameters: Schema): string {
  const name = String(parameters['additionalProperty'] ?? parameters['unevaluatedProperty']);
  const known = Object.keys(propertiesOf(error));
  const nearest = findNearestName(name, known);
  const list = known.length === 0 ? 'none' : known.map((each) => `\`${each}\``).join(', ');
  const advice =
    nearest === null
      ? `known names are ${shorten(list, MAX_LISTED_CHARACTERS)}`
      : `did you mean \`${nearest}\`?`;
  return `\`${shorten(within(error, name), MAX_VALUE_CHARACTERS)}\` is not a known name; ${advice}`.replace(
    /\?$/,
    '? Leave it out otherwise',
  );
}

function describeValue(error: ErrorObject, parameters: Schema): string {
  const { keyword, data } = error;
  const limit = String(parameters['limit']);
  const bound = BOUNDS[keyword];
  if (bound !== undefined) return `is ${show(data)}, but must be ${bound} ${limit}`;
  switch (keyword) {
    case 'minLength':
      return `has ${String(data).length} characters, but needs at least ${limit}`;
    case 'maxLength':
      return `has ${String(data).length} characters, but may have at most ${limit}`;
    case 'minItems':
      return `has ${(data as unknown[]).length} items, but needs at least ${limit}`;
    case 'maxItems':
      return `has ${(data as unknown[]).length} items, but may have at most ${limit}`;
    case 'uniqueItems':
      return `holds the same item twice, at ${String(parameters['j'])} and ${String(parameters['i'])}`;
    case 'pattern':
      return `is ${show(data)}, but must match the pattern ${String(parameters['pattern'])}`;
    case 'format':
      return `is ${show(data)}, but must be a valid ${String(parameters['format'])}`;
    case 'multipleOf':
      return `is ${show(data)}, but must be a multiple of ${String(parameters['multipleOf'])}`;
    default:
      return `is ${show(data)}, but must be ${describeSchema(error.parentSchema)}`;
  }
}

/** What a schema admits, in a few words. */
function describeSchema(schema: unknown): string {
  if (typeof schema !== 'object' || schema === null) return 'something else';
  const { type, enum: values, const: constant, anyOf, oneOf } = schema as Schema;
  if (constant !== undefined) return show(constant);
  if (Array.isArray(values)) {
    return `one of ${shorten(values.map(show).join(', '), MAX_LISTED_CHARACTERS)}`;
  }
  const alternatives = anyOf ?? oneOf;
  if (Array.isArray(alternatives)) {
    return shorten(
      [...new Set(alternatives.map(describeSchema))].join(' or '),
      MAX_LISTED_CHARACTERS,
    );
  }
  const types = Array.isArray(type) ? type : [type];
  return types.map((each) => TYPE_NAMES[String(each)] ?? 'of another form').join(' or ');
}

function propertiesOf(error: ErrorObject): Schema {
  const { properties } = (error.parentSchema ?? {}) as Schema;
  return typeof properties === 'object' && properties !== null ? (properties as Schema) : {};
}

const within = (error: ErrorObject, name: string): string => {
  const path = toPath(error.instancePath);
  return path === '' ? name : `${path}.${name}`;
};

/** `/items/0/name` as `items[0].name`. */
const toPath = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : `${index === 0 ? '' : '.'}${part}`))
    .join('');

/** A value as a model wrote it, bounded before it is turned into text. */
function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(shorten(value, MAX_VALUE_CHARACTERS));
  if (Array.isArray(value)) return `a list of ${value.length} items`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}
