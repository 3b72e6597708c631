import type { MessagePort } from 'node:worker_threads';
import type { ToolSettings } from '../config.ts';
import type { ErrorCode } from '../errors.ts';
import type { ServerOwned } from '../tools/kit/argument-check.ts';
import type { ToolProgress } from '../tools/kit/define-tool.ts';
import type { ToolDescriptor } from '../tools/kit/tool-descriptor.ts';
import type { HostService } from '../tools/kit/tool-host.ts';

/** Characters of JSON that one cached value may have: the server thread reads and writes it in one go. */
export const MAX_CACHED_CHARACTERS = 1_000_000;

/** One call as a thread gets it. */
export interface CallTask {
  readonly port: MessagePort;
  readonly tool: ToolDescriptor;
  /** Arguments that were checked; null when the thread has to check the text. */
  readonly input: Readonly<Record<string, unknown>> | null;
  readonly argumentsText: string;
  readonly serverOwned: ServerOwned;
  readonly callId: string;
  readonly settings: ToolSettings;
  /** Milliseconds for a tool that names no limit of its own. */
  readonly defaultTimeoutMs: number;
  /** Characters of JSON that the result may have. */
  readonly outputLimit: number;
  /** Bytes that a file may have. */
  readonly fileLimit: number;
}

/** Why the thread is asked to stop. */
export type StopReason = 'cancelled' | 'deadline';

export type HostMethod =
  | 'files.list'
  | 'files.locate'
  | 'files.create'
  | 'facts.remember'
  | 'facts.find'
  | 'facts.forget'
  | 'cache.get'
  | 'cache.set'
  | 'pace';

export interface HostRequest {
  readonly type: 'host-call';
  readonly id: number;
  readonly method: HostMethod;
  readonly parameters: readonly unknown[];
}

/** From the thread, in order. */
export type WorkerMessage =
  | {
      readonly type: 'started';
      readonly input: Readonly<Record<string, unknown>>;
      readonly timeoutMs: number;
    }
  | { readonly type: 'progress'; readonly progress: ToolProgress }
  | HostRequest
  | CallEnd;

/** The last message of a call. */
export interface CallEnd {
  readonly type: 'ended';
  /** A `ToolResult` as JSON, within the output limit; of one that is longer only what is left without data. */
  readonly resultText: string;
  /** Characters of the whole output. */
  readonly outputCharacters: number;
  /** Of an output over the limit its beginning, and the whole, unless that is too large to be kept. */
  readonly overflow: {
    readonly preview: string;
    readonly content: Uint8Array<ArrayBuffer> | null;
  } | null;
  /** Whether the tool threw instead of returning. */
  readonly hasThrown: boolean;
  /** For the log: where an error came from; null without one. */
  readonly stack: string | null;
  /** The call left timers or connections behind: the thread is not used again. */
  readonly isDirty: boolean;
}

/** From the server. */
export type ServerMessage =
  | { readonly type: 'stop'; readonly reason: StopReason }
  | { readonly type: 'host-result'; readonly id: number; readonly value: unknown }
  | {
      readonly type: 'host-error';
      readonly id: number;
      /** Null for an error that nobody expected. */
      readonly code: ErrorCode | null;
      readonly message: string;
    };

/** The service that a tool has to name in `needs` before it may call a method; null for the free ones. */
export const serviceOf = (method: HostMethod): HostService | null => {
  const service = method.split('.')[0];
  return service === 'files' || service === 'facts' ? service : null;
};
