/** From this many identical calls with identical results the model is warned. */
const WARN_AT = 3;
/** At this many the turn ends. */
export const STOP_AT = 5;

export interface RepeatedCalls {
  /** Counts one call with its result; returns how often exactly that has been seen. */
  count(
    call: { readonly toolName: string; readonly argumentsText: string },
    result: unknown,
  ): number;
}

/** Notices a model that makes the same call and gets the same answer, over and over. */
export function createRepeatedCalls(): RepeatedCalls {
  const counts = new Map<string, number>();
  return {
    count({ toolName, argumentsText }, result) {
      const key = JSON.stringify([toolName, argumentsText, result]);
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return count;
    },
  };
}

/** The result with a warning for the model once the same call has been made too often. */
export function withWarning(
  result: Readonly<Record<string, unknown>>,
  count: number,
): Readonly<Record<string, unknown>> {
  if (count < WARN_AT) return result;
  return {
    ...result,
    system_hint: `You made exactly this call ${count} times with the same result. Do not repeat it: answer with what you have, or try something else.`,
  };
}
