import { isTimeZone } from '../agent/prompt.ts';
import type { Database, Transaction } from '../db/client.ts';
import { AppError, notFound } from '../errors.ts';
import { createId } from '../id.ts';
import type { ToolExecutor } from '../executor/tool-call.ts';
import type { ModelCatalogue } from '../models/model.ts';
import {
  CHAT_HEAD,
  toChatRecord,
  toEventFile,
  toFileRecord,
  toTurnRecord,
  WITH_STEPS,
} from './chat-mapping.ts';
import type { ChatRecord, TurnRecord } from './chat-records.ts';
import { isUniqueViolation } from './database-errors.ts';
import type { EventCollector, EventWriter } from './event-writer.ts';
import { chatChange, getOwnedChat } from './owned-chat.ts';
import type { TurnService } from './services.ts';
import { storableText } from './storable.ts';
import { LEASE_SECONDS } from './turn-lease.ts';
import type { TurnRunner } from './turn-runner.ts';
import { provisionalTitle } from './titles.ts';
import type { Viewer } from './viewer.ts';

export interface TurnServiceDependencies {
  readonly database: Database;
  readonly events: EventWriter;
  readonly runner: TurnRunner;
  readonly executor: ToolExecutor;
  readonly catalogue: ModelCatalogue;
  readonly leaseOwner: string;
}

const MAX_TEXT_CHARACTERS = 1_000_000;

/** What the turn answers: a new user message, or one that is stored. */
type Question =
  | {
      readonly kind: 'new';
      readonly text: string;
      readonly fileIds: readonly string[];
      /** Undefined: the end of the branch that is shown. */
      readonly parentId: string | null | undefined;
    }
  | { readonly kind: 'edit'; readonly messageId: string; readonly text: string }
  | { readonly kind: 'stored'; readonly messageId: string };

interface TurnRequest {
  readonly requestId: string;
  readonly timeZone: string | null;
  readonly modelId: string | null;
  readonly question: Question;
}

export function createTurnService(dependencies: TurnServiceDependencies): TurnService {
  const { database, events, executor, runner } = dependencies;

  async function begin(viewer: Viewer, chatId: string, request: TurnRequest): Promise<TurnRecord> {
    checkRequest(request);
    try {
      const turn = await events.transact(async (transaction, collected) => {
        const chat = await getOwnedChat(transaction, viewer, chatId);
        const earlier = await findTurn(transaction, { chatId, requestId: request.requestId });
        if (earlier !== null) return { record: earlier, isNew: false };
        const record = await storeTurn(transaction, collected, { chat, request, dependencies });
        return { record, isNew: true };
      });
      if (turn.isNew) runner.start(turn.record.id);
      return turn.record;
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      return resolveConflict(chatId, request.requestId);
    }
  }

  /** Two requests at once: the same one gets the same turn, another one is told what is in the way. */
  async function resolveConflict(chatId: string, requestId: string): Promise<TurnRecord> {
    const same = await findTurn(database.client, { chatId, requestId });
    if (same !== null) return same;
    const open = await database.client.turn.findFirst({
      where: { chatId, status: { not: 'ENDED' } },
      select: { id: true },
    });
    throw busy(open?.id ?? '');
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

const busy = (turnId: string): AppError =>
  new AppError(
    'CONFLICT',
    `The chat is still answering in turn ${turnId}; stop it or wait for it.`,
    {
      details: { turnId },
    },
  );

function checkRequest({ requestId, timeZone, question }: TurnRequest): void {
  if (requestId === '' || requestId.length > 100) {
    throw new AppError('BAD_INPUT', 'requestId must have 1 to 100 characters.');
  }
  if (timeZone !== null && !isTimeZone(timeZone)) {
    throw new AppError(
      'BAD_INPUT',
      `timeZone is ${JSON.stringify(timeZone.slice(0, 60))}, but must be an IANA zone such as Europe/Berlin.`,
    );
  }
  if (question.kind === 'stored') return;
  const hasFiles = question.kind === 'new' && question.fileIds.length > 0;
  if (question.text.trim() === '' && !hasFiles) {
    throw new AppError('BAD_INPUT', 'The message is empty: write something or attach a file.');
  }
  if (question.text.length > MAX_TEXT_CHARACTERS) {
    throw new AppError(
      'BAD_INPUT',
      `The message has ${question.text.length} characters; at most ${MAX_TEXT_CHARACTERS} are possible. Attach it as a file instead.`,
    );
  }
}

async function findTurn(
  transaction: Pick<Transaction, 'turn'>,
  key: { readonly chatId: string; readonly requestId: string },
): Promise<TurnRecord | null> {
  const turn = await transaction.turn.findUnique({
    where: { chatId_requestId: key },
    include: WITH_STEPS,
  });
  return turn === null ? null : toTurnRecord(turn);
}

async function storeTurn(
  transaction: Transaction,
  events: EventCollector,
  start: { chat: ChatRecord; request: TurnRequest; dependencies: TurnServiceDependencies },
): Promise<TurnRecord> {
  const { chat, request, dependencies } = start;
  const open = await transaction.turn.findFirst({
    where: { chatId: chat.id, status: { not: 'ENDED' } },
  });
  if (open !== null) throw busy(open.id);
  const modelId = request.modelId ?? chat.modelId;
  dependencies.catalogue.adapter(modelId);

  const userMessageId = await settleQuestion(transaction, events, {
    chat,
    question: request.question,
  });
  const assistantMessageId = createId();
  await transaction.message.create({
    data: {
      id: assistantMessageId,
      chatId: chat.id,
      parentId: userMessageId,
      role: 'ASSISTANT',
      text: '',
    },
  });
  const turn = await transaction.turn.create({
    data: {
      id: createId(),
      chatId: chat.id,
      requestId: request.requestId,
      userMessageId,
      assistantMessageId,
      modelId,
      timeZone: request.timeZone,
      leaseOwner: dependencies.leaseOwner,
    },
    include: WITH_STEPS,
  });
  await transaction.$executeRaw`
    UPDATE "Turn" SET "leaseExpiresAt" = now() + make_interval(secs => ${LEASE_SECONDS})
    WHERE "id" = ${turn.id}`;
  await updateChat(transaction, events, { chat, assistantMessageId, userMessageId });
  events.chat(chat.id, {
    type: 'turn-start',
    turnId: turn.id,
    userMessageId,
    assistantMessageId,
    modelId,
  });
  return toTurnRecord(turn);
}

async function updateChat(
  transaction: Transaction,
  events: EventCollector,
  change: { chat: ChatRecord; assistantMessageId: string; userMessageId: string },
): Promise<void> {
  const { chat, assistantMessageId, userMessageId } = change;
  const isUntitled = chat.title === '';
  const message = isUntitled
    ? await transaction.message.findUniqueOrThrow({ where: { id: userMessageId } })
    : null;
  const title = message === null ? chat.title : provisionalTitle(message.text);
  const updated = await transaction.chat.update({
    where: { id: chat.id },
    data: { activeLeafId: assistantMessageId, title, updatedAt: new Date(), archived: false },
    select: CHAT_HEAD,
  });
  events.chat(chat.id, {
    type: 'chat-update',
    activeLeafId: assistantMessageId,
    ...(isUntitled ? { title } : {}),
    ...(chat.archived ? { archived: false } : {}),
  });
  events.viewer(chat.ownerId, chatChange({ ...toChatRecord(updated), busy: true }));
}

/** The id of the user message that the turn answers; stores it when it is new. */
async function settleQuestion(
  transaction: Transaction,
  events: EventCollector,
  { chat, question }: { chat: ChatRecord; question: Question },
): Promise<string> {
  if (question.kind === 'stored') {
    const message = await getMessage(transaction, chat.id, question.messageId);
    if (message.role === 'USER') return message.id;
    if (message.parentId === null) throw notFound('Message', question.messageId);
    return message.parentId;
  }
  if (question.kind === 'edit') {
    const message = await getMessage(transaction, chat.id, question.messageId);
    if (message.role !== 'USER') {
      throw new AppError('BAD_INPUT', 'Only messages of a person can be edited.');
    }
    return storeMessage(transaction, events, {
      chatId: chat.id,
      parentId: message.parentId,
      text: question.text,
      fileIds: [],
    });
  }
  const parentId = question.parentId === undefined ? chat.activeLeafId : question.parentId;
  if (parentId !== null) {
    const parent = await getMessage(transaction, chat.id, parentId);
    if (parent.role !== 'ASSISTANT') {
      throw new AppError(
        'BAD_INPUT',
        `Message ${parentId} is no answer, so nothing can follow it.`,
      );
    }
  }
  return storeMessage(transaction, events, {
    chatId: chat.id,
    parentId,
    text: question.text,
    fileIds: question.fileIds,
  });
}

async function getMessage(transaction: Transaction, chatId: string, messageId: string) {
  const message = await transaction.message.findFirst({ where: { id: messageId, chatId } });
  if (message === null) throw notFound('Message', messageId);
  return message;
}

async function storeMessage(
  transaction: Transaction,
  events: EventCollector,
  message: { chatId: string; parentId: string | null; text: string; fileIds: readonly string[] },
): Promise<string> {
  const { chatId, parentId, fileIds } = message;
  const id = createId();
  const text = storableText(message.text);
  await transaction.message.create({ data: { id, chatId, parentId, role: 'USER', text } });
  const attached = await transaction.chatFile.updateMany({
    where: { id: { in: [...fileIds] }, chatId, messageId: null, origin: 'UPLOADED' },
    data: { messageId: id },
  });
  if (attached.count !== new Set(fileIds).size) {
    throw new AppError(
      'NOT_FOUND',
      'A file of the message is not in this chat, or belongs to an earlier message.',
    );
  }
  const files = await transaction.chatFile.findMany({
    where: { messageId: id },
    orderBy: { id: 'asc' },
  });
  events.chat(chatId, {
    type: 'message-start',
    messageId: id,
    parentId,
    text,
    files: files.map((file) => toEventFile(toFileRecord(file))),
  });
  return id;
}
