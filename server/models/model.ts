import type { Usage } from '../events/chat-event.ts';
import type { JsonSchema } from '../tools/kit/tool-descriptor.ts';

export type ModelProtocol = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'direct';

/** A tool as one model request offers it. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** What a model made in one step, in order, in no protocol's form. */
export type StepPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | {
      readonly type: 'tool-call';
      readonly callId: string;
      readonly toolName: string;
      readonly argumentsText: string;
    };

/** A protocol's own items of one step, replayed only to the family that made them. */
export interface RawItems {
  readonly protocol: ModelProtocol;
  /** The provider inside the protocol, e.g. `openai`, `anthropic`, `openrouter/deepseek`. */
  readonly family: string;
  readonly items: readonly unknown[];
}

/** One entry of the history that a model request carries. */
export type HistoryEntry =
  | { readonly type: 'user'; readonly text: string }
  | { readonly type: 'step'; readonly parts: readonly StepPart[]; readonly raw: RawItems | null }
  | {
      readonly type: 'tool-results';
      /** One for each tool call of the step before, in call order. */
      readonly results: readonly {
        readonly callId: string;
        readonly toolName: string;
        readonly text: string;
        readonly isError: boolean;
      }[];
    };

export interface ModelRequest {
  /** The provider's own name of the model. */
  readonly model: string;
  readonly system: string;
  readonly history: readonly HistoryEntry[];
  readonly tools: readonly ModelTool[];
  readonly maxOutputTokens: number;
  /** Stable per chat, for the provider's prompt cache. */
  readonly cacheKey: string;
}

export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter';

export type ModelStreamPart =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  /** A whole call; `callId` is the provider's and may be empty, too long or used before. */
  | {
      readonly type: 'tool-call';
      readonly callId: string;
      readonly toolName: string;
      readonly argumentsText: string;
    }
  /** Always last; a stream that ends without it throws a ModelError. */
  | {
      readonly type: 'finish';
      readonly reason: FinishReason;
      readonly usage: Usage;
      readonly rawItems: readonly unknown[];
    };

export type ModelErrorKind =
  | 'rate-limit'
  | 'overloaded'
  | 'network'
  | 'stalled'
  | 'truncated'
  | 'authentication'
  | 'not-found'
  | 'context-length'
  | 'bad-request'
  | 'server'
  | 'malformed';

/** A model request that failed; the message is a whole sentence fit for the person, without secrets. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly kind: ModelErrorKind;
  /** Whether the same request may succeed later. */
  readonly isRetryable: boolean;
  /** What the provider asked to wait, in milliseconds. */
  readonly retryAfterMs: number | null;

  constructor(
    kind: ModelErrorKind,
    message: string,
    options: ErrorOptions & { isRetryable?: boolean; retryAfterMs?: number | null } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.isRetryable = options.isRetryable ?? false;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** Speaks one model protocol. */
export interface ModelAdapter {
  readonly protocol: ModelProtocol;
  readonly family: string;
  /**
   * Streams one step. An abort ends it by throwing the signal's reason.
   * @throws ModelError for everything that the provider or the network did wrong.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelStreamPart>;
}

/** A model that a chat can be held with. */
export interface ModelInfo {
  /** `<provider>/<model>`, e.g. `anthropic/claude-5`; `direct` for the built-in one. */
  readonly id: string;
  readonly label: string;
  readonly provider: string;
  readonly protocol: ModelProtocol;
  readonly family: string;
  /** The provider's own name of the model. */
  readonly model: string;
  /** Null while it works; otherwise a whole sentence. */
  readonly unavailableReason: string | null;
}

/** All models that this server can speak with. */
export interface ModelCatalogue {
  /** In the order to offer them; `direct` is always last. */
  list(): readonly ModelInfo[];
  find(modelId: string): ModelInfo | null;
  /** The model of a new chat. */
  defaultModelId(): string;
  /** @throws AppError `UNAVAILABLE` if the model is not known or not set up. */
  adapter(modelId: string): ModelAdapter;
  /** Asks providers and local servers for their lists again. */
  refresh(): Promise<void>;
}
