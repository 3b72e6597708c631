import type OpenAI from 'openai';
import type {
  ResponseCreateParamsStreaming,
  ResponseInputItem,
  ResponseOutputItem,
  ResponseStreamEvent,
  ResponseUsage,
} from 'openai/resources/responses/responses';
import type { Usage } from '../events/chat-event.ts';
import { checkEventStream, createStepBounds, createWatchdog } from './guarded-stream.ts';
import {
  argumentsJson,
  isArgumentsJson,
  mergeUsers,
  orPlaceholder,
  ownRawItems,
  pairResults,
  sendableToolName,
} from './history-form.ts';
import {
  ModelError,
  type FinishReason,
  type HistoryEntry,
  type ModelAdapter,
  type ModelRequest,
  type ModelStreamPart,
} from './model.ts';
import { createOpenAI, type OpenAIOptions } from './openai-chat.ts';
import { eventError } from './provider-errors.ts';
import { createSdkAdapter, type StepRequest } from './sdk-adapter.ts';

/**
 * Speaks OpenAI's Responses without state on their side: every item, encrypted reasoning included,
 * is kept here and sent back word for word.
 */
export function createOpenAIResponsesAdapter(options: OpenAIOptions): ModelAdapter {
  return createSdkAdapter(options, {
    protocol: 'openai-responses',
    createClient: createOpenAI,
    streamStep,
  });
}

interface StepState {
  readonly items: ResponseOutputItem[];
  finish: FinishReason | null;
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
  const state: StepState = { items: [], finish: null, usage: readUsage(null) };
  try {
    const { data, response } = await client.responses
      .create(toBody(request, options), { signal: watchdog.signal })
      .withResponse();
    await checkEventStream(response, provider);
    for await (const event of data) {
      watchdog.feed();
      const part = readEvent(event, state, provider);
      if (part !== null) yield part;
      bounds.add('delta' in event && typeof event.delta === 'string' ? event.delta.length : 0);
      bounds.checkCalls(state.items.length);
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
  const calls = state.items.filter((item) => item.type === 'function_call');
  for (const { call_id: callId, name: toolName, arguments: argumentsText } of calls) {
    yield { type: 'tool-call', callId, toolName, argumentsText };
  }
  const reason = calls.length > 0 ? 'tool-calls' : state.finish;
  yield { type: 'finish', reason, usage: state.usage, rawItems: toRawItems(state.items) };
}

/**
 * Items go back as they came, but for what no provider takes a second time: arguments that are no
 * JSON object, messages without text, and reasoning at the end that nothing follows.
 */
function toRawItems(items: readonly ResponseOutputItem[]): readonly ResponseOutputItem[] {
  const sendable = items.filter((item) => !isEmptyMessage(item));
  const end = sendable.findLastIndex(({ type }) => type !== 'reasoning');
  return sendable
    .slice(0, end + 1)
    .map((item) =>
      item.type === 'function_call' && !isArgumentsJson(item.arguments)
        ? { ...item, arguments: argumentsJson(item.arguments) }
        : item,
    );
}

const isEmptyMessage = (item: ResponseOutputItem): boolean =>
  item.type === 'message' &&
  item.content.every((part) => part.type === 'output_text' && part.text.trim() === '');

type Delta = Extract<ModelStreamPart, { readonly type: 'text-delta' | 'reasoning-delta' }>;

function readEvent(event: ResponseStreamEvent, state: StepState, provider: string): Delta | null {
  switch (event.type) {
    case 'response.output_text.delta':
    case 'response.refusal.delta':
      return { type: 'text-delta', text: event.delta };
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      return { type: 'reasoning-delta', text: event.delta };
    case 'response.reasoning_summary_part.added':
      return event.summary_index > 0 ? { type: 'reasoning-delta', text: '\n\n' } : null;
    case 'response.output_item.done':
      // Only the finished item is whole: the added one may lack encrypted reasoning.
      state.items.push(event.item);
      return null;
    case 'response.completed':
      state.finish = 'stop';
      state.usage = readUsage(event.response.usage);
      return null;
    case 'response.incomplete':
      state.usage = readUsage(event.response.usage);
      state.finish =
        event.response.incomplete_details?.reason === 'content_filter'
          ? 'content-filter'
          : 'length';
      return null;
    case 'response.failed': {
      const { code, message } = event.response.error ?? {};
      throw eventError({ code, message: message ?? 'it gave no reason' }, provider);
    }
    default:
      return null;
  }
}

const readUsage = (usage: ResponseUsage | null | undefined): Usage => ({
  inputTokens: usage?.input_tokens ?? null,
  outputTokens: usage?.output_tokens ?? null,
  cachedTokens: usage?.input_tokens_details?.cached_tokens ?? null,
  reasoningTokens: usage?.output_tokens_details?.reasoning_tokens ?? null,
});

function toBody(request: ModelRequest, options: OpenAIOptions): ResponseCreateParamsStreaming {
  const history = mergeUsers(request.history);
  const adapter = { protocol: 'openai-responses', family: options.family } as const;
  return {
    model: request.model,
    instructions: request.system,
    input: history.flatMap((entry, index) => toItems(entry, history[index + 1], adapter)),
    stream: true,
    store: false,
    include: ['reasoning.encrypted_content'],
    max_output_tokens: request.maxOutputTokens,
    prompt_cache_key: request.cacheKey,
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map(({ name, description, parameters }) => ({
            type: 'function',
            name,
            description,
            parameters: parameters as Record<string, unknown>,
            strict: false,
          })),
        }),
  };
}

function toItems(
  entry: HistoryEntry,
  following: HistoryEntry | undefined,
  adapter: Pick<ModelAdapter, 'protocol' | 'family'>,
): ResponseInputItem[] {
  if (entry.type === 'user') return [{ role: 'user', content: orPlaceholder(entry.text) }];
  if (entry.type === 'tool-results') return [];
  const raw = ownRawItems(entry, adapter) as ResponseInputItem[] | null;
  const outputs = pairResults(entry.parts, following).map((result): ResponseInputItem => ({
    type: 'function_call_output',
    call_id: result.callId,
    output: result.text,
  }));
  return [...(raw ?? toPlainItems(entry.parts)), ...outputs];
}

/** The step without what only its own family understands: reasoning and item ids. */
const toPlainItems = (
  parts: Extract<HistoryEntry, { type: 'step' }>['parts'],
): ResponseInputItem[] =>
  parts.flatMap((part): ResponseInputItem[] => {
    if (part.type === 'tool-call') {
      return [
        {
          type: 'function_call',
          call_id: part.callId,
          name: sendableToolName(part.toolName),
          arguments: argumentsJson(part.argumentsText),
        },
      ];
    }
    if (part.type === 'reasoning' || part.text.trim() === '') return [];
    return [{ role: 'assistant', content: part.text }];
  });
