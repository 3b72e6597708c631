import type { Transaction } from '../db/client.ts';
import { notFound } from '../errors.ts';
import type { ViewerChatChange } from '../events/chat-event.ts';
import { CHAT_HEAD, toChatRecord } from './chat-mapping.ts';
import type { ChatRecord } from './chat-records.ts';
import type { Viewer } from './viewer.ts';

/** @throws AppError `NOT_FOUND` if the chat is absent or belongs to someone else. */
export async function getOwnedChat(
  transaction: Pick<Transaction, 'chat'>,
  viewer: Pick<Viewer, 'id'>,
  chatId: string,
): Promise<ChatRecord> {
  const chat = await transaction.chat.findFirst({
    where: { id: chatId, ownerId: viewer.id },
    select: CHAT_HEAD,
  });
  if (chat === null) throw notFound('Chat', chatId);
  return toChatRecord(chat);
}

/** The line of the owner's own log that tells of a changed chat. */
export const chatChange = (chat: ChatRecord): ViewerChatChange => ({
  type: 'chat-change',
  chatId: chat.id,
  title: chat.title,
  modelId: chat.modelId,
  pinned: chat.pinned,
  archived: chat.archived,
  busy: chat.busy,
  updatedAt: chat.updatedAt.toISOString(),
});
