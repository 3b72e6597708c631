import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../clock.ts';
import type { Database, Transaction } from '../db/client.ts';
import { notFound } from '../errors.ts';
import type { ChatEvent, ViewerEvent } from './chat-event.ts';
import { encodeEvent } from './event-json.ts';
import {
  createEntry,
  deleteSuperseded,
  hasSuperseding,
  insertBatches,
  type RunStatement,
  type StreamBatch,
} from './event-store.ts';
import type { Entry } from './feed.ts';
import { STREAM_TABLES, streamKey, type EventOf, type Stream, type StreamEvent } from './stream.ts';

/** What a transaction has added to one stream, or that it removed the stream. */
export interface StreamChange {
  readonly stream: Stream;
  /** Empty if the stream is gone. */
  readonly entries: readonly Entry<number, StreamEvent>[];
  readonly isGone: boolean;
}

/** A transaction that changes rows and appends events; all of it counts, or nothing. */
export interface EventTransaction {
  /** The client for the rows; no other may be used in here. */
  readonly client: Transaction;
  /** Adds to what is appended when the work is done; numbers are given then. */
  append<Of extends Stream>(stream: Of, ...events: readonly EventOf<Of>[]): void;
  /** Says that this work deletes the row of the chat or person: subscribers are told, and their streams end. */
  remove(stream: Stream): void;
}

/** The events of all chats and people, in order, for good. Readers are told of them after they are stored. */
export interface EventLog {
  /**
   * Stores events at the end of a stream. All that is appended within one turn of the event loop
   * is written together; what is appended to one stream keeps its order.
   *
   * @returns the number of the last event.
   * @throws AppError `NOT_FOUND` if the chat or person does not exist (any more).
   */
  append<Of extends Stream>(stream: Of, events: readonly EventOf<Of>[]): Promise<number>;
  /**
   * Runs `work` in a transaction of its own and stores the events that it appends in the same one,
   * after everything that was given to {@link EventLog.append} before. Keep it short, and do not
   * wait for `append` inside: it would wait for this transaction.
   *
   * @returns what `work` returned, after the commit.
   * @throws AppError `NOT_FOUND` if a stream does not exist; what `work` threw. Nothing is stored then.
   */
  appendWithin<Result>(work: (transaction: EventTransaction) => Promise<Result>): Promise<Result>;
  /** Resolves when everything that was given to {@link EventLog.append} before is stored or refused. */
  drain(): Promise<void>;
}

export interface EventLogDependencies {
  readonly database: Database;
  readonly clock: Clock;
  /** Told what was stored, after the commit. */
  readonly publish: (changes: readonly StreamChange[]) => void;
}

interface Waiter {
  readonly count: number;
  resolve(lastSequence: number): void;
  reject(error: unknown): void;
}

interface PendingBatch {
  readonly stream: Stream;
  readonly events: StreamBatch['events'][number][];
  /** In the order of `events`. */
  readonly waiters: Waiter[];
}

export function createEventLog({ database, clock, publish }: EventLogDependencies): EventLog {
  const insideWork = new AsyncLocalStorage<true>();
  // A write is shared by many callers: it must not run inside the transaction of one of them.
  const runOutside = AsyncLocalStorage.snapshot();
  let pending = new Map<string, PendingBatch>();
  let writing: Promise<void> | null = null;

  const write = async (): Promise<void> => {
    while (pending.size > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      const batches = [...pending.values()];
      pending = new Map();
      for (const kind of ['chat', 'viewer'] as const) {
        await writeGroup(batches.filter(({ stream }) => stream.kind === kind));
      }
    }
    writing = null;
  };

  const writeGroup = async (batches: readonly PendingBatch[]): Promise<void> => {
    if (batches.length === 0) return;
    try {
      settle(batches, await storeGroup(batches));
    } catch (error) {
      // The database refused the statement as a whole; alone, each stream answers for itself.
      if (batches.length > 1 && isRefusal(error))
        for (const batch of batches) await writeGroup([batch]);
      else for (const { waiters } of batches) for (const waiter of waiters) waiter.reject(error);
    }
  };

  const storeGroup = async (batches: readonly PendingBatch[]): Promise<readonly StreamChange[]> => {
    const createdAt = new Date(clock.now()).toISOString();
    if (!batches.some(hasSuperseding)) {
      return toChanges(batches, await insertBatches(database.query, batches, createdAt), createdAt);
    }
    return database.client.$transaction((client) => storeBatches(client, batches, createdAt));
  };

  const settle = (batches: readonly PendingBatch[], changes: readonly StreamChange[]): void => {
    const stored = new Map(changes.map((change) => [streamKey(change.stream), change]));
    publish(changes);
    for (const { stream, waiters } of batches) {
      const first = stored.get(streamKey(stream))?.entries[0];
      let last = first?.previous ?? 0;
      for (const { count, resolve, reject } of waiters) {
        last += count;
        if (first) resolve(last);
        else reject(notFound(STREAM_TABLES[stream.kind].noun, stream.id));
      }
    }
  };

  const log: EventLog = {
    append(stream, events) {
      if (insideWork.getStore()) {
        throw new Error(
          'Inside appendWithin, events are appended by the transaction that it hands over.',
        );
      }
      if (events.length === 0)
        throw new Error(`Nothing was given to append to ${streamKey(stream)}.`);
      return new Promise((resolve, reject) => {
        const batch = batchOf(pending, stream);
        for (const event of events) batch.events.push(encodeEvent<ChatEvent | ViewerEvent>(event));
        batch.waiters.push({ count: events.length, resolve, reject });
        writing ??= runOutside(write);
      });
    },
    async appendWithin(work) {
      await log.drain();
      const { result, changes } = await database.client.$transaction((client) =>
        insideWork.run(true, async () => {
          const collected = new Map<string, PendingBatch>();
          const removed: Stream[] = [];
          const result = await work({
            client,
            append(stream, ...events) {
              const batch = batchOf(collected, stream);
              for (const event of events)
                batch.events.push(encodeEvent<ChatEvent | ViewerEvent>(event));
            },
            remove: (stream) => removed.push(stream),
          });
          const createdAt = new Date(clock.now()).toISOString();
          const batches = [...collected.values()].filter(({ events }) => events.length > 0);
          const stored = await storeBatches(client, batches, createdAt);
          const missing = batches.find(
            ({ stream }) => !stored.some((change) => change.stream === stream),
          );
          if (missing) throw notFound(STREAM_TABLES[missing.stream.kind].noun, missing.stream.id);
          const gone = removed.map((stream) => ({ stream, entries: [], isGone: true }));
          return { result, changes: [...stored, ...gone] };
        }),
      );
      publish(changes);
      return result;
    },
    async drain() {
      await writing;
    },
  };
  return log;
}

function batchOf(batches: Map<string, PendingBatch>, stream: Stream): PendingBatch {
  const key = streamKey(stream);
  const known = batches.get(key);
  if (known) return known;
  const batch: PendingBatch = { stream, events: [], waiters: [] };
  batches.set(key, batch);
  return batch;
}

/** Stores batches of both kinds inside a transaction, chats first. */
async function storeBatches(
  client: Transaction,
  batches: readonly StreamBatch[],
  createdAt: string,
): Promise<readonly StreamChange[]> {
  const run: RunStatement = (sql, parameters) => client.$queryRawUnsafe(sql, ...parameters);
  const changes: StreamChange[] = [];
  for (const kind of ['chat', 'viewer'] as const) {
    const ofKind = batches.filter(({ stream }) => stream.kind === kind);
    changes.push(...toChanges(ofKind, await insertBatches(run, ofKind, createdAt), createdAt));
  }
  for (const batch of batches) await deleteSuperseded(run, batch);
  return changes;
}

function toChanges(
  batches: readonly StreamBatch[],
  numbers: ReadonlyMap<string, number>,
  createdAt: string,
): readonly StreamChange[] {
  return batches.flatMap(({ stream, events }) => {
    const before = numbers.get(stream.id);
    if (before === undefined) return [];
    const entries = events.map(({ event }, index) =>
      createEntry({
        sequence: before + index + 1,
        previousSequence: before + index,
        createdAt,
        event,
      }),
    );
    return [{ stream, entries, isGone: false }];
  });
}

/** Whether the database answered and changed nothing: a code of its own, or Prisma's for a raw statement. */
function isRefusal(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && (code === 'P2010' || /^[0-9][0-9A-Z]{4}$/.test(code));
}
