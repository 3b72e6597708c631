import { createHash } from 'node:crypto';
import { objectsOf, textOfContent, type FakeBody } from './fake-model-server-request.ts';

/** What the provider signs its thinking with; only it can make it, so a changed block is found out. */
export const signatureOf = (thinking: string): string =>
  createHash('sha256').update(thinking).digest('base64');

const MAX_CACHE_MARKS = 4;

interface Place {
  readonly messages: readonly FakeBody[];
  /** Every `tool_use` id so far. */
  readonly usedIds: Set<string>;
}

/** What Messages (API version 2026-10-21) refuses about a request. */
export function lintAnthropicRequest(body: FakeBody): string | null {
  const messages = objectsOf(body['messages']);
  if (typeof body['max_tokens'] !== 'number') return 'max_tokens: Field required';
  const extra = ['temperature', 'top_p', 'top_k'].find((name) => body[name] !== undefined);
  if (extra !== undefined) return `${extra}: Extra inputs are not permitted`;
  if (messages.length === 0) return 'messages: at least one message is required';
  if (messages[0]!['role'] !== 'user') return 'messages.0: the first message must be the user’s';
  const place: Place = { messages, usedIds: new Set() };
  for (const index of messages.keys()) {
    const problem = checkMessage(index, place);
    if (problem !== null) return `messages.${index}: ${problem}`;
  }
  const last = messages.at(-1)!;
  if (last['role'] === 'assistant' && !isPaused(last)) {
    return 'the last message is the model’s own: prefill is not supported';
  }
  return countCacheMarks(body, messages) > MAX_CACHE_MARKS
    ? `at most ${MAX_CACHE_MARKS} blocks may carry cache_control`
    : null;
}

/** An answer that the provider paused is sent back as it is, to be gone on with. */
const isPaused = ({ content }: FakeBody): boolean =>
  blocksOf(content).some(({ type }) => type === 'server_tool_use') ||
  textOfContent(content).endsWith('[pause]');

const blocksOf = (content: unknown): readonly FakeBody[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content);

const callIdsOf = (message: FakeBody | undefined): readonly string[] =>
  message?.['role'] === 'assistant'
    ? blocksOf(message['content'])
        .filter(({ type }) => type === 'tool_use')
        .map(({ id }) => String(id))
    : [];

function checkMessage(index: number, { messages, usedIds }: Place): string | null {
  const message = messages[index]!;
  const before = messages[index - 1];
  if (message['role'] === before?.['role']) return 'two messages of one role in a row';
  const blocks = blocksOf(message['content']);
  if (blocks.length === 0) return 'content must not be empty';
  for (const block of blocks) {
    const problem = checkBlock(block, message['role'], usedIds);
    if (problem !== null) return problem;
  }
  if (message['role'] === 'user') return checkResults(blocks, callIdsOf(before));
  if (blocks.at(-1)!['type'] === 'thinking') return 'the final block cannot be thinking';
  const isLast = index === messages.length - 1;
  return isLast && callIdsOf(message).length > 0 ? 'its calls have no results' : null;
}

function checkBlock(block: FakeBody, role: unknown, usedIds: Set<string>): string | null {
  switch (block['type']) {
    case 'text':
      return typeof block['text'] === 'string' && block['text'].trim() !== ''
        ? null
        : 'text blocks must contain more than white space';
    case 'thinking':
      return block['signature'] === signatureOf(String(block['thinking']))
        ? null
        : 'invalid signature in thinking block';
    case 'tool_use':
      return role === 'assistant' ? checkCall(block, usedIds) : 'a user cannot call a tool';
    case 'tool_result':
      return role === 'user' && textOfContent(block['content']) !== ''
        ? null
        : 'a result needs content, and stands in a user message';
    case 'redacted_thinking':
    case 'server_tool_use':
      return role === 'assistant' ? null : 'only the model writes such a block';
    default:
      return `blocks of type ${String(block['type'])} are not known`;
  }
}

function checkCall({ id, name, input }: FakeBody, usedIds: Set<string>): string | null {
  if (typeof id !== 'string' || !/^[a-zA-Z0-9_-]+$/.test(id)) {
    return `the tool_use id ${String(id)} does not match ^[a-zA-Z0-9_-]+$`;
  }
  if (usedIds.has(id)) return `tool_use ids must be unique: ${id}`;
  usedIds.add(id);
  if (typeof name !== 'string' || !/^[\w-]{1,128}$/.test(name)) {
    return `the call ${id} names no possible tool: ${String(name)}`;
  }
  return typeof input === 'object' && input !== null && !Array.isArray(input)
    ? null
    : `the input of ${id} should be a dictionary`;
}

/** Each call has one result, in the very next message, before everything else there. */
function checkResults(blocks: readonly FakeBody[], callIds: readonly string[]): string | null {
  const open = new Set(callIds);
  const isResult = ({ type }: FakeBody): boolean => type === 'tool_result';
  const count = blocks.filter(isResult).length;
  if (!blocks.slice(0, count).every(isResult)) return 'results must come first';
  for (const { tool_use_id: id } of blocks.filter(isResult)) {
    if (!open.delete(String(id))) return `the result for ${String(id)} answers no open call`;
  }
  return open.size === 0 ? null : `results are missing for ${[...open].join(', ')}`;
}

const countCacheMarks = (body: FakeBody, messages: readonly FakeBody[]): number =>
  [
    ...objectsOf(body['system']),
    ...objectsOf(body['tools']),
    ...messages.flatMap(({ content }) => objectsOf(content)),
  ].filter((block) => block['cache_control'] !== undefined).length;
