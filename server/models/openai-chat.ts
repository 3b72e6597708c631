import type OpenAI from 'openai';
import type {
  ChatCompletionChunk,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { Usage } from '../events/chat-event.ts';
import { createCallAssembler, type CallAssembler } from './call-assembler.ts';
import { checkEventStream, createStepBounds, createWatchdog } from './guarded-stream.ts';
import {
  argumentsJson,
  callsOf,
  mergeUsers,
  orPlaceholder,
  ownRawItems,
  pairResults,
  sendableToolName,
  textOf,
} from './history-form.ts';
import {
  ModelError,
  type FinishReason,
  type HistoryEntry,
  type ModelAdapter,
  type ModelRequest,
  type ModelStreamPart,
} from './model.ts';
import { createSdkAdapter, type StepRequest } from './sdk-adapter.ts';

export interface OpenAIOptions {
  /** Name for messages, e.g. `OpenAI`. */
  readonly provider: string;
  readonly family: string;
  readonly baseUrl: string | null;
  readonly apiKey: string;
  readonly idleTimeoutMs: number;
}

/** The SDK without its own retries: the loop decides about them. */
export async function createOpenAI({ baseUrl, apiKey }: OpenAIOptions): Promise<OpenAI> {
  const { OpenAI: Client } = await import('openai');
  return new Client({
    apiKey,
    maxRetries: 0,
    logLevel: 'off',
    ...(baseUrl === null ? {} : { baseURL: baseUrl }),
  });
}

/** Speaks Chat Completions, with OpenAI or with a server that is compatible enough. */
export function createOpenAIChatAdapter(options: OpenAIOptions): ModelAdapter {
  return createSdkAdapter(options, {
    protocol: 'openai-chat',
    createClient: createOpenAI,
    streamStep,
  });
}

/** What compatible servers add to a delta. */
interface LooseDelta {
  readonly content?: string | null;
  readonly refusal?: string | null;
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
  readonly tool_calls?: Parameters<CallAssembler['push']>[0] | null;
}

interface StepState {
  text: string;
  reasoning: string;
  finish: string | null;
  usage: Usage;
}

async function* streamStep(
  client: OpenAI,
  options: OpenAIOptions,
  { request, signal }: StepRequest,
): AsyncGenerator<ModelStreamPart> {
  const { provider } = options;
  const watchdog = createWatchdog({ provider, signal, idleTimeoutMs: options.idleTimeoutMs });
  const bounds = createStepBounds(provider);
  const assembler = createCallAssembler();
  const state: StepState = { text: '', reasoning: '', finish: null, usage: readUsage(null) };
  try {
    const { data, response } = await client.chat.completions
      .create(toBody(request, options), { signal: watchdog.signal })
      .withResponse();
    await checkEventStream(response, provider);
    for await (const chunk of data) {
      watchdog.feed();
      for (const part of readChunk(chunk, state, assembler)) yield part;
      bounds.add(lengthOf(chunk));
      bounds.checkCalls(assembler.calls.length);
    }
    watchdog.check();
  } catch (error) {
    watchdog.check();
    throw error;
  } finally {
    watchdog.stop();
  }
  if (state.finish === null) {
    throw new ModelError('truncated', `${provider} ended its answer in the middle.`, {
      isRetryable: true,
    });
  }
  for (const { id, name, argumentsText } of assembler.calls) {
    yield { type: 'tool-call', callId: id, toolName: name, argumentsText };
  }
  yield finishOf(state, assembler);
}

/** Characters that a chunk adds to the step, those of arguments included. */
function lengthOf(chunk: ChatCompletionChunk): number {
  const delta = (chunk.choices?.[0]?.delta ?? {}) as LooseDelta;
  const texts = [
    ...[delta.content, delta.refusal, delta.reasoning_content, delta.reasoning],
    ...(delta.tool_calls ?? []).map((fragment) => fragment.function?.arguments),
  ];
  return texts.reduce<number>((sum, text) => sum + (text?.length ?? 0), 0);
}

function* readChunk(
  chunk: ChatCompletionChunk,
  state: StepState,
  assembler: CallAssembler,
): Generator<ModelStreamPart> {
  if (chunk.usage) state.usage = readUsage(chunk.usage);
  const choice = chunk.choices?.[0];
  if (choice === undefined) return;
  const delta = (choice.delta ?? {}) as LooseDelta;
  const reasoning = delta.reasoning_content ?? delta.reasoning;
  if (typeof reasoning === 'string' && reasoning !== '') {
    state.reasoning += reasoning;
    yield { type: 'reasoning-delta', text: reasoning };
  }
  const text = delta.content ?? delta.refusal;
  if (typeof text === 'string' && text !== '') {
    state.text += text;
    yield { type: 'text-delta', text };
  }
  if (delta.tool_calls) assembler.push(delta.tool_calls);
  if (choice.finish_reason) state.finish = choice.finish_reason;
}

function finishOf(state: StepState, { calls }: CallAssembler): ModelStreamPart {
  const message = {
    role: 'assistant',
    content: state.text === '' ? null : state.text,
    ...(state.reasoning === '' ? {} : { reasoning_content: state.reasoning }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ id, name, argumentsText, extra }) => ({
            id,
            type: 'function',
            function: { name, arguments: argumentsJson(argumentsText) },
            ...(extra === undefined ? {} : { extra_content: extra }),
          })),
        }),
  };
  const isEmpty = state.text === '' && calls.length === 0;
  return {
    type: 'finish',
    reason: finishReason(state.finish, calls.length),
    usage: state.usage,
    rawItems: isEmpty ? [] : [message],
  };
}

function finishReason(reason: string | null, callCount: number): FinishReason {
  if (callCount > 0) return 'tool-calls';
  if (reason === 'length') return 'length';
  return reason === 'content_filter' ? 'content-filter' : 'stop';
}

interface LooseUsage {
  readonly prompt_tokens?: number | null;
  readonly completion_tokens?: number | null;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null;
}

const readUsage = (usage: LooseUsage | null): Usage => ({
  inputTokens: usage?.prompt_tokens ?? null,
  outputTokens: usage?.completion_tokens ?? null,
  cachedTokens: usage?.prompt_tokens_details?.cached_tokens ?? null,
  reasoningTokens: usage?.completion_tokens_details?.reasoning_tokens ?? null,
});

function toBody(
  request: ModelRequest,
  options: OpenAIOptions,
): ChatCompletionCreateParamsStreaming {
  const isOpenAI = options.baseUrl === null;
  return {
    model: request.model,
    messages: toMessages(request, options),
    stream: true,
    stream_options: { include_usage: true },
    ...(isOpenAI
      ? { max_completion_tokens: request.maxOutputTokens, prompt_cache_key: request.cacheKey }
      : { max_tokens: request.maxOutputTokens }),
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map(({ name, description, parameters }) => ({
            type: 'function',
            function: { name, description, parameters: parameters as Record<string, unknown> },
          })),
        }),
  };
}

function toMessages(request: ModelRequest, options: OpenAIOptions): ChatCompletionMessageParam[] {
  const history = mergeUsers(request.history);
  const adapter = { protocol: 'openai-chat', family: options.family } as const;
  return [
    { role: 'system', content: request.system },
    ...history.flatMap((entry, index) => toChatMessages(entry, history[index + 1], adapter)),
  ];
}

function toChatMessages(
  entry: HistoryEntry,
  following: HistoryEntry | undefined,
  adapter: Pick<ModelAdapter, 'protocol' | 'family'>,
): ChatCompletionMessageParam[] {
  if (entry.type === 'user') return [{ role: 'user', content: orPlaceholder(entry.text) }];
  if (entry.type === 'tool-results') return [];
  const results = pairResults(entry.parts, following);
  const raw = ownRawItems(entry, adapter);
  const text = textOf(entry.parts);
  if (raw === null && results.length === 0 && text.trim() === '') return [];
  const message = raw === null ? toAssistantMessage(entry.parts) : raw[0];
  return [
    message as ChatCompletionMessageParam,
    ...results.map((result): ChatCompletionMessageParam => ({
      role: 'tool',
      tool_call_id: result.callId,
      content: result.text,
    })),
  ];
}

function toAssistantMessage(parts: Extract<HistoryEntry, { type: 'step' }>['parts']) {
  const calls = callsOf(parts);
  const text = textOf(parts);
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ callId, toolName, argumentsText }) => ({
            id: callId,
            type: 'function',
            function: {
              name: sendableToolName(toolName),
              arguments: argumentsJson(argumentsText),
            },
          })),
        }),
  };
}
