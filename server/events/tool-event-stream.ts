import type { Clock } from '../clock.ts';
import type { Database } from '../db/client.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Bus } from './bus.ts';
import type { ChatEvent, ViewerEvent } from './chat-event.ts';
import type { Sink } from './cursor.ts';
import type { StreamChange } from './event-log.ts';
import { createFeed, type Encode, type Feed } from './feed.ts';
import {
  isToolPlace,
  NO_FILTER,
  readToolHorizon,
  readToolPage,
  type ToolEventFilter,
  type ToolStreamEvent,
} from './tool-event-store.ts';

export interface ToolSubscription {
  readonly filter: ToolEventFilter;
  /**
   * The `cursor` of the last event that the subscriber has. Null, or a cursor of another database
   * that lies ahead of this one: to begin with what comes.
   */
  readonly after: string | null;
  readonly sink: Sink;
  /** As for the hub: subscribers that give the same function share what it made. */
  readonly encode: Encode<ToolStreamEvent>;
}

/** The events of tools in all chats, in the order of their transactions. */
export interface ToolEventStream {
  /**
   * @returns a function that ends the subscription.
   * @throws AppError `BAD_INPUT` if `after` is not a cursor of this stream.
   */
  subscribe(subscription: ToolSubscription): Promise<() => void>;
  /** Told what a transaction stored. */
  notice(changes: readonly StreamChange[]): void;
  subscriptionCount(): number;
  close(): void;
}

export interface ToolEventStreamDependencies {
  readonly database: Database;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
}

/** What an open transaction holds back is looked for again after this. */
const HELD_BACK_RETRY_MS = 50;
/** A lost doorbell is noticed after this. */
const LOOK_INTERVAL_MS = 1_000;

type ToolFeed = Feed<string, ToolStreamEvent>;

export function createToolEventStream(dependencies: ToolEventStreamDependencies): ToolEventStream {
  const { database, bus, clock, log } = dependencies;
  let cancelRetry: (() => void) | null = null;

  const retrySoon = (): void => {
    cancelRetry ??= clock.after(HELD_BACK_RETRY_MS, () => {
      cancelRetry = null;
      feed.refresh();
    });
  };
  const read = async (filter: ToolEventFilter, after: string) => {
    const page = await readToolPage(database.query, filter, after);
    if (page.isHeldBack) retrySoon();
    return page;
  };
  const openFeed = (): ToolFeed =>
    createFeed<string, ToolStreamEvent>({
      read: (after) => read(NO_FILTER, after),
      farewell: () => null,
      // The next one begins where its first subscriber does, not where the last one left.
      onIdle: () => (feed = openFeed()),
      onError: (error) => log.warn({ error }, 'New events of tools could not be read.'),
    });
  let feed = openFeed();
  const refresh = (): void => {
    if (feed.size > 0) feed.refresh();
  };

  const stops = [
    bus.subscribe((message) => {
      if (message.type === 'stream' && message.hasToolEvents) refresh();
    }),
    bus.onGap(refresh),
    bus.isShared ? clock.every(LOOK_INTERVAL_MS, refresh) : () => {},
  ];

  return {
    async subscribe({ filter, after, sink, encode }) {
      if (after !== null && !isToolPlace(after)) {
        throw new AppError('BAD_INPUT', `"${after}" is not a cursor of tool events.`);
      }
      const horizon = await readToolHorizon(database.query);
      // A place beyond is one of another database: nothing here lies behind it.
      const start = after === null || after > horizon ? horizon : after;
      return feed.subscribe({
        after: start,
        sink,
        encode,
        accepts: (value) => isAccepted(value, filter),
        read: (place) => read(filter, place),
      });
    },
    notice(changes) {
      if (changes.some(hasToolEvents)) refresh();
    },
    subscriptionCount: () => feed.size,
    close() {
      cancelRetry?.();
      for (const stop of stops) stop();
    },
  };
}

export const hasToolEvents = ({ entries }: StreamChange): boolean =>
  entries.some(({ value }) => isToolEvent(value.event as ChatEvent | ViewerEvent));

const isToolEvent = ({ type }: ChatEvent | ViewerEvent): boolean =>
  type.startsWith('tool-call-') || type.startsWith('activation-');

/** The same as the conditions of the statement that reads pages. */
const isAccepted = (
  { chatId, ownerId, event }: ToolStreamEvent,
  filter: ToolEventFilter,
): boolean =>
  (filter.ownerId === null || filter.ownerId === ownerId) &&
  (filter.chatId === null || filter.chatId === chatId) &&
  (filter.toolName === null || ('toolName' in event && event.toolName === filter.toolName));
