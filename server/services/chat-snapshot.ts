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
      const rows = await readRows(transaction, chatId);
      const { turns, files } = rows;
      const running = turns.find(({ status }) => status !== 'ENDED') ?? null;
      const open =
        running === null
          ? null
          : {
              turnId: running.id,
              parts: (await readRunningParts(transaction, running)).parts,
              progress: await readProgress(transaction, chatId),
            };
      return {
        chat: toChatRecord(chat),
        activeGroups: rows.activations.map(({ group }) => group),
        messages: toMessageRecords(rows, open, viewer),
        files: files.map(toFileRecord),
        runningTurn: running === null ? null : toTurnRecord(running),
        openActivationRequests: rows.requests.map(toActivationRecord),
      };
    },
    { isolationLevel: 'RepeatableRead' },
  );
}

type Rows = Awaited<ReturnType<typeof readRows>>;

/** What is known of the turn that has not ended. */
interface OpenTurn {
  readonly turnId: string;
  readonly parts: readonly MessagePart[];
  readonly progress: ReadonlyMap<string, CallProgress>;
}

/** One read after the other: they share the connection of the transaction. */
async function readRows(transaction: Transaction, chatId: string) {
  return {
    messages: await transaction.message.findMany({ where: { chatId }, orderBy: { id: 'asc' } }),
    turns: await transaction.turn.findMany({ where: { chatId }, include: WITH_STEPS }),
    calls: await transaction.toolCall.findMany({
      where: { chatId, turnId: { not: null } },
      orderBy: [{ stepIndex: 'asc' }, { position: 'asc' }],
      include: { files: true },
    }),
    files: await transaction.chatFile.findMany({ where: { chatId }, orderBy: { id: 'asc' } }),
    activations: await transaction.toolActivation.findMany({
      where: { chatId },
      orderBy: { group: 'asc' },
    }),
    requests: await transaction.activationRequest.findMany({
      where: { chatId, status: 'OPEN' },
      include: { toolCalls: { select: { callId: true } } },
    }),
  };
}

function toMessageRecords(
  { messages, turns, calls, files }: Rows,
  open: OpenTurn | null,
  viewer: Viewer,
): readonly MessageRecord[] {
  const turnOf = new Map(turns.map((turn) => [turn.assistantMessageId, turn]));
  const filesOf = Map.groupBy(files.map(toFileRecord), ({ messageId }) => messageId);
  const callsOf = Map.groupBy(
    calls.map((call) => toToolCallRecord(call, viewer, open?.progress.get(call.callId) ?? null)),
    ({ turnId }) => turnId,
  );
  return messages.map((message) => {
    const turn = turnOf.get(message.id) ?? null;
    const isRunning = open !== null && turn?.id === open.turnId;
    return {
      id: message.id,
      chatId: message.chatId,
      parentId: message.parentId,
      role: message.role,
      text: message.text,
      parts: isRunning ? open.parts : (message.parts as unknown as MessagePart[]),
      createdAt: message.createdAt,
      files: filesOf.get(holderOfFiles(message)) ?? [],
      toolCalls: turn === null ? [] : (callsOf.get(turn.id) ?? []),
      turn: turn === null ? null : toTurnRecord(turn),
    };
  });
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
