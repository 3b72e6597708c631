import type { Clock } from '../clock.ts';
import type { Database } from '../db/client.ts';
import type { Log } from '../log.ts';
import type { Bus } from './bus.ts';
import type { Sink } from './cursor.ts';
import type { StreamChange } from './event-log.ts';
import { createEntry, readHeads, readStreamPage } from './event-store.ts';
import { createFeed, type Encode, type Feed, type Page } from './feed.ts';
import { streamKey, type Stream, type StreamEvent } from './stream.ts';

export interface Subscription {
  readonly stream: Stream;
  /** The number that the subscriber has; everything after it is sent. */
  readonly afterSequence: number;
  readonly sink: Sink;
  /**
   * Makes the payload of an event. Subscribers that give the very same function share what it made.
   * What it throws ends the subscription.
   */
  readonly encode: Encode<StreamEvent>;
}

/**
 * Brings stored events to subscribers: what is stored first, then what is published, without gap
 * or repeat. A subscriber that reads slowly is not sent more than 256 KB ahead; it gets the rest
 * from the store when it has caught up.
 */
export interface Hub {
  /** @returns a function that ends the subscription and frees all that belongs to it. */
  subscribe(subscription: Subscription): () => void;
  /** Hands over what a transaction stored. */
  publish(changes: readonly StreamChange[]): void;
  /** Live subscriptions, for the gauge. */
  subscriptionCount(): number;
  close(): void;
}

export interface HubDependencies {
  readonly database: Database;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
}

/** A lost doorbell is noticed after this. */
const LOOK_INTERVAL_MS = 1_000;

interface LiveStream {
  readonly stream: Stream;
  readonly feed: Feed<number, StreamEvent>;
}

export function createHub({ database, bus, clock, log }: HubDependencies): Hub {
  const live = new Map<string, LiveStream>();
  const read = shareReads((stream: Stream, after: number) =>
    readStreamPage(database.query, stream, after),
  );

  const openFeed = (stream: Stream): LiveStream => {
    const key = streamKey(stream);
    const known = live.get(key);
    if (known) return known;
    const feed = createFeed<number, StreamEvent>({
      read: (after) => read(stream, after),
      farewell: (covered) => farewell(stream, covered, new Date(clock.now())),
      onIdle: () => live.delete(key),
      onError: (error) => log.warn({ error, stream: key }, 'New events could not be read.'),
    });
    const opened = { stream, feed };
    live.set(key, opened);
    return opened;
  };

  const look = async (): Promise<void> => {
    for (const kind of ['chat', 'viewer'] as const) {
      const streams = [...live.values()].filter(({ stream }) => stream.kind === kind);
      if (streams.length === 0) continue;
      const heads = await readHeads(
        database.query,
        kind,
        streams.map(({ stream }) => stream.id),
      );
      for (const { stream, feed } of streams) {
        const head = heads.get(stream.id);
        if (head === undefined) feed.end();
        else feed.want(head);
      }
    }
  };
  const lookNow = (): void => {
    look().catch((error: unknown) =>
      log.warn({ error }, 'The newest event numbers could not be read.'),
    );
  };

  const stops = [
    bus.subscribe((message) => {
      if (message.type !== 'stream') return;
      const feed = live.get(streamKey(message))?.feed;
      if (message.lastSequence === null) feed?.end();
      else feed?.want(message.lastSequence);
    }),
    bus.onGap(lookNow),
    bus.isShared ? clock.every(LOOK_INTERVAL_MS, lookNow) : () => {},
  ];

  return {
    subscribe({ stream, afterSequence, sink, encode }) {
      return openFeed(stream).feed.subscribe({ after: afterSequence, sink, encode });
    },
    publish(changes) {
      for (const { stream, entries, isGone } of changes) {
        const feed = live.get(streamKey(stream))?.feed;
        if (isGone) feed?.end();
        else feed?.publish(entries);
      }
    },
    subscriptionCount: () => [...live.values()].reduce((sum, { feed }) => sum + feed.size, 0),
    close() {
      for (const stop of stops) stop();
    },
  };
}

/** The last word of a chat that was deleted; never stored, as nothing of the chat is. */
function farewell(stream: Stream, covered: number, now: Date) {
  if (stream.kind !== 'chat') return null;
  return createEntry({
    sequence: covered + 1,
    previousSequence: covered,
    createdAt: now.toISOString(),
    event: { type: 'chat-delete' },
  });
}

type ReadStream = (stream: Stream, after: number) => Promise<Page<number, StreamEvent> | null>;

/** Readers that come back together to the same place share one read, and what is made of it. */
function shareReads(read: ReadStream): ReadStream {
  const running = new Map<string, ReturnType<ReadStream>>();
  return (stream, after) => {
    const key = `${streamKey(stream)}:${after}`;
    const known = running.get(key);
    if (known) return known;
    const page = read(stream, after).finally(() => running.delete(key));
    running.set(key, page);
    return page;
  };
}
