import type { ToolRegistry } from '../registry/registry.ts';
import {
  createArgumentCheck,
  type ArgumentCheck,
  findSizeProblem,
  type ServerOwned,
} from '../tools/kit/argument-check.ts';
import { findNearestName } from '../tools/kit/nearest-name.ts';
import { isLinearToCheck } from '../tools/kit/schema-check.ts';
import type { ToolDescriptor } from '../tools/kit/tool-descriptor.ts';
import { failed, type ToolResult } from '../tools/kit/tool-result.ts';
import type { RequestedCall } from './tool-call.ts';

/** What is to be done with a call: refuse it, or run it with this input. */
export type PreparedCall =
  | { readonly refusal: ToolResult }
  | {
      readonly refusal: null;
      readonly tool: ToolDescriptor;
      /** Null when its thread has to check the arguments. */
      readonly input: Readonly<Record<string, unknown>> | null;
    };

export type PrepareCall = (
  call: RequestedCall,
  options: { readonly activeTools: ReadonlySet<string>; readonly serverOwned: ServerOwned },
) => PreparedCall;

const ACTIVATION_TOOL = 'request_tool_activation';
const SHOWN_NAME_CHARACTERS = 100;

/** Decides about calls before any of them runs; compiled checks are kept with their tools. */
export function createPrepareCall(registry: ToolRegistry): PrepareCall {
  const checks = new WeakMap<ToolDescriptor, ArgumentCheck | 'in-thread'>();

  function checkOf(tool: ToolDescriptor): ArgumentCheck | 'in-thread' {
    const known = checks.get(tool);
    if (known !== undefined) return known;
    const { name: toolName, parameters, retiredParameters } = tool;
    // What runs on the server has no thread that could check it.
    const isCheckedHere = tool.runsIn === 'server' || isLinearToCheck(parameters);
    const made = isCheckedHere
      ? createArgumentCheck({ toolName, parameters, retiredParameters })
      : 'in-thread';
    checks.set(tool, made);
    return made;
  }

  return ({ toolName, argumentsText }, { activeTools, serverOwned }) => {
    const tool = registry.find(toolName)?.descriptor ?? null;
    if (tool === null) return { refusal: unknownTool(toolName, activeTools) };
    if (!activeTools.has(toolName)) return { refusal: inactiveTool(tool, activeTools) };
    const check = checkOf(tool);
    if (check === 'in-thread') {
      const problem = findSizeProblem(toolName, argumentsText);
      if (problem !== null) return { refusal: failed('INVALID_ARGUMENTS', problem) };
      return { refusal: null, tool, input: null };
    }
    const { input, problem } = check(argumentsText, serverOwned);
    if (problem !== null) return { refusal: failed('INVALID_ARGUMENTS', problem) };
    return { refusal: null, tool, input };
  };
}

function unknownTool(name: string, activeTools: ReadonlySet<string>): ToolResult {
  const nearest = findNearestName(name, activeTools);
  const hint =
    nearest === null
      ? `There are ${[...activeTools].sort().join(', ') || 'no tools'} here.`
      : `Did you mean ${nearest}?`;
  const shown = JSON.stringify(name.slice(0, SHOWN_NAME_CHARACTERS));
  return failed('UNKNOWN_TOOL', `There is no tool called ${shown}. ${hint}`);
}

function inactiveTool(
  { name, group }: ToolDescriptor,
  activeTools: ReadonlySet<string>,
): ToolResult {
  const canAsk = group !== null && activeTools.has(ACTIVATION_TOOL);
  const hint = canAsk
    ? ` It belongs to the group ${group}: ask for that with ${ACTIVATION_TOOL}.`
    : ' Go on without it.';
  return failed('INACTIVE_TOOL', `${name} is not active in this chat.${hint}`);
}
