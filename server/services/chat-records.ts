import type { MessagePart, Usage } from '../events/chat-event.ts';

/** Rows as the services hand them out: plain, already checked for their owner. */

export interface ChatRecord {
  readonly id: string;
  readonly ownerId: string;
  readonly title: string;
  readonly modelId: string;
  readonly pinned: boolean;
  readonly archived: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly lastSequence: number;
  readonly activeLeafId: string | null;
  /** A turn is running or waiting. */
  readonly busy: boolean;
}

export interface FileRecord {
  readonly id: string;
  readonly chatId: string;
  readonly messageId: string | null;
  readonly toolCallId: string | null;
  readonly label: string;
  readonly origin: 'UPLOADED' | 'GENERATED';
  readonly mimeType: string;
  readonly bytes: number;
  readonly downloadUrl: string;
  readonly codeInterpreterPath: string;
  readonly createdAt: Date;
}

export interface StepRecord {
  readonly index: number;
  readonly modelId: string;
  readonly usage: Usage;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

export type TurnStatus = 'RUNNING' | 'WAITING' | 'ENDED';

export interface TurnRecord {
  readonly id: string;
  readonly chatId: string;
  readonly requestId: string;
  readonly userMessageId: string;
  readonly assistantMessageId: string;
  readonly modelId: string;
  readonly status: TurnStatus;
  readonly endReason: string | null;
  readonly endMessage: string;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  /** In order. */
  readonly steps: readonly StepRecord[];
}

export interface ToolCallRecord {
  readonly id: string;
  readonly chatId: string;
  readonly turnId: string | null;
  readonly callId: string;
  readonly toolName: string;
  readonly stepIndex: number;
  readonly position: number;
  /** These four are null where the viewer may not read them. */
  readonly argumentsText: string | null;
  readonly arguments: unknown;
  readonly result: unknown;
  readonly message: string | null;
  readonly status: string;
  readonly code: string | null;
  readonly argumentsCharacters: number;
  readonly outputCharacters: number | null;
  readonly queuedAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly userId: string;
  readonly userName: string;
  readonly files: readonly FileRecord[];
  /** What the call told last while it runs; null for one that has ended, and where nobody may read it. */
  readonly progress: CallProgress | null;
}

export interface CallProgress {
  readonly state: 'queued' | 'running' | 'stopping';
  readonly message: string | null;
  readonly fraction: number | null;
}

export interface MessageRecord {
  readonly id: string;
  readonly chatId: string;
  readonly parentId: string | null;
  readonly role: 'USER' | 'ASSISTANT';
  readonly text: string;
  /** For an unfinished message as far as it has come. */
  readonly parts: readonly MessagePart[];
  readonly createdAt: Date;
  readonly files: readonly FileRecord[];
  readonly toolCalls: readonly ToolCallRecord[];
  readonly turn: TurnRecord | null;
}

export interface ActivationRecord {
  readonly id: string;
  readonly chatId: string;
  readonly turnId: string;
  readonly callIds: readonly string[];
  readonly group: string;
  readonly reason: string;
  readonly toolNames: readonly string[];
  readonly status: 'OPEN' | 'ENABLED' | 'DECLINED' | 'IGNORED' | 'CANCELLED';
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** All that a page needs to show a chat, read from one database snapshot. */
export interface ChatSnapshot {
  readonly chat: ChatRecord;
  readonly activeGroups: readonly string[];
  /** Oldest first, all branches. */
  readonly messages: readonly MessageRecord[];
  readonly files: readonly FileRecord[];
  readonly runningTurn: TurnRecord | null;
  readonly openActivationRequests: readonly ActivationRecord[];
}

/** One page of a list that is paged by key. */
export interface Page<Node> {
  readonly edges: readonly { readonly cursor: string; readonly node: Node }[];
  readonly hasNextPage: boolean;
}

export interface PageRequest {
  /** At most 100. */
  readonly first: number;
  readonly after: string | null;
}
