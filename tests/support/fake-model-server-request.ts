import type { IncomingHttpHeaders } from 'node:http';

export type FakeProtocol = 'openai-chat' | 'openai-responses' | 'anthropic-messages';

/** A request as a test reads it, whatever protocol it came in. */
export interface FakeModelRequest {
  readonly protocol: FakeProtocol;
  readonly headers: IncomingHttpHeaders;
  /** The body as it came. */
  readonly text: string;
  /** The body parsed. */
  readonly body: FakeBody;
  readonly model: string;
  readonly system: string;
  /** Text of the last message of a person. */
  readonly lastUserText: string;
  readonly toolNames: readonly string[];
  /** Results at the very end of the history: those of the step before. */
  readonly toolResults: readonly { readonly callId: string; readonly text: string }[];
  /** What was wrong with the history; null if nothing. */
  readonly violation: string | null;
  /** Resolves when the connection of the request has ended, however. */
  readonly closed: Promise<void>;
  /** Whether the client went away before the answer was whole. */
  readonly wasAborted: boolean;
}

/** JSON of a request, read loosely. */
export type FakeBody = Readonly<Record<string, unknown>>;

type Facts = Pick<
  FakeModelRequest,
  'model' | 'system' | 'lastUserText' | 'toolNames' | 'toolResults'
>;

export const PATHS: Readonly<Record<string, FakeProtocol>> = {
  '/v1/chat/completions': 'openai-chat',
  '/v1/responses': 'openai-responses',
  '/v1/messages': 'anthropic-messages',
};

/** A list of objects, or nothing. */
export const objectsOf = (value: unknown): readonly FakeBody[] =>
  Array.isArray(value)
    ? value.filter((entry): entry is FakeBody => typeof entry === 'object' && entry !== null)
    : [];

/** The text of a content that is a text or a list of blocks. */
export const textOfContent = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : objectsOf(content)
        .map(({ text }) => (typeof text === 'string' ? text : ''))
        .join('');

export function readFacts(protocol: FakeProtocol, body: FakeBody): Facts {
  const model = String(body['model']);
  const tools = objectsOf(body['tools']).map(({ name, function: definition }) =>
    String(name ?? (definition as FakeBody | undefined)?.['name']),
  );
  const read = { 'openai-chat': readChat, 'openai-responses': readResponses };
  const facts = protocol === 'anthropic-messages' ? readAnthropic(body) : read[protocol](body);
  return { model, toolNames: tools, ...facts };
}

type Told = Pick<Facts, 'system' | 'lastUserText' | 'toolResults'>;

const lastUser = (messages: readonly FakeBody[]): string =>
  textOfContent(
    messages.findLast(({ role, content }) => role === 'user' && textOfContent(content) !== '')?.[
      'content'
    ],
  );

function readChat(body: FakeBody): Told {
  const messages = objectsOf(body['messages']);
  const end = messages.findLastIndex(({ role }) => role !== 'tool');
  return {
    system: textOfContent(messages.find(({ role }) => role === 'system')?.['content']),
    lastUserText: lastUser(messages),
    toolResults: messages.slice(end + 1).map((message) => ({
      callId: String(message['tool_call_id']),
      text: textOfContent(message['content']),
    })),
  };
}

function readResponses(body: FakeBody): Told {
  const items = objectsOf(body['input']);
  const end = items.findLastIndex(({ type }) => type !== 'function_call_output');
  return {
    system: String(body['instructions'] ?? ''),
    lastUserText: lastUser(items),
    toolResults: items
      .slice(end + 1)
      .map((item) => ({ callId: String(item['call_id']), text: String(item['output']) })),
  };
}

function readAnthropic(body: FakeBody): Told {
  const messages = objectsOf(body['messages']);
  const last = messages.at(-1);
  const results = last?.['role'] === 'user' ? objectsOf(last['content']) : [];
  return {
    system: textOfContent(body['system']),
    lastUserText: lastUser(messages),
    toolResults: results
      .filter(({ type }) => type === 'tool_result')
      .map((block) => ({
        callId: String(block['tool_use_id']),
        text: textOfContent(block['content']),
      })),
  };
}
