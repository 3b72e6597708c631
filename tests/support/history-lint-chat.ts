import { objectsOf, textOfContent, type FakeBody } from './fake-model-server-request.ts';

const MAX_ID_LENGTH = 40;

export const isJsonObject = (text: unknown): boolean => {
  if (typeof text !== 'string') return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};

/** Half of a surrogate pair anywhere in a request: servers that read strict UTF-8 refuse it. */
export const findLoneSurrogate = (body: unknown): string | null =>
  /(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/i.test(JSON.stringify(body))
    ? 'The request holds half of a surrogate pair.'
    : null;

/** What Chat Completions, or a server that is stricter than OpenAI's, refuses about a history. */
export function lintChatRequest(body: FakeBody): string | null {
  const messages = objectsOf(body['messages']);
  if (messages.length === 0) return 'The request has no messages.';
  let waiting = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message['role'] === 'tool') {
      const problem = answerCall(message, waiting);
      if (problem !== null) return `messages[${index}]: ${problem}`;
      continue;
    }
    if (waiting.size > 0) return unanswered(index, waiting);
    if (message['role'] === 'assistant') {
      const problem = checkAssistant(message);
      if (problem !== null) return `messages[${index}]: ${problem}`;
      waiting = new Set(objectsOf(message['tool_calls']).map(({ id }) => String(id)));
    } else if (textOfContent(message['content']) === '') {
      return `messages[${index}]: a ${String(message['role'])} message needs content.`;
    }
  }
  if (waiting.size > 0) return unanswered(messages.length, waiting);
  return messages.at(-1)?.['role'] === 'assistant'
    ? 'The last message is the model’s own: there is nothing to answer.'
    : null;
}

const unanswered = (index: number, waiting: ReadonlySet<string>): string =>
  `messages[${index}]: results are missing before it for the calls ${[...waiting].join(', ')}.`;

function answerCall(message: FakeBody, waiting: Set<string>): string | null {
  const id = String(message['tool_call_id']);
  if (!waiting.delete(id)) return `the result for ${id} answers no open call.`;
  return typeof message['content'] === 'string' && message['content'] !== ''
    ? null
    : `the result for ${id} has no content.`;
}

function checkAssistant(message: FakeBody): string | null {
  const calls = objectsOf(message['tool_calls']);
  if (message['tool_calls'] === undefined) {
    return textOfContent(message['content']) === '' ? 'an answer without calls needs text.' : null;
  }
  if (calls.length === 0) return 'tool_calls may be left out, but not be empty.';
  const ids = calls.map(({ id }) => id);
  if (new Set(ids).size !== ids.length) return 'two calls have one id.';
  for (const { id, type, function: definition } of calls) {
    const { name, arguments: argumentsText } = (definition ?? {}) as FakeBody;
    if (typeof id !== 'string' || id === '') return 'a call has no id.';
    if (id.length > MAX_ID_LENGTH) return `the id ${id} is longer than ${MAX_ID_LENGTH}.`;
    if (type !== 'function') return `the call ${id} has no type.`;
    if (typeof name !== 'string' || !/^[\w-]{1,64}$/.test(name)) {
      return `the call ${id} names no possible function: ${String(name)}.`;
    }
    if (!isJsonObject(argumentsText)) return `the arguments of ${id} are no JSON object.`;
  }
  return null;
}
