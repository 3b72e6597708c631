import type { Sequenced, ToolEvent, ViewerEvent } from '../../events/chat-event.ts';
import { AppError } from '../../errors.ts';
import { builder } from '../builder.ts';
import { ChatEventType } from './event-type.ts';

/** A tool event with the place of its stream. */
export interface ToolEventLine {
  readonly cursor: string;
  readonly chatId: string;
  readonly userId: string;
  readonly userName: string;
  readonly line: Sequenced<ToolEvent>;
}

type AnyViewerEvent = ViewerEvent | { readonly type: 'log-reset' };

const VIEWER_TYPES: Record<AnyViewerEvent['type'], string> = {
  'chat-change': 'ChatChange',
  'chat-delete': 'ChatRemoval',
  'facts-change': 'FactsChange',
  'sign-out': 'SignOut',
  'log-reset': 'ViewerLogReset',
};

const ViewerEventType = builder.interfaceRef<Sequenced<AnyViewerEvent>>('ViewerEvent').implement({
  description: 'A line of your own log: what happened to your list of chats and your sessions.',
  resolveType: ({ event }) => VIEWER_TYPES[event.type],
  fields: (t) => ({
    sequence: t.exposeInt('sequence', { description: 'Number in your log.' }),
    previousSequence: t.exposeInt('previousSequence', {
      description: 'What the stream had covered before.',
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was stored.',
      resolve: (line) => line.createdAt,
    }),
  }),
});

type Of<Name extends AnyViewerEvent['type']> = Sequenced<
  Extract<AnyViewerEvent, { readonly type: Name }>
>;

builder.objectRef<Of<'chat-change'>>('ChatChange').implement({
  description: 'A chat is new or has changed; its head as it is now.',
  interfaces: [ViewerEventType] as never,
  fields: (t) => ({
    chatId: t.id({ description: 'The chat.', resolve: ({ event }) => event.chatId }),
    title: t.string({ description: 'Its name.', resolve: ({ event }) => event.title }),
    modelId: t.string({ description: 'Its model.', resolve: ({ event }) => event.modelId }),
    pinned: t.boolean({ description: 'Above the others.', resolve: ({ event }) => event.pinned }),
    archived: t.boolean({ description: 'Put away.', resolve: ({ event }) => event.archived }),
    busy: t.boolean({ description: 'A turn runs or waits.', resolve: ({ event }) => event.busy }),
    updatedAt: t.field({
      type: 'DateTime',
      description: 'When it changed.',
      resolve: ({ event }) => event.updatedAt,
    }),
  }),
});

builder.objectRef<Of<'chat-delete'>>('ChatRemoval').implement({
  description: 'A chat is gone.',
  interfaces: [ViewerEventType] as never,
  fields: (t) => ({
    chatId: t.id({ description: 'The chat.', resolve: ({ event }) => event.chatId }),
  }),
});

for (const [name, description] of [
  ['FactsChange', 'Your facts changed.'],
  ['SignOut', 'A session or key of yours ended.'],
  ['ViewerLogReset', 'Earlier lines are no longer kept: load your chats anew.'],
] as const) {
  builder.objectRef<Sequenced<AnyViewerEvent>>(name).implement({
    description,
    interfaces: [ViewerEventType] as never,
    fields: () => ({}),
  });
}

const ToolEventEdge = builder.objectRef<ToolEventLine>('ToolEventEdge').implement({
  description: 'A tool event with its place in the stream over all chats.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', {
      description: 'Give it as `after` to go on behind this event.',
    }),
    chatId: t.exposeID('chatId', { description: 'The chat.' }),
    userId: t.exposeID('userId', { description: 'Whose chat it is.' }),
    userName: t.exposeString('userName', { description: 'Name of that person.' }),
    event: t.field({
      type: ChatEventType,
      description: 'The event; its texts are null where the chat is another person’s.',
      resolve: ({ line }) => line,
    }),
  }),
});

/** The streams are served by the hub, which executes these fields once for each event. */
function refuse(): never {
  throw new AppError(
    'BAD_INPUT',
    'Subscriptions are served over WebSocket (graphql-ws) and SSE only.',
  );
}

builder.subscriptionFields((t) => ({
  chatEvents: t.field({
    type: ChatEventType,
    description: 'Stored lines of a chat’s log after a number, then live ones; no gap, no repeat.',
    args: {
      chatId: t.arg.id({ required: true, description: 'The chat.' }),
      afterSequence: t.arg.int({ defaultValue: 0, description: 'The number that you have.' }),
    },
    subscribe: refuse,
    resolve: (line) => line as Sequenced<ToolEvent>,
  }),
  toolEvents: t.field({
    type: ToolEventEdge,
    description: 'Tool events of your chats; for operators those of the whole instance.',
    args: {
      chatId: t.arg.id({ description: 'Of this chat.' }),
      toolName: t.arg.string({ description: 'Of this tool.' }),
      after: t.arg.string({ description: 'Cursor to go on behind; without it only what comes.' }),
    },
    subscribe: refuse,
    resolve: (edge) => edge as ToolEventLine,
  }),
  viewerEvents: t.field({
    type: ViewerEventType,
    description: 'Lines of your own log after a number, then live ones.',
    args: { after: t.arg.int({ defaultValue: 0, description: 'The number that you have.' }) },
    subscribe: refuse,
    resolve: (line) => line as Sequenced<ViewerEvent>,
  }),
}));
