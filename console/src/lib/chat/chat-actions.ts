import { request } from '../api/client.ts';
import { AttachFile, CreateChat, EditMessage, Regenerate, SendMessage } from '../api/documents.ts';

const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Makes a chat and answers with its id. */
export async function createChat(input: {
  readonly modelId: string | null;
  readonly groups: readonly string[];
}): Promise<string> {
  const { createChat: chat } = await request(CreateChat, {
    input: { requestId: crypto.randomUUID(), modelId: input.modelId, groups: [...input.groups] },
  });
  if (chat === null) throw new Error('The server made no chat.');
  return chat.id;
}

/** Puts received uploads into the chat and sends the message with them. */
export async function sendMessage(
  chatId: string,
  message: { readonly text: string; readonly uploadIds: readonly string[] },
): Promise<void> {
  const fileIds: string[] = [];
  for (const uploadId of message.uploadIds) {
    const { uploadFile } = await request(AttachFile, { chatId, uploadId });
    if (uploadFile !== null) fileIds.push(uploadFile.id);
  }
  await request(SendMessage, {
    input: {
      chatId,
      requestId: crypto.randomUUID(),
      text: message.text,
      fileIds,
      timeZone: timeZone(),
    },
  });
}

export const regenerate = (chatId: string, messageId: string): Promise<unknown> =>
  request(Regenerate, {
    input: { chatId, messageId, requestId: crypto.randomUUID(), timeZone: timeZone() },
  });

export const editMessage = (
  chatId: string,
  edit: { readonly messageId: string; readonly text: string },
): Promise<unknown> =>
  request(EditMessage, {
    input: { chatId, ...edit, requestId: crypto.randomUUID(), timeZone: timeZone() },
  });
