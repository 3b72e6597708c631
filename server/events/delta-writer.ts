import type { Clock } from '../clock.ts';
import type { ReasoningDelta, TextDelta } from './chat-event.ts';

export type Delta = TextDelta | ReasoningDelta;

/**
 * Merges the pieces of text of one message into fewer events: the first goes out at once, then
 * one at most every 50 ms, or sooner when 2,048 characters have gathered. A piece is merged only
 * with pieces of the same kind and step; half of a surrogate pair waits for its other half.
 */
export interface DeltaWriter {
  /** Takes the next piece; it is written soon. */
  write(delta: Delta): void;
  /**
   * Resolves when everything that was taken is stored, also half of a pair. Call it before any other event of the
   * message's chat is appended.
   * @throws what appending threw, since the last flush.
   */
  flush(): Promise<void>;
}

export interface DeltaWriterDependencies {
  readonly append: (events: readonly Delta[]) => Promise<number>;
  readonly clock: Clock;
}

const INTERVAL_MS = 50;
const MAX_CHARACTERS = 2_048;

export function createDeltaWriter({ append, clock }: DeltaWriterDependencies): DeltaWriter {
  /** In order; neighbours differ in kind, message or step. */
  let waiting: Delta[] = [];
  let appending: Promise<void> | null = null;
  let cancelTimer: (() => void) | null = null;
  let lastWriteAt = Number.NEGATIVE_INFINITY;
  let failure: { readonly error: unknown } | null = null;

  const appendWaiting = async (isLast: boolean): Promise<void> => {
    cancelTimer?.();
    cancelTimer = null;
    const { ready, held } = isLast ? { ready: waiting, held: [] } : splitReady(waiting);
    waiting = held;
    if (ready.length === 0) return;
    lastWriteAt = clock.now();
    try {
      await append(ready);
    } catch (error) {
      failure ??= { error };
    }
  };

  const start = (isLast = false): Promise<void> =>
    (appending ??= appendWaiting(isLast).finally(() => {
      appending = null;
      schedule();
    }));

  /** While one event is being stored, what follows gathers: a slow database makes larger pieces. */
  const schedule = (): void => {
    if (appending || splitReady(waiting).ready.length === 0) return;
    const dueInMs = lastWriteAt + INTERVAL_MS - clock.now();
    if (dueInMs <= 0 || countCharacters(waiting) >= MAX_CHARACTERS) void start();
    else cancelTimer ??= clock.after(dueInMs, () => void start());
  };

  return {
    write(delta) {
      if (delta.text === '') return;
      const last = waiting.at(-1);
      if (last && isContinuation(last, delta)) {
        waiting[waiting.length - 1] = { ...last, text: last.text + delta.text };
      } else {
        waiting.push(delta);
      }
      schedule();
    },
    async flush() {
      while (appending) await appending;
      await start(true);
      const failed = failure;
      failure = null;
      if (failed) throw failed.error;
    },
  };
}

const isContinuation = (last: Delta, delta: Delta): boolean =>
  last.type === delta.type &&
  last.messageId === delta.messageId &&
  last.stepIndex === delta.stepIndex;

const countCharacters = (deltas: readonly Delta[]): number =>
  deltas.reduce((sum, { text }) => sum + text.length, 0);

/** Keeps back the first half of a pair at the very end, to which more may come. */
function splitReady(deltas: readonly Delta[]): { ready: Delta[]; held: Delta[] } {
  const last = deltas.at(-1);
  if (!last || !/[\ud800-\udbff]$/.test(last.text)) return { ready: [...deltas], held: [] };
  const head = { ...last, text: last.text.slice(0, -1) };
  const ready = [...deltas.slice(0, -1), ...(head.text === '' ? [] : [head])];
  return { ready, held: [{ ...last, text: last.text.slice(-1) }] };
}
