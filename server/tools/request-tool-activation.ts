import { defineTool } from './kit/define-tool.ts';
import { object, oneOf, text } from './kit/parameters.ts';
import type { JsonSchema } from './kit/tool-descriptor.ts';
import { failed, noop, ok, type ToolResult } from './kit/tool-result.ts';

const reason = text({
  description: 'One sentence for the user: what the tools would be used for now.',
  maxLength: 240,
});
const GROUP = 'Group of tools that is switched off in this chat.';

/**
 * The question for more tools. The application puts it to the person and answers the call; `execute`
 * is for callers that have nobody to ask.
 */
export const requestToolActivation = defineTool({
  name: 'request_tool_activation',
  description:
    'Ask the user to switch on a group of tools for this chat, when the answer needs one of them. The user sees a card and may decline; nothing is switched on without them. After a yes the new tools can be called in the next step.',
  runsIn: 'server',
  systemHints: {
    enabled: 'Go on with the task and use the tools that are now active.',
    declined: 'Go on without these tools, and do not ask for the group again in this turn.',
    ignored: 'Go on without these tools, and do not ask for the group again in this turn.',
  },
  // Any name here: which groups can be asked for differs from chat to chat and step to step.
  parameters: object({ group: text({ description: GROUP, minLength: 1 }), reason }),

  execute: ({ group }) =>
    failed('UNAVAILABLE', `Nobody can be asked to switch on ${group} here; it takes a chat.`),
});

/** The parameters as a model sees them, with the groups that can be asked for now. */
export const activationParameters = (groups: readonly string[]): JsonSchema => ({
  ...object({ group: oneOf(groups, { description: GROUP }), reason }),
});

/** What the model reads after each end of the question. */
export const activationResults = {
  /** `toolNames`: the group's tools that are active now. */
  enabled: (group: string, toolNames: readonly string[]): ToolResult =>
    ok({ action: 'enabled', group, active_tools: toolNames }),
  declined: (group: string): ToolResult =>
    noop(`The user declined to switch on ${group}.`, { data: { action: 'declined', group } }),
  ignored: (group: string): ToolResult =>
    noop(`The user left the question about ${group} unanswered.`, {
      data: { action: 'ignored', group },
    }),
  stopped: (group: string): ToolResult =>
    failed('CANCELLED', `The turn was stopped before the user answered about ${group}.`),
  alreadyActive: (group: string, toolNames: readonly string[]): ToolResult =>
    noop(`${group} is switched on already.`, {
      data: { action: 'enabled', group, active_tools: toolNames },
    }),
  unknown: (group: string, groups: readonly string[]): ToolResult =>
    failed(
      'INVALID_ARGUMENTS',
      groups.length === 0
        ? `There is no group "${group}", and no other that could be switched on.`
        : `There is no group "${group}" to switch on; there is ${groups.join(', ')}.`,
    ),
} as const;
