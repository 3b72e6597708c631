import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Database, Transaction } from '../db/client.ts';
import { AppError, messageOf } from '../errors.ts';
import { createId } from '../id.ts';
import type { Log } from '../log.ts';

/** The files of chats on disk, all under server-made names below one folder. */
export interface ChatFolder {
  /**
   * Writes a body of at most `maxBytes` to a new file.
   * @throws AppError `BAD_INPUT` when the body is longer; nothing of it is kept.
   */
  write(
    place: { readonly folder: string; readonly extension: string },
    body: AsyncIterable<Uint8Array>,
    maxBytes: number,
  ): Promise<{ readonly storedName: string; readonly bytes: number }>;
  /** Moves a file between two folders, e.g. from the uploads to a chat. */
  move(storedName: string, from: string, to: string): Promise<void>;
  /** Removes a file that no row tells of. */
  discard(folder: string, storedName: string): Promise<void>;
  pathOf(folder: string, storedName: string): string;
  /** Notes what has to go, inside the transaction that forgets it. */
  planRemoval(transaction: Transaction, folder: string, storedName?: string): Promise<void>;
  /** Removes what is noted, in the background; what fails stays noted and is tried again. */
  removePlanned(): void;
  /** Resolves when the removals under way are done. */
  idle(): Promise<void>;
}

/** Where uploads lie that are not in a chat yet. */
export const UPLOADS_FOLDER = 'uploads';

const REMOVALS_AT_ONCE = 50;

export function createChatFolder(dependencies: {
  readonly root: string;
  readonly database: Database;
  readonly log: Log;
}): ChatFolder {
  const { root, database, log } = dependencies;
  let removing: Promise<void> = Promise.resolve();

  async function removeAll(): Promise<void> {
    const planned = await database.client.fileDeletion.findMany({
      orderBy: { attempts: 'asc' },
      take: REMOVALS_AT_ONCE,
    });
    for (const { path } of planned) {
      try {
        await rm(join(root, path), { recursive: true, force: true });
        await database.client.fileDeletion.deleteMany({ where: { path } });
      } catch (error) {
        log.warn({ error, path }, 'A file could not be removed; it is tried again.');
        await database.client.fileDeletion.updateMany({
          where: { path },
          data: { attempts: { increment: 1 }, lastError: messageOf(error) },
        });
      }
    }
  }

  return {
    async write({ folder, extension }, body, maxBytes) {
      const storedName = `${createId()}${extension}`;
      await mkdir(join(root, folder), { recursive: true });
      const path = join(root, folder, storedName);
      try {
        await pipeline(limitBytes(body, maxBytes), createWriteStream(path, { flags: 'wx' }));
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      }
      return { storedName, bytes: (await stat(path)).size };
    },

    async move(storedName, from, to) {
      await mkdir(join(root, to), { recursive: true });
      await rename(join(root, from, storedName), join(root, to, storedName));
    },

    discard: (folder, storedName) => rm(join(root, folder, storedName), { force: true }),

    pathOf: (folder, storedName) => join(root, folder, storedName),

    async planRemoval(transaction, folder, storedName) {
      const path = storedName === undefined ? folder : `${folder}/${storedName}`;
      await transaction.fileDeletion.upsert({ where: { path }, create: { path }, update: {} });
    },

    removePlanned() {
      removing = removing.then(removeAll).catch((error: unknown) => {
        log.warn({ error }, 'Planned removals of files could not be read.');
      });
    },

    idle: () => removing,
  };
}

async function* limitBytes(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) {
      throw new AppError(
        'BAD_INPUT',
        `The file has more than ${maxBytes} bytes, which is the limit.`,
      );
    }
    yield chunk;
  }
}
