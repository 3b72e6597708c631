import type { Config } from '../config.ts';
import type { Database, Transaction } from '../db/client.ts';
import { AppError, notFound } from '../errors.ts';
import { createId } from '../id.ts';
import { toEventFile, toFileRecord } from './chat-mapping.ts';
import type { FileRecord } from './chat-records.ts';
import { UPLOADS_FOLDER, type ChatFolder } from './chat-folder.ts';
import type { EventCollector, EventWriter } from './event-writer.ts';
import { checkLabel, extensionOf, freeLabel } from './file-label.ts';
import { getOwnedChat } from './owned-chat.ts';
import type { FileService } from './services.ts';
import type { Viewer } from './viewer.ts';

export interface FileServiceDependencies {
  readonly database: Database;
  readonly events: EventWriter;
  readonly folder: ChatFolder;
  readonly config: Pick<Config, 'uploadMaxBytes' | 'chatMaxBytes'>;
}

export interface Files extends FileService {
  /** Keeps what a tool made as a file of the chat. */
  createGenerated(
    chatId: string,
    file: {
      readonly label: string;
      readonly mimeType: string;
      readonly content: string | Uint8Array;
      readonly callId: string | null;
    },
  ): Promise<FileRecord>;
  listOfChat(chatId: string): Promise<readonly FileRecord[]>;
  locateLabel(
    chatId: string,
    label: string,
  ): Promise<(FileRecord & { readonly path: string }) | null>;
  /** Forgets uploads older than a day that were never attached. */
  removeStaleUploads(now: Date): Promise<void>;
}

const MIME_TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,80}$/;
const UPLOAD_LIFETIME_MS = 86_400_000;

export function createFileService(dependencies: FileServiceDependencies): Files {
  const { database, events, folder, config } = dependencies;

  return {
    async receive(viewer, upload) {
      const label = checkLabel(upload.label);
      const place = { folder: UPLOADS_FOLDER, extension: extensionOf(label) };
      const { storedName, bytes } = await folder.write(place, upload.body, config.uploadMaxBytes);
      const mimeType = MIME_TYPE.test(upload.mimeType)
        ? upload.mimeType
        : 'application/octet-stream';
      const row = { id: createId(), ownerId: viewer.id, label, storedName, mimeType, bytes };
      try {
        await database.client.upload.create({ data: row });
      } catch (error) {
        await folder.discard(UPLOADS_FOLDER, storedName);
        throw error;
      }
      return { id: row.id, label, mimeType, bytes };
    },

    async attach(viewer, chatId, uploadId) {
      let moved: string | null = null;
      try {
        return await events.transact(async (transaction, collected) => {
          await getOwnedChat(transaction, viewer, chatId);
          const upload = await takeUpload(transaction, viewer, uploadId);
          const { label, storedName, mimeType, bytes } = upload;
          const file = await addFile(transaction, collected, {
            chatId,
            maxBytes: config.chatMaxBytes,
            row: { origin: 'UPLOADED', label, storedName, mimeType, bytes },
          });
          if (moved === null) await folder.move(storedName, UPLOADS_FOLDER, chatId);
          moved = storedName;
          return file;
        });
      } catch (error) {
        // The upload is there still, and can be attached again.
        if (moved !== null) await folder.move(moved, chatId, UPLOADS_FOLDER);
        throw error;
      }
    },

    async delete(viewer, fileId) {
      await events.transact(async (transaction, collected) => {
        const file = await transaction.chatFile.findFirst({
          where: { id: fileId, chat: { ownerId: viewer.id } },
        });
        if (file === null) throw notFound('File', fileId);
        await transaction.chatFile.delete({ where: { id: fileId } });
        await folder.planRemoval(transaction, file.chatId, file.storedName);
        await tellFiles(transaction, collected, file.chatId);
      });
      folder.removePlanned();
    },

    async locate(viewer, chatId, storedName) {
      const file = await database.client.chatFile.findFirst({
        where: { chatId, storedName, chat: { ownerId: viewer.id } },
      });
      if (file === null) throw notFound('File', storedName);
      return { ...toFileRecord(file), path: folder.pathOf(chatId, file.storedName) };
    },

    async createGenerated(chatId, file) {
      const label = checkLabel(file.label);
      const content = typeof file.content === 'string' ? Buffer.from(file.content) : file.content;
      const place = { folder: chatId, extension: extensionOf(label) };
      const { storedName, bytes } = await folder.write(
        place,
        oneChunk(content),
        config.uploadMaxBytes,
      );
      const row = {
        origin: 'GENERATED',
        label,
        storedName,
        mimeType: file.mimeType,
        bytes,
      } as const;
      try {
        return await events.transact(async (transaction, collected) =>
          addFile(transaction, collected, {
            chatId,
            maxBytes: config.chatMaxBytes,
            row: { ...row, toolCallId: await findCallId(transaction, chatId, file.callId) },
          }),
        );
      } catch (error) {
        await folder.discard(chatId, storedName);
        throw error;
      }
    },

    async listOfChat(chatId) {
      const files = await database.client.chatFile.findMany({
        where: { chatId },
        orderBy: { id: 'asc' },
      });
      return files.map(toFileRecord);
    },

    async locateLabel(chatId, label) {
      const file = await database.client.chatFile.findUnique({
        where: { chatId_label: { chatId, label } },
      });
      if (file === null) return null;
      return { ...toFileRecord(file), path: folder.pathOf(chatId, file.storedName) };
    },

    async removeStaleUploads(now) {
      const before = new Date(now.getTime() - UPLOAD_LIFETIME_MS);
      await database.client.$transaction(async (transaction) => {
        const stale = await transaction.upload.findMany({
          where: { createdAt: { lt: before } },
          take: 100,
        });
        for (const { id, storedName } of stale) {
          await transaction.upload.delete({ where: { id } });
          await folder.planRemoval(transaction, UPLOADS_FOLDER, storedName);
        }
      });
      folder.removePlanned();
    },
  };
}

/** A body is an async iterable, also of one chunk. */
async function* oneChunk(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}

/** Takes an upload out of those that wait; whoever comes second finds none. */
async function takeUpload(transaction: Transaction, viewer: Viewer, uploadId: string) {
  const upload = await transaction.upload.findFirst({
    where: { id: uploadId, ownerId: viewer.id },
  });
  const taken = await transaction.upload.deleteMany({
    where: { id: uploadId, ownerId: viewer.id },
  });
  if (upload === null || taken.count === 0) throw notFound('Upload', uploadId);
  return upload;
}

async function findCallId(
  transaction: Transaction,
  chatId: string,
  callId: string | null,
): Promise<string | null> {
  if (callId === null) return null;
  const call = await transaction.toolCall.findUnique({
    where: { chatId_callId: { chatId, callId } },
    select: { id: true },
  });
  return call?.id ?? null;
}

async function addFile(
  transaction: Transaction,
  events: EventCollector,
  addition: {
    readonly chatId: string;
    readonly maxBytes: number;
    readonly row: {
      readonly origin: 'UPLOADED' | 'GENERATED';
      readonly label: string;
      readonly storedName: string;
      readonly mimeType: string;
      readonly bytes: number;
      readonly toolCallId?: string | null;
    };
  },
): Promise<FileRecord> {
  const { chatId, maxBytes, row } = addition;
  // Two files of one name at once must not both find it free.
  const locked = await transaction.$queryRaw<unknown[]>`
    SELECT 1 FROM "Chat" WHERE "id" = ${chatId} FOR UPDATE`;
  if (locked.length === 0) throw notFound('Chat', chatId);
  const files = await transaction.chatFile.findMany({
    where: { chatId },
    select: { label: true, bytes: true },
  });
  const total = files.reduce((sum, { bytes }) => sum + bytes, row.bytes);
  if (total > maxBytes) {
    throw new AppError(
      'BAD_INPUT',
      `The files of the chat would have ${total} bytes together; the limit is ${maxBytes} (CHAT_MAX_BYTES).`,
    );
  }
  const label = freeLabel(row.label, new Set(files.map((file) => file.label)));
  const file = await transaction.chatFile.create({
    data: { id: createId(), chatId, ...row, label },
  });
  await tellFiles(transaction, events, chatId);
  return toFileRecord(file);
}

async function tellFiles(
  transaction: Transaction,
  events: EventCollector,
  chatId: string,
): Promise<void> {
  const files = await transaction.chatFile.findMany({ where: { chatId }, orderBy: { id: 'asc' } });
  events.chat(chatId, {
    type: 'chat-update',
    files: files.map((file) => toEventFile(toFileRecord(file))),
  });
}
