import { createId } from '../id.ts';
import type { StepPart } from '../models/model.ts';

/** What every model protocol takes as the id of a call. */
const SAFE_ID = /^[a-zA-Z0-9_-]{1,40}$/;

const mintCallId = (): string => `call_${createId().replaceAll('-', '')}`;

/**
 * Gives each call an id that is unique in its chat and that every protocol takes.
 *
 * @param usedIds - which of the step's ids the chat has already.
 * @returns the parts, and whether every id is as the model sent it.
 */
export function settleCallIds(
  parts: readonly StepPart[],
  usedIds: ReadonlySet<string>,
): { readonly parts: readonly StepPart[]; readonly areUnchanged: boolean } {
  const taken = new Set(usedIds);
  let areUnchanged = true;
  const settled = parts.map((part): StepPart => {
    if (part.type !== 'tool-call') return part;
    const isFree = SAFE_ID.test(part.callId) && !taken.has(part.callId);
    const callId = isFree ? part.callId : mintCallId();
    areUnchanged &&= isFree;
    taken.add(callId);
    return { ...part, callId };
  });
  return { parts: settled, areUnchanged };
}
