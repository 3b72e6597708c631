import type { GraphQLResolveInfo } from 'graphql';
import type { ChatRecord, ChatSnapshot } from '../../services/chat-records.ts';
import { builder } from '../builder.ts';
import { connectionOf } from '../connection.ts';
import { requireViewer, type GraphQLContext } from '../context.ts';
import { selectsAny } from '../selection.ts';
import { ActivationRequest } from './activation.ts';
import { ChatFile } from './file.ts';
import { Message } from './message.ts';
import { Tool } from './tool.ts';
import { Turn } from './turn.ts';

/** A chat's head, and how to get the rest of it. */
export interface ChatView {
  readonly chat: ChatRecord;
  snapshot(): Promise<ChatSnapshot>;
}

/** Fields that need the whole chat. */
const WHOLE = ['activeGroups', 'messages', 'files', 'runningTurn', 'openActivationRequests'];

const toView = (chat: ChatRecord, context: GraphQLContext): ChatView => {
  let snapshot: Promise<ChatSnapshot> | null = null;
  return {
    chat,
    snapshot: () => (snapshot ??= context.services.chats.snapshot(requireViewer(context), chat.id)),
  };
};

/** All fields from one database snapshot where more than the head is asked for. */
async function loadView(
  chatId: string,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
): Promise<ChatView> {
  const viewer = requireViewer(context);
  const { chats } = context.services;
  if (!selectsAny(info, WHOLE)) return toView(await chats.get(viewer, chatId), context);
  const snapshot = await chats.snapshot(viewer, chatId);
  return { chat: snapshot.chat, snapshot: () => Promise.resolve(snapshot) };
}

export const Chat = builder.objectRef<ChatView>('Chat').implement({
  description: 'A conversation of one person.',
  fields: (t) => ({
    id: t.id({ description: 'UUID.', resolve: ({ chat }) => chat.id }),
    title: t.string({
      description: 'Its name; empty before the first message.',
      resolve: ({ chat }) => chat.title,
    }),
    modelId: t.string({
      description: 'The model that answers.',
      resolve: ({ chat }) => chat.modelId,
    }),
    pinned: t.boolean({
      description: 'It stands above the others.',
      resolve: ({ chat }) => chat.pinned,
    }),
    archived: t.boolean({ description: 'It is put away.', resolve: ({ chat }) => chat.archived }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was made.',
      resolve: ({ chat }) => chat.createdAt,
    }),
    updatedAt: t.field({
      type: 'DateTime',
      description: 'When it last began or ended a turn.',
      resolve: ({ chat }) => chat.updatedAt,
    }),
    lastSequence: t.int({
      description: 'Follow `chatEvents` after this number: everything here is from before it.',
      resolve: ({ chat }) => chat.lastSequence,
    }),
    activeLeafId: t.id({
      nullable: true,
      description: 'Last message of the branch that is shown.',
      resolve: ({ chat }) => chat.activeLeafId,
    }),
    busy: t.boolean({ description: 'A turn runs or waits.', resolve: ({ chat }) => chat.busy }),
    activeGroups: t.stringList({
      description: 'Tool groups that are switched on.',
      resolve: async (view) => [...(await view.snapshot()).activeGroups],
    }),
    messages: t.field({
      type: [Message],
      description: 'All messages of all branches, oldest first.',
      resolve: async (view) => [...(await view.snapshot()).messages],
    }),
    files: t.field({
      type: [ChatFile],
      description: 'All its files, oldest first.',
      resolve: async (view) => [...(await view.snapshot()).files],
    }),
    runningTurn: t.field({
      type: Turn,
      nullable: true,
      description: 'The turn that runs or waits.',
      resolve: async (view) => (await view.snapshot()).runningTurn,
    }),
    openActivationRequests: t.field({
      type: [ActivationRequest],
      description: 'Questions that wait for an answer.',
      resolve: async (view) => [...(await view.snapshot()).openActivationRequests],
    }),
    tools: t.field({
      type: [Tool],
      description: 'Every installed tool; ask its `gates` with the id of this chat.',
      resolve: (_view, _args, context) => [...context.services.tools.list(requireViewer(context))],
    }),
  }),
});

interface FoundChat {
  readonly chat: ChatRecord;
  readonly snippet: string | null;
}

const ChatEdge = builder
  .objectRef<{ readonly cursor: string; readonly node: FoundChat }>('ChatEdge')
  .implement({
    description: 'One Chat in a list.',
    fields: (t) => ({
      cursor: t.exposeString('cursor', { description: 'The place of this edge in the list.' }),
      node: t.field({
        type: Chat,
        description: 'The chat.',
        resolve: (edge, _args, context) => toView(edge.node.chat, context),
      }),
      snippet: t.string({
        nullable: true,
        description: 'Where a search was found; null in the plain list.',
        resolve: (edge) => edge.node.snippet,
      }),
    }),
  });

const ChatConnection = connectionOf('Chat', ChatEdge);

builder.queryFields((t) => ({
  chats: t.field({
    type: ChatConnection,
    nullable: true,
    description:
      'Your chats, newest first; pinned ones lead the first page. With `search` the best finds.',
    args: {
      first: t.arg.int({ defaultValue: 30, description: 'At most 100.' }),
      after: t.arg.string({ description: 'Cursor to go on after.' }),
      search: t.arg.string({ description: 'Words to find in titles and messages.' }),
      archived: t.arg.boolean({
        defaultValue: false,
        description: 'Those that were put away instead.',
      }),
    },
    resolve: async (_root, { first, after, search, archived }, context) => {
      const page = await context.services.chats.list(requireViewer(context), {
        first: first ?? 30,
        after: after ?? null,
        search: search ?? null,
        archived: archived ?? false,
      });
      return { ...page, after: after ?? null };
    },
  }),
  chat: t.field({
    type: Chat,
    nullable: true,
    description: 'One of your chats; null with NOT_FOUND if there is none with that id.',
    args: { id: t.arg.id({ required: true, description: 'The chat.' }) },
    resolve: (_root, { id }, context, info) => loadView(id, context, info),
  }),
}));

const CreateChatInput = builder.inputType('CreateChatInput', {
  description: 'A chat to make.',
  fields: (t) => ({
    requestId: t.id({
      required: true,
      description: 'Made by you: the same id again gets the same chat.',
    }),
    modelId: t.id({ description: 'Default: the default model.' }),
    title: t.string({ description: 'Default: made from the first message.' }),
    groups: t.stringList({ description: 'Tool groups that are on from the start.' }),
  }),
});

const UpdateChatInput = builder.inputType('UpdateChatInput', {
  description: 'What to change of a chat; the rest stays.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: 'The chat.' }),
    modelId: t.id({ description: 'The model of the next turns.' }),
    pinned: t.boolean({ description: 'Keep it above the others.' }),
    archived: t.boolean({ description: 'Put it away.' }),
  }),
});

builder.mutationFields((t) => ({
  createChat: t.field({
    type: Chat,
    nullable: true,
    description: 'Makes a chat.',
    args: { input: t.arg({ type: CreateChatInput, required: true, description: 'The chat.' }) },
    resolve: async (_root, { input }, context) =>
      toView(
        await context.services.chats.create(requireViewer(context), {
          requestId: input.requestId,
          modelId: input.modelId ?? null,
          title: input.title ?? null,
          groups: input.groups ?? null,
        }),
        context,
      ),
  }),
  renameChat: t.field({
    type: Chat,
    nullable: true,
    description: 'Names a chat; no model changes that name again.',
    args: {
      chatId: t.arg.id({ required: true, description: 'The chat.' }),
      title: t.arg.string({ required: true, description: 'At most 200 characters.' }),
    },
    resolve: async (_root, { chatId, title }, context) =>
      toView(await context.services.chats.rename(requireViewer(context), chatId, title), context),
  }),
  updateChat: t.field({
    type: Chat,
    nullable: true,
    description: 'Changes the model of a chat, or its place in the list.',
    args: { input: t.arg({ type: UpdateChatInput, required: true, description: 'The changes.' }) },
    resolve: async (_root, { input }, context) => {
      const changes = {
        ...(input.modelId == null ? {} : { modelId: input.modelId }),
        ...(input.pinned == null ? {} : { pinned: input.pinned }),
        ...(input.archived == null ? {} : { archived: input.archived }),
      };
      const viewer = requireViewer(context);
      return toView(await context.services.chats.update(viewer, input.chatId, changes), context);
    },
  }),
  deleteChat: t.boolean({
    nullable: true,
    description: 'Deletes a chat with its messages, calls and files; it cannot be brought back.',
    args: { chatId: t.arg.id({ required: true, description: 'The chat.' }) },
    resolve: async (_root, { chatId }, context) => {
      await context.services.chats.delete(requireViewer(context), chatId);
      return true;
    },
  }),
  selectBranch: t.field({
    type: Chat,
    nullable: true,
    description: 'Shows the branch through a message, down to its newest end.',
    args: {
      chatId: t.arg.id({ required: true, description: 'The chat.' }),
      messageId: t.arg.id({ required: true, description: 'A message of the branch.' }),
    },
    resolve: async (_root, { chatId, messageId }, context) =>
      toView(
        await context.services.chats.selectBranch(requireViewer(context), chatId, messageId),
        context,
      ),
  }),
}));
