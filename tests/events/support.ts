import { randomUUID } from 'node:crypto';
import { openDatabase, type Database } from '../../server/db/client.ts';
import type { ChatEvent } from '../../server/events/chat-event.ts';
import type { Sink } from '../../server/events/cursor.ts';
import { createEvents, type Events } from '../../server/events/events.ts';
import {
  chatStream,
  type ChatStream,
  type StreamEvent,
  type ViewerStream,
} from '../../server/events/stream.ts';
import { createLog } from '../../server/log.ts';
import { createManualClock, type ManualClock } from '../support/clock.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

/** A database with the log of events on it, and people to write for. */
export interface EventPlace {
  readonly database: Database;
  readonly events: Events;
  readonly clock: ManualClock;
  createPerson(name?: string): Promise<ViewerStream>;
  createChat(ownerId?: string): Promise<ChatStream>;
  /** Numbers of the stored events of a chat. */
  storedNumbers(chat: ChatStream): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** Whether the tests run on a PostgreSQL server, which several processes can share. */
export const isOnServer = process.env['TEST_DATABASE_URL'] !== undefined;

export async function openEventPlace(): Promise<EventPlace & { readonly url: string }> {
  const opened = await createTestDatabase();
  return createPlace(opened);
}

/** The same database once more, as another process has it. */
export async function openBeside(
  first: EventPlace & { readonly url: string },
): Promise<EventPlace> {
  const database = await openDatabase({ url: first.url, dataDir: '', isDurable: false });
  return createPlace({ database, dataDir: '', url: first.url, close: () => database.close() });
}

async function createPlace(opened: TestDatabase): Promise<EventPlace & { readonly url: string }> {
  const { database } = opened;
  const clock = createManualClock();
  const events = await createEvents({ database, clock, log: createLog({ level: 'silent' }) });
  const createPerson: EventPlace['createPerson'] = async (name = 'Ada') => {
    const email = `${randomUUID()}@example.org`;
    const { id } = await database.client.user.create({ data: { name, email } });
    return { kind: 'viewer', id };
  };
  return {
    ...{ database, events, clock, createPerson, url: opened.url ?? '' },
    async createChat(ownerId) {
      const owner = ownerId ?? (await createPerson()).id;
      const data = { ownerId: owner, modelId: 'direct' };
      return chatStream((await database.client.chat.create({ data })).id);
    },
    async storedNumbers({ id }) {
      const rows = await database.client.event.findMany({
        where: { chatId: id },
        orderBy: { sequence: 'asc' },
      });
      return rows.map(({ sequence }) => sequence);
    },
    async close() {
      await events.close();
      await opened.close();
    },
  };
}

export type Line = StreamEvent;

/** A subscriber that keeps what it is sent. */
export interface Reader<Value> {
  readonly sink: Sink;
  readonly lines: readonly Value[];
  /** What the sink was ended with; undefined while it goes on. */
  readonly ended: { readonly error: unknown } | undefined;
  /** Resolves when so many lines have come; throws when the stream ends before. */
  count(lines: number): Promise<readonly Value[]>;
  /** Resolves when the stream has ended. */
  end(): Promise<void>;
  /** Lets what is sent pile up, as with a client that does not read. */
  stall(): void;
  /** Reads everything that has piled up. */
  drain(): void;
  readonly bufferedBytes: number;
  /** The most that was ever buffered. */
  readonly mostBufferedBytes: number;
}

export function createReader<Value = Line>(): Reader<Value> {
  const lines: Value[] = [];
  let ended: { readonly error: unknown } | undefined;
  let isStalled = false;
  let bufferedBytes = 0;
  let mostBufferedBytes = 0;
  let waiting: (() => void)[] = [];
  let watchers: (() => void)[] = [];

  const notify = (): void => {
    const told = watchers;
    watchers = [];
    for (const watcher of told) watcher();
  };
  const changed = (): Promise<void> => new Promise((resolve) => watchers.push(resolve));
  const sink: Sink = {
    send({ payload }) {
      lines.push(JSON.parse(payload) as Value);
      if (isStalled) bufferedBytes += payload.length;
      mostBufferedBytes = Math.max(mostBufferedBytes, bufferedBytes);
      notify();
    },
    bufferedBytes: () => bufferedBytes,
    whenBelow(bytes, run) {
      if (bufferedBytes <= bytes) queueMicrotask(run);
      else waiting.push(run);
    },
    isClosed: () => false,
    end(error) {
      ended = { error };
      notify();
    },
  };
  return {
    ...{ sink, lines },
    get ended() {
      return ended;
    },
    get bufferedBytes() {
      return bufferedBytes;
    },
    get mostBufferedBytes() {
      return mostBufferedBytes;
    },
    async count(wanted) {
      while (lines.length < wanted) {
        if (ended) throw new Error(`The stream ended after ${lines.length} lines.`);
        await changed();
      }
      return lines;
    },
    async end() {
      while (!ended) await changed();
    },
    stall() {
      isStalled = true;
    },
    drain() {
      isStalled = false;
      bufferedBytes = 0;
      const runs = waiting;
      waiting = [];
      for (const run of runs) run();
    },
  };
}

/**
 * Lets the time of a place run. Transactions of other tests on the same server hold back events of
 * tools for a moment, which are then looked for again.
 *
 * @returns a function that stops it.
 */
export function letTimeRun({ clock }: EventPlace): () => void {
  const timer = setInterval(() => clock.advance(50), 10);
  return () => clearInterval(timer);
}

/** One function for all who use it: they form a group. */
export const encodeLine = (value: unknown): string => JSON.stringify(value);

export const numbersOf = (lines: readonly Line[]): number[] =>
  lines.map(({ sequence }) => sequence);

export const title = (text: string): ChatEvent => ({ type: 'chat-update', title: text });

export const textDelta = (messageId: string, text: string): ChatEvent => ({
  type: 'text-delta',
  turnId: 'turn',
  stepIndex: 0,
  ...{ messageId, text },
});

export const turnStart = (assistantMessageId: string): ChatEvent => ({
  type: 'turn-start',
  turnId: 'turn',
  userMessageId: 'question',
  modelId: 'direct',
  assistantMessageId,
});

export const messageEnd = (messageId: string, text: string): ChatEvent => ({
  type: 'message-end',
  turnId: 'turn',
  parts: [{ type: 'text', stepIndex: 0, text }],
  ...{ messageId, text },
});

export const callStart = (callId: string, toolName = 'web_search'): ChatEvent => ({
  type: 'tool-call-start',
  turnId: 'turn',
  stepIndex: 0,
  position: 0,
  argumentsText: '{"q":"secret"}',
  ...{ callId, toolName },
});

export const callProgress = (callId: string, message: string): ChatEvent => ({
  type: 'tool-call-progress',
  toolName: 'web_search',
  state: 'running',
  fraction: null,
  data: null,
  ...{ callId, message },
});

export const callEnd = (callId: string, toolName = 'web_search'): ChatEvent => ({
  type: 'tool-call-end',
  turnId: 'turn',
  status: 'SUCCESS',
  code: null,
  message: null,
  result: { status: 'success', data: 1 },
  queuedMs: 0,
  elapsedMs: 1,
  outputCharacters: 10,
  files: [],
  ...{ callId, toolName },
});
