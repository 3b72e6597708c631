import type { Database, Prisma, Transaction } from '../db/client.ts';
import { searchChats } from '../db/search.ts';
import { AppError, notFound } from '../errors.ts';
import { createId } from '../id.ts';
import type { ModelCatalogue } from '../models/model.ts';
import type { ToolRegistry } from '../registry/registry.ts';
import { readChatSnapshot } from './chat-snapshot.ts';
import { CHAT_HEAD, toChatRecord } from './chat-mapping.ts';
import type { ChatRecord, Page } from './chat-records.ts';
import { isUniqueViolation } from './database-errors.ts';
import type { EventWriter } from './event-writer.ts';
import type { ChatFolder } from './chat-folder.ts';
import { chatChange, getOwnedChat } from './owned-chat.ts';
import { checkPageSize, decodeCursor, encodeCursor } from './page-cursor.ts';
import type { ChatService } from './services.ts';
import { storableText } from './storable.ts';
import type { TurnRunner } from './turn-runner.ts';
import type { Viewer } from './viewer.ts';

export interface ChatServiceDependencies {
  readonly database: Database;
  readonly events: EventWriter;
  readonly catalogue: ModelCatalogue;
  readonly registry: ToolRegistry;
  readonly runner: TurnRunner;
  readonly folder: ChatFolder;
}

const MAX_TITLE_CHARACTERS = 200;

export function createChatService(dependencies: ChatServiceDependencies): ChatService {
  const { database, events, catalogue, registry, runner, folder } = dependencies;

  /** Changes a chat's row and tells every open page of it. */
  const change = (
    viewer: Viewer,
    chatId: string,
    data: Partial<
      Pick<ChatRecord, 'title' | 'modelId' | 'pinned' | 'archived' | 'activeLeafId'>
    > & {
      readonly titleByPerson?: boolean;
    },
  ): Promise<ChatRecord> =>
    events.transact(async (transaction, collected) => {
      await getOwnedChat(transaction, viewer, chatId);
      const row = await transaction.chat.update({ where: { id: chatId }, data, select: CHAT_HEAD });
      const { titleByPerson: _, ...told } = data;
      const chat = toChatRecord(row);
      collected.chat(chatId, { type: 'chat-update', ...told });
      collected.viewer(viewer.id, chatChange(chat));
      return chat;
    });

  return {
    async create(viewer, input) {
      const modelId = checkModel(catalogue, input.modelId ?? catalogue.defaultModelId());
      const groups = checkGroups(registry, input.groups ?? []);
      const title = input.title == null ? '' : checkTitle(input.title);
      if (input.requestId === '' || input.requestId.length > 100) {
        throw new AppError('BAD_INPUT', 'requestId must have 1 to 100 characters.');
      }
      const key = { ownerId: viewer.id, requestId: input.requestId };
      const find = () =>
        database.client.chat.findUnique({ where: { ownerId_requestId: key }, select: CHAT_HEAD });
      const earlier = await find();
      if (earlier !== null) return toChatRecord(earlier);
      try {
        return await events.transact(async (transaction, collected) => {
          const row = await transaction.chat.create({
            data: {
              id: createId(),
              ...key,
              modelId,
              title,
              titleByPerson: title !== '',
              toolActivations: { create: groups.map((group) => ({ group })) },
            },
            select: CHAT_HEAD,
          });
          const chat = toChatRecord(row);
          collected.viewer(viewer.id, chatChange(chat));
          return chat;
        });
      } catch (error) {
        const same = isUniqueViolation(error) ? await find() : null;
        if (same === null) throw error;
        return toChatRecord(same);
      }
    },

    async viewerSequence(viewer) {
      const user = await database.client.user.findUniqueOrThrow({
        where: { id: viewer.id },
        select: { lastSequence: true },
      });
      return user.lastSequence;
    },

    get: (viewer, chatId) => getOwnedChat(database.client, viewer, chatId),
    snapshot: (viewer, chatId) => readChatSnapshot(database, viewer, chatId),

    list: (viewer, page) =>
      page.search == null || page.search.trim() === ''
        ? listChats(database, viewer, page)
        : findChats(database, viewer, { ...page, search: page.search }),

    rename: (viewer, chatId, title) =>
      change(viewer, chatId, { title: checkTitle(title), titleByPerson: true }),

    update: (viewer, chatId, changes) => {
      if (changes.modelId !== undefined) checkModel(catalogue, changes.modelId);
      return change(viewer, chatId, changes);
    },

    async delete(viewer, chatId) {
      const open = await database.client.turn.findMany({
        where: { chatId, chat: { ownerId: viewer.id }, status: { not: 'ENDED' } },
      });
      for (const { id } of open) await runner.cancel(id);
      await events.transact(async (transaction, collected) => {
        await getOwnedChat(transaction, viewer, chatId);
        await folder.planRemoval(transaction, chatId);
        await transaction.chat.deleteMany({ where: { id: chatId, ownerId: viewer.id } });
        collected.chatGone(chatId);
        collected.viewer(viewer.id, { type: 'chat-delete', chatId });
      });
      folder.removePlanned();
    },

    async selectBranch(viewer, chatId, messageId) {
      await getOwnedChat(database.client, viewer, chatId);
      const leafId = await findNewestLeaf(database.client, chatId, messageId);
      return change(viewer, chatId, { activeLeafId: leafId });
    },
  };
}

function checkModel(catalogue: ModelCatalogue, modelId: string): string {
  if (catalogue.find(modelId) !== null) return modelId;
  const known = catalogue.list().map(({ id }) => id);
  throw new AppError(
    'BAD_INPUT',
    `The model ${JSON.stringify(modelId.slice(0, 100))} is not known; known are ${known.slice(0, 20).join(', ')}.`,
  );
}

function checkGroups(registry: ToolRegistry, groups: readonly string[]): readonly string[] {
  const known = new Set(registry.groups().map(({ name }) => name));
  for (const group of groups) {
    if (!known.has(group)) {
      throw new AppError(
        'BAD_INPUT',
        `No group is called "${group.slice(0, 100)}"; there are ${[...known].join(', ')}.`,
      );
    }
  }
  return [...new Set(groups)];
}

function checkTitle(title: string): string {
  const clean = storableText(title.replace(/\s+/g, ' ').trim());
  if (clean !== '' && clean.length <= MAX_TITLE_CHARACTERS) return clean;
  throw new AppError(
    'BAD_INPUT',
    `A title must have 1 to ${MAX_TITLE_CHARACTERS} characters, but this one has ${clean.length}.`,
  );
}

type ChatPage = Page<{ readonly chat: ChatRecord; readonly snippet: string | null }>;

/** Pinned chats stand before all others on the first page; the rest is paged by key. */
async function listChats(
  database: Database,
  viewer: Viewer,
  page: { readonly first: number; readonly after: string | null; readonly archived?: boolean },
): Promise<ChatPage> {
  const first = checkPageSize(page.first);
  const after = page.after === null ? null : decodeCursor(page.after);
  const where = { ownerId: viewer.id, kind: 'CHAT', archived: page.archived ?? false } as const;
  const orderBy: Prisma.ChatOrderByWithRelationInput[] = [{ updatedAt: 'desc' }, { id: 'desc' }];
  const pinned =
    after === null
      ? await database.client.chat.findMany({
          where: { ...where, pinned: true },
          orderBy,
          select: CHAT_HEAD,
          take: 100,
        })
      : [];
  const rows = await database.client.chat.findMany({
    where: {
      ...where,
      pinned: false,
      ...(after === null
        ? {}
        : {
            updatedAt: { lte: after.at },
            NOT: { updatedAt: after.at, id: { gte: after.id } },
          }),
    },
    orderBy,
    select: CHAT_HEAD,
    take: first + 1,
  });
  return {
    edges: [...pinned, ...rows.slice(0, first)].map((row) => ({
      cursor: encodeCursor({ at: row.updatedAt, id: row.id }),
      node: { chat: toChatRecord(row), snippet: null },
    })),
    hasNextPage: rows.length > first,
  };
}

async function findChats(
  database: Database,
  viewer: Viewer,
  page: { readonly first: number; readonly after: string | null; readonly search: string },
): Promise<ChatPage> {
  const found = await searchChats(database, {
    ownerId: viewer.id,
    text: page.search.slice(0, 200),
    first: checkPageSize(page.first),
    after: page.after,
  });
  const rows = await database.client.chat.findMany({
    where: { id: { in: found.hits.map(({ chatId }) => chatId) }, ownerId: viewer.id, kind: 'CHAT' },
    select: CHAT_HEAD,
  });
  const byId = new Map(rows.map((row) => [row.id, toChatRecord(row)]));
  return {
    edges: found.hits.flatMap(({ chatId, snippet, cursor }) => {
      const chat = byId.get(chatId);
      return chat === undefined ? [] : [{ cursor, node: { chat, snippet } }];
    }),
    hasNextPage: found.hasNextPage,
  };
}

/** From a message down to the newest message below it, always by the newest child. */
async function findNewestLeaf(
  transaction: Pick<Transaction, 'message'>,
  chatId: string,
  messageId: string,
): Promise<string> {
  const messages = await transaction.message.findMany({
    where: { chatId },
    orderBy: { id: 'asc' },
    select: { id: true, parentId: true },
  });
  if (!messages.some(({ id }) => id === messageId)) throw notFound('Message', messageId);
  const newestChild = new Map(messages.map(({ id, parentId }) => [parentId, id]));
  let leaf = messageId;
  for (let child = newestChild.get(leaf); child !== undefined; child = newestChild.get(leaf)) {
    leaf = child;
  }
  return leaf;
}
