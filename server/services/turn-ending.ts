import type { Transaction } from '../db/client.ts';
import type { EndReason, MessagePart } from '../events/chat-event.ts';
import type { StepPart } from '../models/model.ts';
import { CHAT_HEAD, sumUsage, textOfParts, toChatRecord, usageOf } from './chat-mapping.ts';
import type { EventCollector } from './event-writer.ts';
import { readRunningParts } from './message-parts.ts';
import { closeCalls } from './open-calls.ts';
import { chatChange } from './owned-chat.ts';
import { storableJson, storableText } from './storable.ts';

export interface TurnEnding {
  readonly reason: EndReason;
  readonly message: string;
  readonly elapsedMs: number | null;
}

/**
 * Ends a turn inside the caller's transaction, which holds its lease: open cards are taken back,
 * open calls get their one result, the message its whole text, and the log the lines that say so.
 */
export async function endTurn(
  transaction: Transaction,
  events: EventCollector,
  end: { readonly turnId: string; readonly ending: TurnEnding },
): Promise<void> {
  const { ending, turnId } = end;
  const turn = await transaction.turn.findUniqueOrThrow({ where: { id: turnId } });
  await closeRequests(transaction, events, turn);
  const isInterrupted = ending.reason === 'INTERRUPTED' || ending.reason === 'FAILED';
  await closeCalls(transaction, events, {
    where: { turnId },
    status: isInterrupted ? 'INTERRUPTED' : 'CANCELLED',
  });

  const { parts, unstored } = await readRunningParts(transaction, turn);
  if (unstored !== null) await keepUnstoredStep(transaction, turn, unstored);
  const text = textOfParts(parts);
  await transaction.message.update({
    where: { id: turn.assistantMessageId },
    data: { text: storableText(text), parts: storableJson(parts) as object[] },
  });
  await transaction.turn.update({
    where: { id: turnId },
    data: {
      status: 'ENDED',
      endReason: ending.reason,
      endMessage: storableText(ending.message),
      endedAt: new Date(),
      leaseOwner: null,
      leaseExpiresAt: null,
      ...(ending.elapsedMs === null ? {} : { elapsedMs: Math.round(ending.elapsedMs) }),
    },
  });
  await tellEnd(transaction, events, { turn, ending, text, parts });
}

interface TurnRow {
  readonly id: string;
  readonly chatId: string;
  readonly assistantMessageId: string;
  readonly modelId: string;
}

async function tellEnd(
  transaction: Transaction,
  events: EventCollector,
  told: { turn: TurnRow; ending: TurnEnding; text: string; parts: readonly MessagePart[] },
): Promise<void> {
  const { turn, ending, text, parts } = told;
  const steps = await transaction.step.findMany({ where: { turnId: turn.id } });
  events.chat(turn.chatId, {
    type: 'message-end',
    turnId: turn.id,
    messageId: turn.assistantMessageId,
    text,
    parts,
  });
  events.chat(turn.chatId, {
    type: 'turn-end',
    turnId: turn.id,
    messageId: turn.assistantMessageId,
    reason: ending.reason,
    message: ending.message,
    usage: sumUsage(steps.map(usageOf)),
  });
  const chat = await transaction.chat.update({
    where: { id: turn.chatId },
    data: { updatedAt: new Date() },
    select: CHAT_HEAD,
  });
  events.viewer(chat.ownerId, chatChange({ ...toChatRecord(chat), busy: false }));
}

async function closeRequests(
  transaction: Transaction,
  events: EventCollector,
  turn: TurnRow,
): Promise<void> {
  const open = await transaction.activationRequest.findMany({
    where: { turnId: turn.id, status: 'OPEN' },
  });
  for (const request of open) {
    await transaction.activationRequest.update({
      where: { id: request.id },
      data: { status: 'CANCELLED', answeredAt: new Date() },
    });
    events.chat(turn.chatId, {
      type: 'activation-response',
      requestId: request.id,
      turnId: turn.id,
      group: request.group,
      answer: 'CANCELLED',
    });
  }
}

/** After a crash only deltas tell of the last step; without a row of its own the next turn would forget it. */
async function keepUnstoredStep(
  transaction: Transaction,
  turn: TurnRow,
  step: { readonly index: number; readonly parts: readonly StepPart[] },
): Promise<void> {
  const data = {
    modelId: turn.modelId,
    protocol: '',
    family: '',
    parts: storableJson(step.parts) as object[],
    endedAt: new Date(),
  };
  await transaction.step.upsert({
    where: { turnId_index: { turnId: turn.id, index: step.index } },
    create: { turnId: turn.id, index: step.index, ...data },
    update: data,
  });
}
