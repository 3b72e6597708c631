import type { EventFile, ToolCallEndStatus } from '../events/chat-event.ts';
import type { ToolProgress } from '../tools/kit/define-tool.ts';
import type { ToolHost } from '../tools/kit/tool-host.ts';
import type { ToolResult } from '../tools/kit/tool-result.ts';

/** A call as the model asked for it. */
export interface RequestedCall {
  readonly callId: string;
  readonly toolName: string;
  /** JSON text as the model sent it. */
  readonly argumentsText: string;
}

/** Who and where a call runs for. */
export interface CallScope {
  readonly chatId: string;
  readonly userId: string;
}

/** How a call ended. */
export interface CallOutcome {
  readonly callId: string;
  readonly status: ToolCallEndStatus;
  /** As checked and run; null when they were refused. */
  readonly arguments: Readonly<Record<string, unknown>> | null;
  readonly result: ToolResult;
  /** The object that the model reads: `toModelResult(result)` with the tool's hint. */
  readonly modelResult: Readonly<Record<string, unknown>>;
  readonly queuedMs: number;
  readonly elapsedMs: number;
  /** Characters of the output before it was limited. */
  readonly outputCharacters: number;
  readonly startedAt: Date | null;
}

/** The call waits for a person; its outcome comes through the services later. */
export interface CallWaiting {
  readonly callId: string;
  readonly status: 'WAITING';
}

/** Told by the executor while calls run; none of these may throw. */
export interface CallObserver {
  onQueued(callId: string): void;
  onStart(callId: string): void;
  onProgress(callId: string, progress: ToolProgress): void;
  /** A cancel was asked for; the tool is in its grace period. */
  onStopping(callId: string): void;
  /** In the order in which calls end. Resolves when the outcome is stored. */
  onEnd(outcome: CallOutcome): Promise<void>;
}

export interface StepExecution {
  readonly scope: CallScope;
  readonly calls: readonly RequestedCall[];
  /** Names whose schemas were sent in this step; everything else is refused. */
  readonly activeTools: ReadonlySet<string>;
  /** What one of the calls may ask of the application. */
  host(callId: string): ToolHost;
  readonly observer: CallObserver;
  /** Cancels all calls of the step. */
  readonly signal: AbortSignal;
  /**
   * Runs a tool that runs on the server thread. Resolves to null when the call now waits for a person.
   */
  runOnServer(
    call: RequestedCall,
    input: Readonly<Record<string, unknown>>,
  ): Promise<ToolResult | null>;
}

export interface ToolExecutor {
  /**
   * Executes the calls of one model step: concurrency-safe calls together, the others one by one
   * afterwards; calls that run on the server thread beside both.
   *
   * @returns one outcome per call, in the order of `calls`. Never rejects because a tool did.
   */
  execute(step: StepExecution): Promise<readonly (CallOutcome | CallWaiting)[]>;
  /** Cancels one running or queued call; false when it is not running here. */
  cancel(chatId: string, callId: string): boolean;
  load(): PoolLoad;
  close(): Promise<void>;
}

export interface PoolLoad {
  readonly threads: number;
  readonly busy: number;
  readonly queued: number;
  readonly queueLimit: number;
  /** Since the server started. */
  readonly completed: number;
  readonly refused: number;
  readonly killed: number;
}

export type { EventFile };
