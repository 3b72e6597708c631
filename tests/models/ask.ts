import { createAnthropicAdapter } from '../../server/models/anthropic-messages.ts';
import type {
  HistoryEntry,
  ModelAdapter,
  ModelError,
  ModelRequest,
  ModelStreamPart,
  StepPart,
} from '../../server/models/model.ts';
import { createOpenAIChatAdapter } from '../../server/models/openai-chat.ts';
import { createOpenAIResponsesAdapter } from '../../server/models/openai-responses.ts';
import type { FakeProtocol } from '../support/fake-model-server.ts';

export const PROTOCOLS: readonly FakeProtocol[] = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
];

/** An adapter with the real SDK that speaks with a server on loopback. */
export function createTestAdapter(
  protocol: FakeProtocol,
  origin: string,
  { idleTimeoutMs = 5_000, family = 'test' } = {},
): ModelAdapter {
  const options = { provider: 'Testing', family, apiKey: 'sk-test-0123456789', idleTimeoutMs };
  if (protocol === 'anthropic-messages') {
    return createAnthropicAdapter({ ...options, baseUrl: origin, version: null });
  }
  const withBase = { ...options, baseUrl: `${origin}/v1` };
  return protocol === 'openai-chat'
    ? createOpenAIChatAdapter(withBase)
    : createOpenAIResponsesAdapter(withBase);
}

export const user = (text: string): HistoryEntry => ({ type: 'user', text });

export function requestOf(
  history: readonly HistoryEntry[],
  more: Partial<ModelRequest> = {},
): ModelRequest {
  const parameters = { type: 'object', properties: { city: { type: 'string' } } };
  return {
    ...{ model: 'fake-model', system: 'Be brief.', history, cacheKey: 'chat-1' },
    tools: [{ name: 'look', description: 'Looks.', parameters }],
    maxOutputTokens: 1_000,
    ...more,
  };
}

/** Everything that one step brought. */
export interface Asked {
  readonly parts: readonly ModelStreamPart[];
  /** The parts that are text or reasoning, joined. */
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly Extract<ModelStreamPart, { type: 'tool-call' }>[];
  readonly finish: Extract<ModelStreamPart, { type: 'finish' }>;
}

export async function ask(
  adapter: ModelAdapter,
  request: ModelRequest = requestOf([user('Hello.')]),
  signal: AbortSignal = new AbortController().signal,
): Promise<Asked> {
  const parts: ModelStreamPart[] = [];
  for await (const part of adapter.stream(request, signal)) parts.push(part);
  const textOf = (type: 'text-delta' | 'reasoning-delta'): string =>
    parts.map((part) => (part.type === type ? part.text : '')).join('');
  const finish = parts.at(-1);
  if (finish?.type !== 'finish') throw new Error('The stream ended without its last part.');
  return {
    ...{ parts, finish, text: textOf('text-delta'), reasoning: textOf('reasoning-delta') },
    calls: parts.filter((part) => part.type === 'tool-call'),
  };
}

/** What a step failed with, and the text that had come before. */
export async function askInVain(
  adapter: ModelAdapter,
  signal: AbortSignal = new AbortController().signal,
): Promise<{ readonly error: ModelError; readonly text: string }> {
  let text = '';
  try {
    for await (const part of adapter.stream(requestOf([user('Hello.')]), signal)) {
      if (part.type === 'text-delta') text += part.text;
    }
  } catch (error) {
    return { error: error as ModelError, text };
  }
  throw new Error(`The step ended well with the text "${text}".`);
}

/** The step as history, with a result for each of its calls. */
export function stepOf(adapter: ModelAdapter, asked: Asked): HistoryEntry[] {
  const { protocol, family } = adapter;
  const spoken: StepPart[] = [
    { type: 'reasoning', text: asked.reasoning },
    { type: 'text', text: asked.text },
  ];
  const step: HistoryEntry = {
    type: 'step',
    parts: [...spoken, ...asked.calls],
    raw: { protocol, family, items: asked.finish.rawItems },
  };
  const results = asked.calls.map(({ callId, toolName }) => ({
    ...{ callId, toolName, isError: false },
    text: '{"status":"success"}',
  }));
  return results.length === 0 ? [step] : [step, { type: 'tool-results', results }];
}
