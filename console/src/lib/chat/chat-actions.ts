import { request } from '../api/client.ts';
import { AttachFile, CreateChat, EditMessage, Regenerate, SendMessage } from '../api/documents.ts';
import { createRequestId } from '../api/request-id.ts';
import type { PendingUpload } from './pending-uploads.svelte.ts';

/** A message on its way. Trying again with the same number can send it once at most. */
export interface OutgoingMessage {
  readonly requestId: string;
  readonly text: string;
  readonly uploads: readonly PendingUpload[];
}

const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Makes a chat and answers with its id. */
export async function createChat(input: {
  readonly requestId: string;
  readonly modelId: string | null;
  readonly groups: readonly string[];
}): Promise<string> {
  const { createChat: chat } = await request(CreateChat, {
    input: { ...input, groups: [...input.groups] },
  });
  if (chat === null) throw new Error('The server made no chat.');
  return chat.id;
}

/** Puts received uploads into the chat and sends the message with them. */
export async function sendMessage(
  chatId: string,
  { requestId, text, uploads }: OutgoingMessage,
): Promise<void> {
  for (const upload of uploads) {
    if (upload.fileId !== null || upload.uploadId === null) continue;
    const { uploadFile } = await request(AttachFile, { chatId, uploadId: upload.uploadId });
    upload.fileId = uploadFile?.id ?? null;
  }
  const fileIds = uploads.flatMap(({ fileId }) => fileId ?? []);
  await request(SendMessage, {
    input: { chatId, requestId, text, fileIds, timeZone: timeZone() },
  });
}

export const regenerate = (chatId: string, messageId: string): Promise<unknown> =>
  request(Regenerate, {
    input: { chatId, messageId, requestId: createRequestId(), timeZone: timeZone() },
  });

export const editMessage = (
  chatId: string,
  edit: { readonly messageId: string; readonly text: string },
): Promise<unknown> =>
  request(EditMessage, {
    input: { chatId, ...edit, requestId: createRequestId(), timeZone: timeZone() },
  });
