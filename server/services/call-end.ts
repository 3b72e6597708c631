import type { Transaction } from '../db/client.ts';
import type { CallOutcome } from '../executor/tool-call.ts';
import { toEventFile, toFileRecord } from './chat-mapping.ts';
import type { EventCollector } from './event-writer.ts';
import { storableJson, storableText } from './storable.ts';

/** Stores the one result of a call with the line that tells of it; does nothing when it has one already. */
export async function storeCallEnd(
  transaction: Transaction,
  events: EventCollector,
  end: { readonly chatId: string; readonly turnId: string | null; readonly outcome: CallOutcome },
): Promise<void> {
  const { chatId, turnId, outcome } = end;
  const { result, status } = outcome;
  const code = result.status === 'error' ? result.code : null;
  const message = result.status === 'success' ? null : result.message;
  // When it ended, not when that is stored: the row and the event tell the same.
  const endedAt = new Date((outcome.startedAt?.getTime() ?? Date.now()) + outcome.elapsedMs);
  const stored = await transaction.toolCall.updateMany({
    where: { chatId, callId: outcome.callId, status: { in: ['RUNNING', 'WAITING'] } },
    data: {
      status,
      code,
      message: message === null ? null : storableText(message),
      result: storableJson(outcome.modelResult) as object,
      ...(outcome.arguments === null
        ? {}
        : { arguments: storableJson(outcome.arguments) as object }),
      outputCharacters: outcome.outputCharacters,
      startedAt: outcome.startedAt,
      endedAt,
    },
  });
  if (stored.count === 0) return;
  const call = await transaction.toolCall.findUniqueOrThrow({
    where: { chatId_callId: { chatId, callId: outcome.callId } },
    include: { files: true },
  });
  events.chat(chatId, {
    type: 'tool-call-end',
    turnId,
    callId: outcome.callId,
    toolName: call.toolName,
    status,
    code,
    message,
    result: outcome.modelResult,
    queuedMs: (call.startedAt ?? call.queuedAt).getTime() - call.queuedAt.getTime(),
    elapsedMs: endedAt.getTime() - (call.startedAt ?? call.queuedAt).getTime(),
    outputCharacters: outcome.outputCharacters,
    files: call.files.map((file) => toEventFile(toFileRecord(file))),
  });
}
