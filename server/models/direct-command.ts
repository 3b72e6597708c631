import type { JsonSchema } from '../tools/kit/tool-descriptor.ts';
import type { ModelTool } from './model.ts';

/** A tool call that a person typed, or why it is none. */
export type DirectCommand =
  | { readonly toolName: string; readonly argumentsText: string; readonly problem: null }
  | { readonly toolName: string; readonly argumentsText: null; readonly problem: string };

const COMMAND = /^\/([a-z0-9_-]+)[ \t]*/i;
const PAIR = /^([A-Za-z_][\w-]*)=/;

/**
 * Reads the lines of a message that begin with `/tool_name`. A JSON argument may go on over further
 * lines, until its closing brace.
 */
export function parseCommands(text: string, tools: readonly ModelTool[]): readonly DirectCommand[] {
  const commands: DirectCommand[] = [];
  let rest = text;
  while (rest !== '') {
    rest = rest.replace(/^\s+/, '');
    const match = COMMAND.exec(rest);
    if (match === null) {
      rest = afterLine(rest);
      continue;
    }
    const body = rest.slice(match[0].length);
    const jsonEnd = body.startsWith('{') ? endOfObject(body) : null;
    const argument = jsonEnd === null ? firstLine(body) : body.slice(0, jsonEnd);
    commands.push(readCommand(match[1]!, argument.trim(), tools));
    rest = jsonEnd === null ? afterLine(rest) : afterLine(body.slice(jsonEnd));
  }
  return commands;
}

const firstLine = (text: string): string => text.split('\n', 1)[0]!;

function afterLine(text: string): string {
  const end = text.indexOf('\n');
  return end < 0 ? '' : text.slice(end + 1);
}

/** Where the object that begins the text ends; null if it never does. */
function endOfObject(text: string): number | null {
  let depth = 0;
  let isQuoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const sign = text[index];
    if (isQuoted) {
      if (sign === '\\') index += 1;
      else if (sign === '"') isQuoted = false;
    } else if (sign === '"') isQuoted = true;
    else if (sign === '{') depth += 1;
    else if (sign === '}' && --depth === 0) return index + 1;
  }
  return null;
}

function readCommand(name: string, argument: string, tools: readonly ModelTool[]): DirectCommand {
  const tool = tools.find((candidate) => candidate.name === name.toLowerCase());
  if (tool === undefined) {
    const names = tools.map((candidate) => `/${candidate.name}`).join(', ');
    const problem = `No tool called ${name} is active here. Active are ${names || 'none'}.`;
    return { toolName: name, argumentsText: null, problem };
  }
  if (argument.startsWith('{')) {
    return { toolName: tool.name, argumentsText: argument, problem: null };
  }
  const input = isPairOf(argument, tool.parameters)
    ? readPairs(argument, tool.parameters)
    : readSoleText(argument, tool.parameters);
  if (input === null) {
    return { toolName: tool.name, argumentsText: null, problem: describeParameters(tool) };
  }
  return { toolName: tool.name, argumentsText: JSON.stringify(input), problem: null };
}

type Properties = Readonly<Record<string, JsonSchema>>;

const propertiesOf = (schema: JsonSchema): Properties => (schema['properties'] ?? {}) as Properties;

const requiredOf = (schema: JsonSchema): readonly string[] =>
  (schema['required'] ?? []) as readonly string[];

/** Whether the text begins with `key=` for a parameter; anything else may be plain text. */
function isPairOf(argument: string, schema: JsonSchema): boolean {
  const name = PAIR.exec(argument)?.[1];
  return name !== undefined && Object.hasOwn(propertiesOf(schema), name);
}

/** `key=value …`, if every key is a parameter; a key that comes again makes a list. */
function readPairs(argument: string, schema: JsonSchema): Record<string, unknown> | null {
  const properties = propertiesOf(schema);
  const input: Record<string, unknown> = {};
  let rest = argument;
  while (rest !== '') {
    const name = PAIR.exec(rest)?.[1];
    if (name === undefined || !Object.hasOwn(properties, name)) return null;
    const value = readValue(rest.slice(name.length + 1), properties[name]!);
    input[name] = Object.hasOwn(input, name) ? [input[name], value.value].flat() : value.value;
    rest = value.rest.trimStart();
  }
  for (const [name, value] of Object.entries(input)) {
    if (properties[name]!['type'] === 'array' && !Array.isArray(value)) input[name] = [value];
  }
  return input;
}

/** A JSON value, or a bare word; a parameter of type string keeps a bare number as text. */
function readValue(
  text: string,
  schema: JsonSchema,
): { readonly value: unknown; readonly rest: string } {
  const quoted = /^"(?:[^"\\]|\\.)*"/.exec(text)?.[0];
  const bracket = /^[[{]/.test(text) ? endOfBracket(text) : null;
  const token = quoted ?? (bracket === null ? /^\S*/.exec(text)![0] : text.slice(0, bracket));
  const rest = text.slice(token.length);
  const items = schema['items'] as JsonSchema | undefined;
  const isText = schema['type'] === 'string' || items?.['type'] === 'string';
  if (quoted === undefined && bracket === null && isText) return { value: token, rest };
  return { value: parseOrText(token), rest };
}

function endOfBracket(text: string): number | null {
  for (let end = text.indexOf(text.startsWith('[') ? ']' : '}'); end >= 0;) {
    const part = text.slice(0, end + 1);
    if (parseOrText(part) !== part) return end + 1;
    end = text.indexOf(text.startsWith('[') ? ']' : '}', end + 1);
  }
  return null;
}

/** A word that is no JSON stands for itself. */
function parseOrText(token: string): unknown {
  try {
    return JSON.parse(token) as unknown;
  } catch {
    return token;
  }
}

/** The whole text for the one required text parameter, or the only text parameter there is. */
function readSoleText(argument: string, schema: JsonSchema): Record<string, unknown> | null {
  const properties = propertiesOf(schema);
  const required = requiredOf(schema);
  if (argument === '') return required.length === 0 ? {} : null;
  const candidates = required.length > 0 ? required : textNames(properties).slice(0, 1);
  const [name] = candidates;
  if (candidates.length !== 1 || name === undefined) return null;
  const parameter = properties[name]!;
  if (parameter['type'] === 'string') return { [name]: argument };
  const items = parameter['items'] as JsonSchema | undefined;
  const isTextList = parameter['type'] === 'array' && items?.['type'] === 'string';
  return isTextList ? { [name]: [argument] } : null;
}

const textNames = (properties: Properties): readonly string[] =>
  Object.keys(properties).filter((name) => properties[name]!['type'] === 'string');

function describeParameters({ name, parameters }: ModelTool): string {
  const required = requiredOf(parameters);
  const list = Object.entries(propertiesOf(parameters)).map(
    ([key, schema]) =>
      `${key} (${String(schema['type'])}${required.includes(key) ? ', required' : ''})`,
  );
  return `/${name} takes ${list.join(', ') || 'no parameters'}; write key=value for each, or one JSON object.`;
}
