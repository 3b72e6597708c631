import type { Database } from '../db/client.ts';
import { notFound } from '../errors.ts';
import type { ToolExecutor } from '../executor/tool-call.ts';
import type { ModelCatalogue } from '../models/model.ts';
import { toTurnRecord, WITH_STEPS } from './chat-mapping.ts';
import type { TurnRecord } from './chat-records.ts';
import { isUniqueViolation } from './database-errors.ts';
import type { EventWriter } from './event-writer.ts';
import { getOwnedChat } from './owned-chat.ts';
import type { TurnService } from './services.ts';
import type { TurnRunner } from './turn-runner.ts';
import { busy, checkRequest, findTurn, storeTurn, type TurnRequest } from './turn-start.ts';
import type { Viewer } from './viewer.ts';

export interface TurnServiceDependencies {
  readonly database: Database;
  readonly events: EventWriter;
  readonly runner: TurnRunner;
  readonly executor: ToolExecutor;
  readonly catalogue: ModelCatalogue;
  readonly leaseOwner: string;
}

export function createTurnService(dependencies: TurnServiceDependencies): TurnService {
  const { database, events, executor, runner, catalogue, leaseOwner } = dependencies;

  async function begin(viewer: Viewer, chatId: string, request: TurnRequest): Promise<TurnRecord> {
    checkRequest(request);
    try {
      const turn = await events.transact(async (transaction, collected) => {
        const chat = await getOwnedChat(transaction, viewer, chatId);
        const earlier = await findTurn(transaction, { chatId, requestId: request.requestId });
        if (earlier !== null) return { record: earlier, isNew: false };
        const record = await storeTurn(transaction, collected, {
          chat,
          request,
          catalogue,
          leaseOwner,
        });
        return { record, isNew: true };
      });
      if (turn.isNew) runner.start(turn.record.id);
      return turn.record;
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      return resolveConflict(viewer, chatId, request);
    }
  }

  /** Two requests at once: the same one gets the same turn, another one is told what is in the way. */
  async function resolveConflict(
    viewer: Viewer,
    chatId: string,
    request: TurnRequest,
  ): Promise<TurnRecord> {
    const same = await findTurn(database.client, { chatId, requestId: request.requestId });
    if (same !== null) return same;
    const open = await database.client.turn.findFirst({
      where: { chatId, status: { not: 'ENDED' } },
      select: { id: true },
    });
    // What was in the way may have ended since.
    if (open === null) return begin(viewer, chatId, request);
    throw busy(open.id);
  }

  async function getOwnedTurn(viewer: Viewer, turnId: string): Promise<TurnRecord> {
    const turn = await database.client.turn.findFirst({
      where: { id: turnId, chat: { ownerId: viewer.id } },
      include: WITH_STEPS,
    });
    if (turn === null) throw notFound('Turn', turnId);
    return toTurnRecord(turn);
  }

  return {
    sendMessage: (viewer, chatId, input) =>
      begin(viewer, chatId, {
        requestId: input.requestId,
        timeZone: input.timeZone ?? null,
        modelId: null,
        question: {
          kind: 'new',
          text: input.text,
          fileIds: input.fileIds ?? [],
          parentId: input.parentId ?? undefined,
        },
      }),
    regenerate: (viewer, chatId, input) =>
      begin(viewer, chatId, {
        requestId: input.requestId,
        timeZone: input.timeZone ?? null,
        modelId: input.modelId ?? null,
        question: { kind: 'stored', messageId: input.messageId },
      }),
    editMessage: (viewer, chatId, input) =>
      begin(viewer, chatId, {
        requestId: input.requestId,
        timeZone: input.timeZone ?? null,
        modelId: null,
        question: { kind: 'edit', messageId: input.messageId, text: input.text },
      }),
    get: getOwnedTurn,

    async cancel(viewer, turnId) {
      await getOwnedTurn(viewer, turnId);
      await runner.cancel(turnId);
      return getOwnedTurn(viewer, turnId);
    },

    async cancelToolCall(viewer, chatId, callId) {
      await getOwnedChat(database.client, viewer, chatId);
      return executor.cancel(chatId, callId);
    },

    runningCount: () => runner.runningCount(),
  };
}
