import type { Transaction } from '../db/client.ts';
import { AppError, notFound } from '../errors.ts';
import { createId } from '../id.ts';
import { toEventFile, toFileRecord } from './chat-mapping.ts';
import type { ChatRecord } from './chat-records.ts';
import type { EventCollector } from './event-writer.ts';
import { storableText } from './storable.ts';

/** What the turn answers: a new user message, or one that is stored. */
export type Question =
  | {
      readonly kind: 'new';
      readonly text: string;
      readonly fileIds: readonly string[];
      /** Undefined: the end of the branch that is shown. */
      readonly parentId: string | null | undefined;
    }
  | { readonly kind: 'edit'; readonly messageId: string; readonly text: string }
  | { readonly kind: 'stored'; readonly messageId: string };

/** The id of the user message that the turn answers; stores it when it is new. */
export async function settleQuestion(
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
      originalId: message.originalId ?? message.id,
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
    originalId: null,
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
  message: {
    readonly chatId: string;
    readonly parentId: string | null;
    readonly text: string;
    readonly fileIds: readonly string[];
    /** The message of which this one is a new wording. */
    readonly originalId: string | null;
  },
): Promise<string> {
  const { chatId, parentId, fileIds, originalId } = message;
  const id = createId();
  const text = storableText(message.text);
  await transaction.message.create({
    data: { id, chatId, parentId, role: 'USER', text, originalId },
  });
  await attachFiles(transaction, { chatId, messageId: id, fileIds });
  const files = await transaction.chatFile.findMany({
    where: { chatId, messageId: originalId ?? id },
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

async function attachFiles(
  transaction: Transaction,
  attachment: {
    readonly chatId: string;
    readonly messageId: string;
    readonly fileIds: readonly string[];
  },
): Promise<void> {
  const { chatId, messageId, fileIds } = attachment;
  const attached = await transaction.chatFile.updateMany({
    where: { id: { in: [...fileIds] }, chatId, messageId: null, origin: 'UPLOADED' },
    data: { messageId },
  });
  if (attached.count === new Set(fileIds).size) return;
  throw new AppError(
    'NOT_FOUND',
    'A file of the message is not in this chat, or belongs to an earlier message.',
  );
}
