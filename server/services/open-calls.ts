import type { Prisma, Transaction } from '../db/client.ts';
import { failed, toModelResult } from '../tools/kit/tool-result.ts';
import type { EventCollector } from './event-writer.ts';

const CLOSINGS = {
  CANCELLED:
    'The turn was stopped before the call had a result; whether it had an effect is unknown.',
  INTERRUPTED: 'The server stopped during the call; whether it had an effect is unknown.',
} as const;

/** Gives every selected call that is still open its one result, and tells of it. */
export async function closeCalls(
  transaction: Transaction,
  events: EventCollector,
  closing: {
    readonly where: Prisma.ToolCallWhereInput;
    readonly status: keyof typeof CLOSINGS;
  },
): Promise<void> {
  const { where, status } = closing;
  const message = CLOSINGS[status];
  const result = toModelResult(failed(status, message));
  const open = await transaction.toolCall.findMany({
    where: { ...where, status: { in: ['RUNNING', 'WAITING'] } },
    orderBy: [{ stepIndex: 'asc' }, { position: 'asc' }],
  });
  for (const call of open) {
    const endedAt = new Date();
    const { count } = await transaction.toolCall.updateMany({
      where: { id: call.id, status: { in: ['RUNNING', 'WAITING'] } },
      data: { status, code: status, message, result: result as object, endedAt },
    });
    if (count === 0) continue; // somebody else was faster
    events.chat(call.chatId, {
      type: 'tool-call-end',
      turnId: call.turnId,
      callId: call.callId,
      toolName: call.toolName,
      status,
      code: status,
      message,
      result,
      queuedMs: 0,
      elapsedMs: endedAt.getTime() - (call.startedAt ?? call.queuedAt).getTime(),
      outputCharacters: 0,
      files: [],
    });
  }
}
