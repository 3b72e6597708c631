/**
 * The one union of events: what the loop and the executor emit, what the log stores and what
 * subscribers receive. `docs/events.md` tells their order.
 */

export type EndReason =
  | 'COMPLETED'
  | 'STEP_LIMIT'
  | 'DEADLINE'
  | 'REPEATED_CALL'
  | 'CANCELLED'
  | 'OUTPUT_LIMIT'
  | 'CONTENT_FILTER'
  | 'PROVIDER_ERROR'
  | 'INTERRUPTED'
  | 'FAILED';

export type ToolCallEndStatus = 'SUCCESS' | 'NOOP' | 'ERROR' | 'CANCELLED' | 'INTERRUPTED';

export type ActivationAnswer = 'ENABLED' | 'DECLINED' | 'IGNORED' | 'CANCELLED';

/** Tokens; null where the provider did not say. */
export interface Usage {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** Part of `inputTokens` that was read from the provider's cache. */
  readonly cachedTokens: number | null;
  /** Part of `outputTokens` that was spent on reasoning. */
  readonly reasoningTokens: number | null;
}

/** A part of an assistant message, in the order in which it was made. */
export type MessagePart =
  | { readonly type: 'text'; readonly stepIndex: number; readonly text: string }
  | { readonly type: 'reasoning'; readonly stepIndex: number; readonly text: string }
  | { readonly type: 'tool-call'; readonly stepIndex: number; readonly callId: string };

export interface EventFile {
  readonly id: string;
  readonly label: string;
  readonly origin: 'UPLOADED' | 'GENERATED';
  readonly mimeType: string;
  readonly bytes: number;
  readonly downloadUrl: string;
}

export interface TurnStart {
  readonly type: 'turn-start';
  readonly turnId: string;
  readonly userMessageId: string;
  readonly assistantMessageId: string;
  readonly modelId: string;
}
export interface MessageStart {
  readonly type: 'message-start';
  readonly messageId: string;
  readonly parentId: string | null;
  readonly text: string;
  readonly files: readonly EventFile[];
}
export interface StepStart {
  readonly type: 'step-start';
  readonly turnId: string;
  readonly stepIndex: number;
  readonly modelId: string;
}
export interface TextDelta {
  readonly type: 'text-delta';
  readonly turnId: string;
  readonly messageId: string;
  readonly stepIndex: number;
  readonly text: string;
}
export interface ReasoningDelta {
  readonly type: 'reasoning-delta';
  readonly turnId: string;
  readonly messageId: string;
  readonly stepIndex: number;
  readonly text: string;
}
export interface StepEnd {
  readonly type: 'step-end';
  readonly turnId: string;
  readonly stepIndex: number;
  readonly usage: Usage;
}
export interface ToolCallStart {
  readonly type: 'tool-call-start';
  readonly turnId: string | null;
  readonly stepIndex: number;
  readonly position: number;
  readonly callId: string;
  readonly toolName: string;
  /** As the model sent them. */
  readonly argumentsText: string | null;
}
export interface ToolCallProgress {
  readonly type: 'tool-call-progress';
  readonly callId: string;
  readonly toolName: string;
  readonly state: 'queued' | 'running' | 'stopping';
  readonly message: string | null;
  readonly fraction: number | null;
  readonly data: unknown;
}
export interface ToolCallEnd {
  readonly type: 'tool-call-end';
  readonly turnId: string | null;
  readonly callId: string;
  readonly toolName: string;
  readonly status: ToolCallEndStatus;
  readonly code: string | null;
  readonly message: string | null;
  /** The object that the model reads. */
  readonly result: unknown;
  /** Milliseconds that the call waited for a thread, and that it ran. */
  readonly queuedMs: number;
  readonly elapsedMs: number;
  readonly outputCharacters: number;
  readonly files: readonly EventFile[];
}
export interface ActivationRequested {
  readonly type: 'activation-request';
  readonly requestId: string;
  readonly turnId: string;
  readonly callId: string;
  readonly group: string;
  readonly reason: string;
  readonly toolNames: readonly string[];
  readonly expiresAt: string;
}
export interface ActivationResponse {
  readonly type: 'activation-response';
  readonly requestId: string;
  readonly turnId: string;
  readonly group: string;
  readonly answer: ActivationAnswer;
}
/** The turn waits for a person and is held by no process. */
export interface TurnWait {
  readonly type: 'turn-wait';
  readonly turnId: string;
}
export interface TurnResume {
  readonly type: 'turn-resume';
  readonly turnId: string;
}
export interface MessageEnd {
  readonly type: 'message-end';
  readonly turnId: string;
  readonly messageId: string;
  /** Replaces what the deltas built. */
  readonly text: string;
  readonly parts: readonly MessagePart[];
}
export interface TurnEnd {
  readonly type: 'turn-end';
  readonly turnId: string;
  readonly messageId: string;
  readonly reason: EndReason;
  /** A whole sentence for the person; empty when the turn completed. */
  readonly message: string;
  readonly usage: Usage;
}
/** Only the fields that changed are present; each holds its whole new value. */
export interface ChatUpdate {
  readonly type: 'chat-update';
  readonly title?: string;
  readonly modelId?: string;
  readonly activeLeafId?: string | null;
  readonly activeGroups?: readonly string[];
  readonly pinned?: boolean;
  readonly archived?: boolean;
  readonly files?: readonly EventFile[];
}
export interface ChatDelete {
  readonly type: 'chat-delete';
}

/** What may be appended to a chat's log. */
export type ChatEvent =
  | TurnStart
  | MessageStart
  | StepStart
  | TextDelta
  | ReasoningDelta
  | StepEnd
  | ToolCallStart
  | ToolCallProgress
  | ToolCallEnd
  | ActivationRequested
  | ActivationResponse
  | TurnWait
  | TurnResume
  | MessageEnd
  | TurnEnd
  | ChatUpdate
  | ChatDelete;

/** Made by the stream, never stored: load the chat anew, earlier events are gone. */
export interface LogReset {
  readonly type: 'log-reset';
}

/** What a subscriber receives. */
export interface Sequenced<Event> {
  readonly sequence: number;
  /** The number that the stream had covered before this event. */
  readonly previousSequence: number;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly event: Event;
}

/** Events of tools, the members of the union that `toolEvents` shows. */
export type ToolEvent =
  ToolCallStart | ToolCallProgress | ToolCallEnd | ActivationRequested | ActivationResponse;

export interface ViewerChatChange {
  readonly type: 'chat-change';
  readonly chatId: string;
  readonly title: string;
  readonly modelId: string;
  readonly pinned: boolean;
  readonly archived: boolean;
  /** A turn of the chat is running or waiting. */
  readonly busy: boolean;
  /** ISO 8601. */
  readonly updatedAt: string;
}
export interface ViewerChatDelete {
  readonly type: 'chat-delete';
  readonly chatId: string;
}
export interface ViewerFactsChange {
  readonly type: 'facts-change';
}
export interface ViewerSignOut {
  readonly type: 'sign-out';
  /** The session or key that ended. */
  readonly credentialId: string;
}

/** What may be appended to a viewer's log: the list of chats, facts and sign-outs. */
export type ViewerEvent = ViewerChatChange | ViewerChatDelete | ViewerFactsChange | ViewerSignOut;
