import { createHash } from 'node:crypto';
import { objectsOf, textOfContent, type FakeBody } from './fake-model-server-request.ts';
import { isJsonObject } from './history-lint-chat.ts';

/** What the provider encrypts; only it can make it, so a changed item is found out. */
export const sealOf = (id: string, summary: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify([id, summary]))
    .digest('base64');

interface Seen {
  readonly ids: Set<string>;
  readonly calls: Set<string>;
  readonly outputs: Set<string>;
}

/** What Responses without stored state refuses about a list of items. */
export function lintResponsesRequest(body: FakeBody): string | null {
  if (body['store'] !== false) return 'Only requests that store nothing are expected.';
  const items = objectsOf(body['input']);
  if (items.length === 0) return 'The request has no input.';
  const seen: Seen = { ids: new Set(), calls: new Set(), outputs: new Set() };
  for (const [index, item] of items.entries()) {
    const problem = checkId(item, seen) ?? checkItem(item, items[index + 1], seen);
    if (problem !== null) return `input[${index}]: ${problem}`;
  }
  const open = [...seen.calls].find((callId) => !seen.outputs.has(callId));
  if (open !== undefined) return `No tool output found for function call ${open}.`;
  const last = items.at(-1);
  return last?.['role'] === 'assistant'
    ? 'The last item is the model’s own: there is nothing to answer.'
    : null;
}

function checkId({ id, type }: FakeBody, { ids }: Seen): string | null {
  if (id === undefined) return null;
  if (typeof id !== 'string') return 'an id is no text.';
  if (type === 'item_reference') return `item ${id} not found: nothing is stored.`;
  if (ids.has(id)) return `duplicate item ${id}.`;
  ids.add(id);
  const reasoningId = /_after_(rs_.+)$/.exec(id)?.[1];
  return reasoningId === undefined || ids.has(reasoningId)
    ? null
    : `item ${id} came without its reasoning item ${reasoningId}.`;
}

function checkItem(item: FakeBody, next: FakeBody | undefined, seen: Seen): string | null {
  switch (item['type'] ?? 'message') {
    case 'message':
      return textOfContent(item['content']).trim() === '' ? 'a message needs text.' : null;
    case 'reasoning':
      return checkReasoning(item, next);
    case 'function_call':
      return checkCall(item, seen);
    case 'function_call_output':
      return checkOutput(item, seen);
    default:
      return `items of type ${String(item['type'])} are not known.`;
  }
}

function checkReasoning(item: FakeBody, next: FakeBody | undefined): string | null {
  const id = String(item['id']);
  if (item['encrypted_content'] !== sealOf(id, item['summary'])) {
    return `the encrypted content of ${id} cannot be verified.`;
  }
  const following = next?.['type'] ?? (next?.['role'] === 'assistant' ? 'message' : '');
  return ['function_call', 'message', 'reasoning'].includes(String(following)) &&
    next?.['role'] !== 'user'
    ? null
    : `the reasoning item ${id} came without the item that has to follow it.`;
}

function checkCall(item: FakeBody, { calls }: Seen): string | null {
  const callId = item['call_id'];
  if (typeof callId !== 'string' || callId === '') return 'a call has no call_id.';
  if (callId.length > 64) return `the call_id ${callId} is longer than 64.`;
  if (calls.has(callId)) return `two calls have the call_id ${callId}.`;
  calls.add(callId);
  const { name, arguments: argumentsText } = item;
  if (typeof name !== 'string' || !/^[\w-]{1,64}$/.test(name)) {
    return `the call ${callId} names no possible function: ${String(name)}.`;
  }
  return isJsonObject(argumentsText) ? null : `the arguments of ${callId} are no JSON object.`;
}

function checkOutput(item: FakeBody, { calls, outputs }: Seen): string | null {
  const callId = String(item['call_id']);
  if (!calls.has(callId)) return `no tool call found for the output with call_id ${callId}.`;
  if (outputs.has(callId)) return `the call ${callId} has two outputs.`;
  outputs.add(callId);
  return typeof item['output'] === 'string' ? null : `the output of ${callId} is no text.`;
}
