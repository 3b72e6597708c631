import type Anthropic from '@anthropic-ai/sdk';
import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  RawMessageStreamEvent,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { Usage } from '../events/chat-event.ts';
import { addUsage, finishReason, NO_USAGE, readUsage } from './anthropic-usage.ts';
import { checkEventStream, createStepBounds, createWatchdog } from './guarded-stream.ts';
import {
  mergeUsers,
  orPlaceholder,
  ownRawItems,
  pairResults,
  parseArguments,
  sendableToolName,
} from './history-form.ts';
import {
  ModelError,
  type HistoryEntry,
  type ModelAdapter,
  type ModelRequest,
  type ModelStreamPart,
} from './model.ts';
import { createSdkAdapter, type StepRequest } from './sdk-adapter.ts';

export interface AnthropicOptions {
  readonly provider: string;
  readonly family: string;
  readonly baseUrl: string | null;
  readonly apiKey: string;
  /** For compatible servers: the API version to name; the key is sent as x-api-key then. */
  readonly version: string | null;
  readonly idleTimeoutMs: number;
}

/** A turn that the provider paused goes on by asking again; so often at most. */
const MAX_CONTINUATIONS = 8;

/** Speaks Anthropic's Messages. */
export function createAnthropicAdapter(options: AnthropicOptions): ModelAdapter {
  return createSdkAdapter(options, { protocol: 'anthropic-messages', createClient, streamStep });
}

async function createClient({ apiKey, baseUrl, version }: AnthropicOptions): Promise<Anthropic> {
  const { Anthropic: Client } = await import('@anthropic-ai/sdk');
  return new Client({
    apiKey,
    maxRetries: 0,
    logLevel: 'off',
    ...(baseUrl === null ? {} : { baseURL: baseUrl }),
    ...(version === null
      ? {}
      : {
          defaultHeaders: {
            'anthropic-version': version,
            'x-api-key': apiKey,
            authorization: null,
          },
        }),
  });
}

/** A content block while it is read; sent back as it came. */
interface Block {
  readonly content: Record<string, unknown> & { readonly type: string };
  argumentsText: string;
}

interface StepState {
  readonly blocks: Map<number, Block>;
  stopReason: string | null;
  isDone: boolean;
  usage: Usage;
}

async function* streamStep(
  client: Anthropic,
  options: AnthropicOptions,
  { request, signal }: StepRequest,
): AsyncGenerator<ModelStreamPart> {
  const body = toBody(request, options);
  const content: Block[] = [];
  let usage = NO_USAGE;
  for (let round = 0; ; round += 1) {
    const state: StepState = {
      blocks: new Map(),
      stopReason: null,
      isDone: false,
      usage: NO_USAGE,
    };
    yield* streamOnce(client, options, { body, signal, state });
    content.push(...state.blocks.values());
    usage = addUsage(usage, state.usage);
    const paused = toRawItems(content);
    if (state.stopReason !== 'pause_turn' || round >= MAX_CONTINUATIONS || paused.length === 0) {
      yield* finish(content, { ...state, usage });
      return;
    }
    body.messages = [...toMessages(request, options), { role: 'assistant', content: paused }];
  }
}

async function* streamOnce(
  client: Anthropic,
  { provider, idleTimeoutMs }: AnthropicOptions,
  call: {
    readonly body: MessageCreateParamsStreaming;
    readonly signal: AbortSignal;
    readonly state: StepState;
  },
): AsyncGenerator<ModelStreamPart> {
  const { body, signal, state } = call;
  const watchdog = createWatchdog({ provider, signal, idleTimeoutMs });
  const bounds = createStepBounds(provider);
  try {
    const { data, response } = await client.messages
      .create(body, { signal: watchdog.signal })
      .withResponse();
    await checkEventStream(response, provider);
    for await (const event of data) {
      watchdog.feed();
      bounds.add(event.type === 'content_block_delta' ? deltaLength(event.delta) : 0);
      bounds.checkCalls(state.blocks.size);
      const part = readEvent(event, state);
      if (part !== null) yield part;
    }
    watchdog.check();
  } catch (error) {
    watchdog.check();
    throw error;
  } finally {
    watchdog.stop();
  }
  if (!state.isDone) {
    throw new ModelError('truncated', `${provider} ended its answer in the middle.`, {
      isRetryable: true,
    });
  }
}

const deltaLength = (delta: object): number =>
  Object.values(delta).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : 0),
    0,
  );

function readEvent(event: RawMessageStreamEvent, state: StepState): ModelStreamPart | null {
  switch (event.type) {
    case 'message_start':
      state.usage = readUsage(event.message.usage, state.usage);
      return null;
    case 'content_block_start':
      state.blocks.set(event.index, {
        content: { ...event.content_block } as unknown as Block['content'],
        argumentsText: '',
      });
      return null;
    case 'content_block_delta':
      return readDelta(event.delta, state.blocks.get(event.index));
    case 'message_delta':
      state.stopReason = event.delta.stop_reason ?? state.stopReason;
      state.usage = readUsage(event.usage, state.usage);
      return null;
    case 'message_stop':
      state.isDone = true;
      return null;
    default:
      return null;
  }
}

type BlockDelta = Extract<RawMessageStreamEvent, { type: 'content_block_delta' }>['delta'];

function readDelta(delta: BlockDelta, block: Block | undefined): ModelStreamPart | null {
  if (block === undefined) return null;
  const { content } = block;
  const extend = (key: string, text: string): void => {
    content[key] = `${typeof content[key] === 'string' ? content[key] : ''}${text}`;
  };
  switch (delta.type) {
    case 'text_delta':
      extend('text', delta.text);
      return { type: 'text-delta', text: delta.text };
    case 'thinking_delta':
      extend('thinking', delta.thinking);
      return { type: 'reasoning-delta', text: delta.thinking };
    case 'signature_delta':
      extend('signature', delta.signature);
      return null;
    case 'input_json_delta':
      block.argumentsText += delta.partial_json;
      return null;
    default:
      return null;
  }
}

function* finish(blocks: readonly Block[], state: StepState): Generator<ModelStreamPart> {
  const calls = blocks.filter(({ content }) => content.type === 'tool_use');
  const isCutOff = finishReason(state.stopReason) === 'length';
  for (const { content, argumentsText } of calls) {
    yield {
      type: 'tool-call',
      callId: String(content['id']),
      toolName: String(content['name']),
      // A tool without parameters is called without any delta; a call that was cut off is not.
      argumentsText:
        argumentsText === '' && !isCutOff ? JSON.stringify(content['input'] ?? {}) : argumentsText,
    };
  }
  yield {
    type: 'finish',
    reason: calls.length > 0 ? 'tool-calls' : finishReason(state.stopReason),
    usage: state.usage,
    rawItems: toRawItems(blocks),
  };
}

/** The blocks as they may be sent back: an empty text is refused, and thinking that nothing follows. */
function toRawItems(blocks: readonly Block[]): ContentBlockParam[] {
  const params = blocks.map(toParam).filter((block) => !isEmptyText(block));
  return params.slice(0, params.findLastIndex(({ type }) => !THINKING.has(type)) + 1);
}

const THINKING: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking']);

/** The block as it may be sent back: with its whole input, and nothing else changed. */
function toParam({ content, argumentsText }: Block): ContentBlockParam {
  const { input } = content;
  return (content.type === 'tool_use'
    ? { ...content, input: argumentsText === '' ? (input ?? {}) : parseArguments(argumentsText) }
    : content) as unknown as ContentBlockParam;
}

const isEmptyText = (block: ContentBlockParam): boolean =>
  block.type === 'text' && block.text.trim() === '';

const CACHED = { type: 'ephemeral' } as const;

function toBody(request: ModelRequest, options: AnthropicOptions): MessageCreateParamsStreaming {
  const tools = request.tools.map(({ name, description, parameters }, index) => ({
    name,
    description,
    input_schema: parameters as unknown as Anthropic.Tool.InputSchema,
    ...(index === request.tools.length - 1 ? { cache_control: CACHED } : {}),
  }));
  return {
    model: request.model,
    max_tokens: request.maxOutputTokens,
    stream: true,
    system: [{ type: 'text', text: request.system, cache_control: CACHED }],
    messages: withCacheMark(toMessages(request, options)),
    ...(tools.length === 0 ? {} : { tools }),
  };
}

/** The provider caches up to the last message, so that the next step reads the rest from there. */
function withCacheMark(messages: MessageParam[]): MessageParam[] {
  const last = messages.at(-1);
  if (last === undefined || typeof last.content === 'string') return messages;
  const blocks = last.content.map((block, index) =>
    index === last.content.length - 1 ? { ...block, cache_control: CACHED } : block,
  );
  return [...messages.slice(0, -1), { ...last, content: blocks } as MessageParam];
}

/** Results stand first in the user message right after their calls. */
function toMessages(request: ModelRequest, options: AnthropicOptions): MessageParam[] {
  const adapter = { protocol: 'anthropic-messages', family: options.family } as const;
  const history = mergeUsers(request.history);
  const messages: { role: 'user' | 'assistant'; content: ContentBlockParam[] }[] = [];
  const add = (role: 'user' | 'assistant', content: readonly ContentBlockParam[]): void => {
    const last = messages.at(-1);
    if (content.length === 0) return;
    if (last?.role === role) last.content.push(...content);
    else messages.push({ role, content: [...content] });
  };
  history.forEach((entry, index) => {
    if (entry.type === 'user') add('user', [{ type: 'text', text: orPlaceholder(entry.text) }]);
    if (entry.type !== 'step') return;
    const raw = ownRawItems(entry, adapter) as readonly ContentBlockParam[] | null;
    const blocks = raw ?? toPlainBlocks(entry.parts);
    if (blocks.length === 0) return;
    // Two steps in a row would run together; the pause between them is made visible.
    if (messages.at(-1)?.role === 'assistant') add('user', [{ type: 'text', text: '(continue)' }]);
    add('assistant', blocks);
    add('user', pairResults(entry.parts, history[index + 1]).map(toResultBlock));
  });
  if (messages[0]?.role === 'assistant') {
    messages.unshift({ role: 'user', content: [{ type: 'text', text: '(start)' }] });
  }
  return messages;
}

const toResultBlock = (result: {
  readonly callId: string;
  readonly text: string;
  readonly isError: boolean;
}): ToolResultBlockParam => ({
  type: 'tool_result',
  tool_use_id: result.callId,
  content: result.text,
  ...(result.isError ? { is_error: true } : {}),
});

/** The step without reasoning, which only its own family may be sent. */
const toPlainBlocks = (
  parts: Extract<HistoryEntry, { type: 'step' }>['parts'],
): readonly ContentBlockParam[] =>
  parts.flatMap((part): ContentBlockParam[] => {
    if (part.type === 'tool-call') {
      const { callId: id, toolName: name, argumentsText } = part;
      const input = parseArguments(argumentsText);
      return [{ type: 'tool_use', id, name: sendableToolName(name), input }];
    }
    return part.type === 'text' && part.text.trim() !== ''
      ? [{ type: 'text', text: part.text }]
      : [];
  });
