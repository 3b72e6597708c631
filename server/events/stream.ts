import type { ChatEvent, LogReset, Sequenced, ViewerEvent } from './chat-event.ts';

/** The events of one chat. */
export interface ChatStream {
  readonly kind: 'chat';
  readonly id: string;
}

/** What changes for one person: the list of chats, facts, sign-outs. */
export interface ViewerStream {
  readonly kind: 'viewer';
  readonly id: string;
}

export type Stream = ChatStream | ViewerStream;
export type StreamKind = Stream['kind'];

/** What may be appended to a stream. */
export type EventOf<Of extends Stream> = Of extends ChatStream ? ChatEvent : ViewerEvent;

/** What a subscriber of a stream receives. */
export type StreamEvent = Sequenced<ChatEvent | ViewerEvent | LogReset>;

export const chatStream = (id: string): ChatStream => ({ kind: 'chat', id });
export const viewerStream = (id: string): ViewerStream => ({ kind: 'viewer', id });

/** A text that no two streams share. */
export const streamKey = ({ kind, id }: Stream): string => `${kind}:${id}`;

/** Where a kind of stream is kept; the words go into SQL as they stand. */
export interface StreamTables {
  /** Has one row per stream, with `id`, `lastSequence` and `prunedThrough`. */
  readonly owner: string;
  /** Has one row per event. */
  readonly events: string;
  /** Column of `events` that names the stream. */
  readonly streamId: string;
  /** What a stream is called in messages. */
  readonly noun: string;
}

export const STREAM_TABLES: Readonly<Record<StreamKind, StreamTables>> = {
  chat: {
    owner: '"Chat"',
    events: '"Event"',
    streamId: '"chatId"',
    noun: 'Chat',
  },
  viewer: {
    owner: '"User"',
    events: '"ViewerEvent"',
    streamId: '"userId"',
    noun: 'Person',
  },
};
