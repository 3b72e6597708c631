import type { FakeCall, FakeFinish, FakeUsage } from './fake-model-server-script.ts';

/** Writes the events of one answer in a protocol's form; each text is one write to the socket. */
export interface AnswerFrames {
  begin(): readonly string[];
  text(delta: string): readonly string[];
  reasoning(delta: string): readonly string[];
  call(call: FakeCall): readonly string[];
  error(error: { readonly type: string; readonly message: string }): readonly string[];
  end(finish: FakeFinish, usage: FakeUsage | null): readonly string[];
}

export const DEFAULT_USAGE: FakeUsage = { input: 120, output: 30 };

let callCount = 0;

/** A fresh id, as the provider would make it. */
export const freshCallId = (prefix: string): string =>
  `${prefix}${(callCount += 1).toString().padStart(12, '0')}`;

export const argumentsTextOf = (input: FakeCall['arguments']): string =>
  typeof input === 'string' ? input : JSON.stringify(input ?? {});

/** Cuts by UTF-16 units, so that a pair may come in two halves, as real servers send it. */
export function cutArguments({ arguments: input, pieceSizes = [7] }: FakeCall): readonly string[] {
  const text = argumentsTextOf(input);
  const pieces: string[] = [];
  for (let start = 0, index = 0; start < text.length; index += 1) {
    const size = pieceSizes[Math.min(index, pieceSizes.length - 1)] ?? 7;
    pieces.push(text.slice(start, start + size));
    start += Math.max(size, 0);
    if (size <= 0 && index >= pieceSizes.length - 1) break;
  }
  return pieces;
}
