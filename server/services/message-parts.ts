import type { Transaction } from '../db/client.ts';
import type { MessagePart } from '../events/chat-event.ts';
import type { StepPart } from '../models/model.ts';
import { toMessageParts } from './chat-mapping.ts';

interface DeltaData {
  readonly stepIndex: number;
  readonly text: string;
}

/**
 * What an unfinished message holds so far: the parts of its stored steps, then what its deltas
 * have told of the step that is not stored yet.
 */
export async function readRunningParts(
  transaction: Transaction,
  turn: { readonly id: string; readonly chatId: string; readonly assistantMessageId: string },
): Promise<{ readonly parts: readonly MessagePart[]; readonly unstored: UnstoredStep | null }> {
  const steps = await transaction.step.findMany({
    where: { turnId: turn.id, endedAt: { not: null } },
    orderBy: { index: 'asc' },
    select: { index: true, parts: true },
  });
  const stored = steps.flatMap(({ index, parts }) =>
    toMessageParts(index, parts as unknown as StepPart[]),
  );
  const unstored = await readUnstoredStep(transaction, turn, steps.length);
  const tail = unstored === null ? [] : toMessageParts(unstored.index, unstored.parts);
  return { parts: [...stored, ...tail], unstored };
}

/** A step of which only deltas are stored. */
export interface UnstoredStep {
  readonly index: number;
  readonly parts: readonly StepPart[];
}

async function readUnstoredStep(
  transaction: Transaction,
  turn: { readonly chatId: string; readonly assistantMessageId: string },
  firstIndex: number,
): Promise<UnstoredStep | null> {
  const rows = await transaction.event.findMany({
    where: {
      chatId: turn.chatId,
      type: { in: ['text-delta', 'reasoning-delta'] },
      AND: [
        { data: { path: ['messageId'], equals: turn.assistantMessageId } },
        { data: { path: ['stepIndex'], gte: firstIndex } },
      ],
    },
    orderBy: { sequence: 'asc' },
    select: { type: true, data: true },
  });
  const parts: StepPart[] = [];
  for (const { type, data } of rows) {
    const kind = type === 'text-delta' ? 'text' : 'reasoning';
    const { text } = data as unknown as DeltaData;
    const last = parts.at(-1);
    if (last?.type === kind) parts[parts.length - 1] = { type: kind, text: last.text + text };
    else parts.push({ type: kind, text });
  }
  return parts.length === 0 ? null : { index: firstIndex, parts };
}
