import { cutText, shorten } from './cut-text.ts';
import { findJsonError, measureJson } from './json-text.ts';
import { compileSchema, type SchemaCheck } from './schema-check.ts';
import type { JsonSchema } from './tool-descriptor.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** Parameters that only the server fills in, whatever a model writes. */
export interface ServerOwned {
  readonly chat_id: string;
  readonly chat_uuid: string;
  readonly user_id: string;
}

export interface ArgumentRules {
  readonly toolName: string;
  readonly parameters: JsonSchema;
  /** Parameters of earlier versions with the message that a call using one gets. */
  readonly retiredParameters: Readonly<Record<string, string>>;
}

/** The input of a call, or why there is none: whole sentences for the model. */
export type CheckedArguments =
  | { readonly input: Arguments; readonly problem: null }
  | { readonly input: null; readonly problem: string };

export type ArgumentCheck = (argumentsText: string, serverOwned: ServerOwned) => CheckedArguments;

const MAX_CHARACTERS = 1_000_000;
const MAX_DEPTH = 64;
const MAX_VALUES = 20_000;
const EXCERPT_CHARACTERS = 30;

const refuse = (problem: string): CheckedArguments => ({ input: null, problem });

/**
 * Makes the check of one tool's arguments: JSON text in, input out. Nothing is converted, defaults
 * are filled in, a null where an optional parameter could be counts as absent. The schema is
 * compiled at the first use.
 */
export function createArgumentCheck(rules: ArgumentRules): ArgumentCheck {
  const { toolName, parameters, retiredParameters } = rules;
  let check: SchemaCheck | null = null;

  return (argumentsText, serverOwned) => {
    const sizeProblem = findSizeProblem(toolName, argumentsText);
    if (sizeProblem !== null) return refuse(sizeProblem);
    const parsed = parseArguments(rules, argumentsText);
    if (parsed.input === null) return parsed;

    const input = withServerOwned(withoutNulls(parsed.input, parameters), rules, serverOwned);
    for (const [name, message] of Object.entries(retiredParameters)) {
      if (Object.hasOwn(input, name)) return refuse(message);
    }
    check ??= compileSchema(parameters, { fillDefaults: true, whole: 'the arguments' });
    const problem = check(input);
    if (problem === null) return { input, problem: null };
    return refuse(`The arguments of ${toolName} do not fit: ${problem}`);
  };
}

/** Whether a text is too large to be parsed on the spot; a whole sentence, or null. */
export function findSizeProblem(toolName: string, argumentsText: string): string | null {
  const have = `The arguments of ${toolName} have`;
  const { length } = argumentsText;
  if (length > MAX_CHARACTERS) {
    return `${have} ${length} characters, but at most ${MAX_CHARACTERS} are accepted.`;
  }
  const { depth, values } = measureJson(argumentsText);
  if (depth > MAX_DEPTH) {
    return `${have} ${depth} levels of objects and lists, but at most ${MAX_DEPTH} are accepted.`;
  }
  return values > MAX_VALUES
    ? `${have} ${values} values, but at most ${MAX_VALUES} are accepted.`
    : null;
}

function parseArguments(rules: ArgumentRules, argumentsText: string): CheckedArguments {
  const { toolName } = rules;
  const required = listRequired(rules.parameters);
  if (argumentsText.trim() === '') {
    if (required.length === 0) return { input: {}, problem: null };
    const names = required.map((name) => `\`${name}\``).join(', ');
    return refuse(
      `The arguments of ${toolName} are empty, but ${names} must be given in a JSON object.`,
    );
  }
  const parsed = parseJson(argumentsText);
  if ('problem' in parsed) {
    return refuse(`The arguments of ${toolName} are not valid JSON: ${parsed.problem}`);
  }
  if (isObject(parsed.value)) return { input: parsed.value, problem: null };
  const found = shorten(argumentsText.trim(), EXCERPT_CHARACTERS);
  return refuse(`The arguments of ${toolName} are ${found}, but must be one JSON object.`);
}

function parseJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (cause) {
    const error = findJsonError(text);
    if (error === null) throw cause;
    const { position, expected } = error;
    const before = text.slice(Math.max(0, position - EXCERPT_CHARACTERS), position);
    const found =
      position >= text.length
        ? 'the text ends'
        : `there is ${JSON.stringify(cutText(text.slice(position), EXCERPT_CHARACTERS))}`;
    return {
      problem: `at character ${position + 1}, after ${JSON.stringify(before)}, ${found}, but there should be ${expected}.`,
    };
  }
}

function withServerOwned(
  input: Arguments,
  { parameters }: ArgumentRules,
  serverOwned: ServerOwned,
): Arguments {
  const declared = propertiesOf(parameters);
  const own = Object.entries(input).filter(([name]) => !(name in serverOwned));
  const set = Object.entries(serverOwned).filter(([name]) => Object.hasOwn(declared, name));
  return Object.fromEntries([...own, ...set]);
}

/** Leaves out each null that stands for an absent optional property, at every declared level. */
function withoutNulls(value: Arguments, schema: unknown): Arguments {
  const properties = propertiesOf(schema);
  const required = listRequired(schema);
  const kept = Object.entries(value)
    .filter(
      ([name, each]) => each !== null || required.includes(name) || admitsNull(properties[name]),
    )
    .map(([name, each]) => [name, cleanNested(each, properties[name])] as const);
  return Object.fromEntries(kept);
}

function cleanNested(value: unknown, schema: unknown): unknown {
  if (!isObject(schema)) return value;
  if (Array.isArray(value)) return value.map((item) => cleanNested(item, schema['items']));
  return isObject(value) && isObject(schema['properties']) ? withoutNulls(value, schema) : value;
}

function admitsNull(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const { type, enum: values, const: constant, anyOf, oneOf } = schema;
  const alternatives = anyOf ?? oneOf;
  if (Array.isArray(alternatives)) return alternatives.some(admitsNull);
  if (Array.isArray(values)) return values.includes(null);
  return type === 'null' || (Array.isArray(type) && type.includes('null')) || constant === null;
}

const propertiesOf = (schema: unknown): Arguments =>
  isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {};

const listRequired = (schema: unknown): readonly string[] =>
  isObject(schema) && Array.isArray(schema['required']) ? (schema['required'] as string[]) : [];

const isObject = (value: unknown): value is Arguments =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
