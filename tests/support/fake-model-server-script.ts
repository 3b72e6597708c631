import { setTimeout as wait } from 'node:timers/promises';
import type { FakeModelRequest } from './fake-model-server-request.ts';

export type FakeFinish = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'pause';

/** Tokens as this project counts them: `input` holds the cached ones. */
export interface FakeUsage {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
  /** Tokens that were written to the cache; only Anthropic tells them. */
  readonly cacheWritten?: number;
  readonly reasoning?: number;
}

export interface FakeCall {
  readonly name: string;
  /** An object, or the text as the model writes it, valid or not. */
  readonly arguments?: Readonly<Record<string, unknown>> | string;
  /** Without it the server makes up a fresh one. */
  readonly id?: string;
  /** Sizes of the pieces in which the arguments come; the last size goes on. Without it 7. */
  readonly pieceSizes?: readonly number[];
}

/** One thing that an answer does, in order. */
export type FakePiece =
  /** One delta of text. */
  | string
  /** One delta of reasoning; deltas side by side belong to one block. */
  | { readonly reasoning: string }
  | { readonly call: FakeCall }
  /** Nothing is sent until it resolves. */
  | { readonly until: Promise<unknown> }
  | { readonly delayMs: number }
  /** Sent as it is, in the place of an event. */
  | { readonly raw: string | Uint8Array }
  /** An error event of the protocol; nothing comes after it. */
  | { readonly error: { readonly type: string; readonly message: string } }
  /** The connection is destroyed. */
  | { readonly cut: true }
  /** The body ends properly, but without the event that says that the answer is whole. */
  | { readonly stop: true }
  /** Nothing comes any more, and the connection stays open. */
  | { readonly hang: true };

/** An answer as a stream: its pieces, or what an ordinary one has, in the order of the fields. */
export interface FakeAnswer {
  readonly pieces?: readonly FakePiece[];
  readonly reasoning?: string;
  /** Deltas. */
  readonly text?: readonly string[];
  readonly calls?: readonly FakeCall[];
  /** Waited for after the first delta of text, or at the end where there is no text. */
  readonly hold?: Promise<unknown>;
  /** Cuts the connection after everything. */
  readonly cut?: boolean;
  /** Without it `tool-calls` if there is a call, else `stop`. */
  readonly finish?: FakeFinish;
  /** Null sends none. */
  readonly usage?: FakeUsage | null;
  /** Milliseconds between two pieces. */
  readonly paceMs?: number;
}

/** An answer with an error status, in the protocol's own form. */
export interface FakeRefusal {
  readonly status: number;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The whole body instead of the protocol's form. */
  readonly body?: string;
}

/** No answer, not even headers: the connection is closed, or stays open in silence. */
export interface FakeSilence {
  readonly silence: 'hang-up' | 'hang';
}

/** What the server does with one request; a text is an answer with just that text. */
export type FakeStep = string | FakeAnswer | FakeRefusal | FakeSilence;

/** A step, or what makes one of the request. */
export type FakeScriptEntry = FakeStep | ((request: FakeModelRequest) => FakeStep);

/** All that an answer does, in order. */
export function piecesOf(step: FakeAnswer): readonly FakePiece[] {
  const [first, ...others] = step.text ?? [];
  const held: readonly FakePiece[] = step.hold === undefined ? [] : [{ until: step.hold }];
  return [
    ...(step.pieces ?? []),
    ...(step.reasoning === undefined ? [] : [{ reasoning: step.reasoning }]),
    ...(first === undefined ? [] : [first, ...held, ...others]),
    ...(step.calls ?? []).map((one) => ({ call: one })),
    ...(first === undefined ? held : []),
    ...(step.cut ? [{ cut: true } as const] : []),
  ];
}

/** An answer from its pieces. */
export const answer = (...pieces: readonly FakePiece[]): FakeAnswer => ({ pieces });

/** One delta of reasoning. */
export const reasoning = (text: string): FakePiece => ({ reasoning: text });

/** One call; several in one answer are parallel. */
export const call = (
  name: string,
  input: FakeCall['arguments'] = {},
  more: Omit<FakeCall, 'name' | 'arguments'> = {},
): FakePiece => ({ call: { name, arguments: input, ...more } });

export const refusal = (
  status: number,
  message?: string,
  headers?: Readonly<Record<string, string>>,
): FakeRefusal => ({
  status,
  ...(message === undefined ? {} : { message }),
  ...(headers === undefined ? {} : { headers }),
});

/** A place where an answer waits until the test lets it go on. */
export interface FakePause {
  readonly piece: FakePiece;
  release(): void;
}

export function createPause(): FakePause {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { piece: { until: promise }, release: resolve };
}

const WORDS = /\S+\s*/g;

/** What the server does when no script is left: it echoes slowly, and asks for the weather when told so. */
export function defaultStep(request: FakeModelRequest, paceMs: number): FakeStep {
  const { lastUserText, toolNames, toolResults } = request;
  const [result] = toolResults;
  if (result !== undefined) {
    const text = `The tool answered: ${result.text.slice(0, 300)}`;
    return { pieces: text.match(WORDS) ?? [], paceMs };
  }
  if (/weather/i.test(lastUserText) && toolNames.includes('weather_fetch')) {
    const city = /\bin ([\p{L} '-]+)/u.exec(lastUserText)?.[1]?.trim() ?? 'London';
    return {
      pieces: [
        reasoning(`The weather in ${city} has to be looked up.`),
        call('weather_fetch', { city }),
      ],
      paceMs,
    };
  }
  const text = `You said: ${lastUserText}`;
  return { pieces: text.match(WORDS) ?? [], paceMs };
}

/** Waits, but not after the connection is gone. */
export async function waitFor(
  piece: { readonly until: Promise<unknown> } | { readonly delayMs: number },
  gone: AbortSignal,
): Promise<void> {
  if ('until' in piece) {
    await Promise.race([piece.until, aborted(gone)]);
    return;
  }
  await wait(piece.delayMs, undefined, { signal: gone }).catch(() => undefined);
}

/** Resolves when the signal aborts. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
