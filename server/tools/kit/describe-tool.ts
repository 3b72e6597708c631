import { Ajv } from 'ajv';
import type { Tool } from './define-tool.ts';
import { listExportedTools, type ToolFile } from './discover.ts';
import type { JsonSchema, ToolDescriptor } from './tool-descriptor.ts';

/** What one file declares; `problem` is a whole sentence about the first thing that is wrong with it. */
export type FileDescription =
  | { readonly tools: readonly ToolDescriptor[]; readonly problem: null }
  | { readonly tools: null; readonly problem: string };

/** The one tool that waits for a person, and so may run on the server thread. */
const SERVER_TOOL = 'request_tool_activation';
const MAX_NAME_CHARACTERS = 128;
const HOST_SERVICES: readonly unknown[] = ['files', 'facts'];
const FLAGS = [
  'concurrencySafe',
  'register',
  'allowedByDefault',
  'selectableByDefault',
  'checkAvailabilityOnRegister',
] as const;

const schemas = new Ajv({ strict: false, validateFormats: false, logger: false });

/** Turns the tools that a module exports into plain data, or says why that cannot be done. */
export function describeFile(
  file: ToolFile,
  exports: Readonly<Record<string, unknown>>,
): FileDescription {
  const tools = listExportedTools(exports);
  if (tools.length === 0) {
    return {
      tools: null,
      problem: `${file.file} exports no tool; a tool is what defineTool returns.`,
    };
  }
  for (const tool of tools) {
    const problem = findProblem(tool, file);
    if (problem !== null) return { tools: null, problem };
  }
  return { tools: tools.map((tool) => describeTool(tool, file)), problem: null };
}

function describeTool(tool: Tool, file: ToolFile): ToolDescriptor {
  return {
    name: tool.name,
    description: tool.description,
    parameters: toPlain(tool.parameters),
    group: tool.group ?? null,
    concurrencySafe: tool.concurrencySafe ?? true,
    register: tool.register ?? true,
    runsIn: tool.runsIn ?? 'worker',
    needs: tool.needs ?? [],
    allowedByDefault: tool.allowedByDefault ?? false,
    selectableByDefault: tool.selectableByDefault ?? true,
    checkAvailabilityOnRegister: tool.checkAvailabilityOnRegister ?? true,
    hasAvailabilityCheck: tool.isAvailable !== undefined,
    availabilityFix: tool.availabilityFix ?? null,
    systemHints: tool.systemHints ?? {},
    retiredParameters: tool.retiredParameters ?? {},
    resultSchema: tool.result === undefined ? null : toPlain(tool.result),
    source: file.source,
    moduleUrl: file.moduleUrl,
  };
}

/** What is wrong with a declaration: files in JavaScript have no type check before this one. */
function findProblem(tool: Tool, file: ToolFile): string | null {
  const { name } = tool;
  if (!isText(name) || /[\s,]/.test(name) || name.length > MAX_NAME_CHARACTERS) {
    return `${file.file} declares a tool called ${show(name)}; a name is snake_case and has at most 64 characters.`;
  }
  const wrong = (what: string): string => `${name} in ${file.file} has ${what}.`;

  if (!isText(tool.description)) return wrong('no description, but a model needs one');
  if (typeof tool.execute !== 'function') return wrong('no function called execute');
  if (tool.group !== undefined && !isText(tool.group)) return wrong('a group that is no text');
  for (const flag of FLAGS) {
    const value: unknown = tool[flag];
    if (value === undefined || typeof value === 'boolean') continue;
    return wrong(`${flag} ${show(value)}, but it must be true or false`);
  }
  return (
    findCheckProblem(tool, wrong) ??
    findPlaceProblem(tool, file) ??
    findRecordProblem(tool, wrong) ??
    findSchemaProblem('parameters', tool.parameters, wrong) ??
    (tool.result === undefined ? null : findSchemaProblem('result', tool.result, wrong))
  );
}

type Wrong = (what: string) => string;

function findCheckProblem(tool: Tool, wrong: Wrong): string | null {
  for (const check of ['isAvailable', 'availabilityReason'] as const) {
    if (!['undefined', 'function'].includes(typeof tool[check])) {
      return wrong(`an ${check} that is no function`);
    }
  }
  return tool.availabilityFix === undefined || isText(tool.availabilityFix)
    ? null
    : wrong('an availabilityFix that is no text');
}

function findPlaceProblem(tool: Tool, file: ToolFile): string | null {
  const runsIn: unknown = tool.runsIn;
  if (runsIn === undefined || runsIn === 'worker') return null;
  if (runsIn !== 'server') {
    return `${tool.name} in ${file.file} has runsIn ${show(runsIn)}, but it must be "worker".`;
  }
  return tool.name === SERVER_TOOL && file.source === 'built-in'
    ? null
    : `${tool.name} in ${file.file} wants to run on the server thread, which only ${SERVER_TOOL} may.`;
}

function findRecordProblem(tool: Tool, wrong: Wrong): string | null {
  const needs: unknown = tool.needs ?? [];
  if (!Array.isArray(needs) || !needs.every((need) => HOST_SERVICES.includes(need))) {
    return wrong(`needs ${show(needs)}, but only "files" and "facts" can be needed`);
  }
  for (const key of ['systemHints', 'retiredParameters'] as const) {
    const record: unknown = tool[key] ?? {};
    if (typeof record !== 'object' || record === null || !Object.values(record).every(isText)) {
      return wrong(`${key} that are not texts by name`);
    }
  }
  return null;
}

function findSchemaProblem(key: string, value: unknown, wrong: Wrong): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return wrong(`${key} that are no JSON Schema`);
  }
  const schema = toPlain(value);
  if (key === 'parameters' && schema['type'] !== 'object') {
    return wrong(`parameters of type ${show(schema['type'])}, but they must be an object`);
  }
  if (schemas.validateSchema(schema) === true) return null;
  const [error] = schemas.errors ?? [];
  return wrong(
    `${key} that are no valid JSON Schema: ${error?.instancePath || 'the root'} ${error?.message ?? 'is wrong'}`,
  );
}

/** A copy without functions, symbols and hidden fields, as JSON carries it. */
const toPlain = (value: object): JsonSchema => JSON.parse(JSON.stringify(value)) as JsonSchema;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const show = (value: unknown): string => JSON.stringify(value)?.slice(0, 80) ?? String(value);
