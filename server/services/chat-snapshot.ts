import type { Database, Transaction } from '../db/client.ts';
import { notFound } from '../errors.ts';
import type { MessagePart, ToolCallProgress } from '../events/chat-event.ts';
import {
  CHAT_HEAD,
  holderOfFiles,
  toActivationRecord,
  toChatRecord,
  toFileRecord,
  toToolCallRecord,
  toTurnRecord,
  WITH_STEPS,
} from './chat-mapping.ts';
import type { CallProgress, ChatSnapshot, MessageRecord } from './chat-records.ts';
import { readRunningParts } from './message-parts.ts';
import type { Viewer } from './viewer.ts';

/**
 * Reads a whole chat from one database snapshot: whoever then follows the events after
 * `chat.lastSequence` misses nothing and sees nothing twice.
 */
export async function readChatSnapshot(
  database: Database,
  viewer: Viewer,
  chatId: string,
): Promise<ChatSnapshot> {
  return database.client.$transaction(
    async (transaction) => {
      const chat = await transaction.chat.findFirst({
        where: { id: chatId, ownerId: viewer.id },
        select: CHAT_HEAD,
      });
      if (chat === null) throw notFound('Chat', chatId);
      const [messages, turns, calls, files, activations, requests] = [
        await transaction.message.findMany({ where: { chatId }, orderBy: { id: 'asc' } }),
        await transaction.turn.findMany({ where: { chatId }, include: WITH_STEPS }),
        await transaction.toolCall.findMany({
          where: { chatId, turnId: { not: null } },
          orderBy: [{ stepIndex: 'asc' }, { position: 'asc' }],
          include: { files: true },
        }),
        await transaction.chatFile.findMany({ where: { chatId }, orderBy: { id: 'asc' } }),
        await transaction.toolActivation.findMany({ where: { chatId }, orderBy: { group: 'asc' } }),
        await transaction.activationRequest.findMany({
          where: { chatId, status: 'OPEN' },
          include: { toolCalls: { select: { callId: true } } },
        }),
      ];
      const running = turns.find(({ status }) => status !== 'ENDED') ?? null;
      const runningParts =
        running === null ? [] : (await readRunningParts(transaction, running)).parts;

      const turnOf = new Map(turns.map((turn) => [turn.assistantMessageId, turn]));
      const filesOf = Map.groupBy(files.map(toFileRecord), ({ messageId }) => messageId);
      const progress =
        running === null
          ? new Map<string, CallProgress>()
          : await readProgress(transaction, chatId);
      const callsOf = Map.groupBy(
        calls.map((call) => toToolCallRecord(call, viewer, progress.get(call.callId) ?? null)),
        ({ turnId }) => turnId,
      );
      return {
        chat: toChatRecord(chat),
        activeGroups: activations.map(({ group }) => group),
        messages: messages.map((message): MessageRecord => {
          const turn = turnOf.get(message.id) ?? null;
          const isRunning = running !== null && turn?.id === running.id;
          return {
            id: message.id,
            chatId,
            parentId: message.parentId,
            role: message.role,
            text: message.text,
            parts: isRunning ? runningParts : (message.parts as unknown as MessagePart[]),
            createdAt: message.createdAt,
            files: filesOf.get(holderOfFiles(message)) ?? [],
            toolCalls: turn === null ? [] : (callsOf.get(turn.id) ?? []),
            turn: turn === null ? null : toTurnRecord(turn),
          };
        }),
        files: files.map(toFileRecord),
        runningTurn: running === null ? null : toTurnRecord(running),
        openActivationRequests: requests.map(toActivationRecord),
      };
    },
    { isolationLevel: 'RepeatableRead' },
  );
}

/** The last progress of each open call; that of ended ones is not kept. */
async function readProgress(
  transaction: Transaction,
  chatId: string,
): Promise<ReadonlyMap<string, CallProgress>> {
  const rows = await transaction.event.findMany({
    where: { chatId, type: 'tool-call-progress' },
    orderBy: { sequence: 'asc' },
    select: { data: true },
  });
  const events = rows.map(({ data }) => data as unknown as ToolCallProgress);
  return new Map(events.map((event) => [event.callId, event]));
}
