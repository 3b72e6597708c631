import type { EndReason, Usage } from '../events/chat-event.ts';
import type { CallOutcome } from '../executor/tool-call.ts';
import type { HistoryEntry, ModelProtocol, RawItems, StepPart } from '../models/model.ts';
import type { GateView } from '../registry/gate.ts';

/** One call of a step as it is stored. */
export interface StoredCall {
  readonly callId: string;
  readonly toolName: string;
  readonly argumentsText: string;
  /** The object that the model reads; null while the call has no result yet. */
  readonly modelResult: Readonly<Record<string, unknown>> | null;
  readonly isError: boolean;
  readonly isWaiting: boolean;
}

/** One step as it is stored. */
export interface StoredStep {
  readonly index: number;
  readonly parts: readonly StepPart[];
  readonly raw: RawItems | null;
  readonly calls: readonly StoredCall[];
}

/** All that the loop has to know to go on with a turn, whoever ran it before. */
export interface TurnState {
  readonly turnId: string;
  readonly chatId: string;
  readonly userId: string;
  readonly assistantMessageId: string;
  readonly modelId: string;
  readonly timeZone: string | null;
  readonly createdAt: Date;
  /** Milliseconds of the time limit that are used up. */
  readonly elapsedMs: number;
  /** The branch up to and with the turn's user message. */
  readonly history: readonly HistoryEntry[];
  /** Of this turn, in order. */
  readonly steps: readonly StoredStep[];
  readonly facts: readonly string[];
  readonly files: readonly {
    readonly label: string;
    readonly bytes: number;
    readonly mimeType: string;
    readonly codeInterpreterPath: string;
  }[];
}

export interface FinishedStep {
  readonly index: number;
  readonly modelId: string;
  readonly protocol: ModelProtocol;
  readonly family: string;
  readonly parts: readonly StepPart[];
  readonly rawItems: readonly unknown[];
  readonly usage: Usage;
  /** False for a step that was cut off: its tool calls are not in `parts`. */
  readonly complete: boolean;
}

/**
 * What the loop needs saved. Every write checks the turn's lease.
 * @throws LeaseLostError from any write once another process owns the turn or it has ended.
 */
export interface TurnStore {
  load(turnId: string): Promise<TurnState>;
  /** The gates' view of the chat as it is now: groups may have been switched since. */
  gateView(state: TurnState): Promise<GateView>;
  /** Ids of `callIds` that a call of the chat has already. */
  usedCallIds(chatId: string, callIds: readonly string[]): Promise<ReadonlySet<string>>;
  startStep(state: TurnState, step: { index: number; modelId: string }): Promise<void>;
  /** Stores the step with its calls, which count as running from now on. */
  finishStep(state: TurnState, step: FinishedStep): Promise<void>;
  /** Stores the one result of a call; does nothing when it has one already. */
  endCall(state: TurnState, outcome: CallOutcome): Promise<void>;
  /** Results of the step's calls as they are stored now, in call order. */
  calls(state: TurnState, stepIndex: number): Promise<readonly StoredCall[]>;
  /**
   * Lets go of a turn of which only waiting calls are open.
   * @returns false if none waits any more: the loop goes on.
   */
  wait(state: TurnState, elapsedMs: number): Promise<boolean>;
  /** Ends the turn: open calls get a result, the message its whole text. */
  end(
    state: TurnState,
    ending: { readonly reason: EndReason; readonly message: string; readonly elapsedMs: number },
  ): Promise<void>;
}

/** Another process owns the turn, or it has ended: whoever gets this stops without a further write. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}
