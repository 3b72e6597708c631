import type { ChatEvent, ViewerEvent } from './chat-event.ts';
import type { EncodedEvent } from './event-json.ts';
import type { Entry, Page } from './feed.ts';
import { STREAM_TABLES, type Stream, type StreamEvent, type StreamKind } from './stream.ts';
import { findSuperseded, isSuperseded, type Superseded } from './superseded.ts';

/** Runs one statement: on its own, or inside a transaction. */
export type RunStatement = (sql: string, parameters: readonly unknown[]) => Promise<unknown>;

/** The events that one stream gets. */
export interface StreamBatch {
  readonly stream: Stream;
  readonly events: readonly EncodedEvent<ChatEvent | ViewerEvent>[];
}

/** Events read at once. */
const PAGE_EVENTS = 256;

/**
 * Gives the events of several streams of one kind their numbers and stores them, all by one
 * statement. Streams are locked in the order of their ids, so that two such statements never wait
 * for each other.
 *
 * @returns the number before the first new event, by stream id; a stream that does not exist is absent.
 */
export async function insertBatches(
  run: RunStatement,
  batches: readonly StreamBatch[],
  createdAt: string,
): Promise<ReadonlyMap<string, number>> {
  const kind = batches[0]?.stream.kind;
  if (!kind) return new Map();
  const counts = batches.map(
    ({ stream, events }) => `{"id":${JSON.stringify(stream.id)},"count":${events.length}}`,
  );
  const rows = batches.flatMap(formatRows);
  const parameters = [`[${counts.join(',')}]`, `[${rows.join(',')}]`, createdAt];
  const result = (await run(INSERT[kind], parameters)) as readonly { id: string; before: number }[];
  return new Map(result.map(({ id, before }) => [id, before]));
}

/** Removes what the new events of a stream replace. Runs in the transaction that inserted them. */
export async function deleteSuperseded(
  run: RunStatement,
  { stream, events }: StreamBatch,
): Promise<void> {
  for (const { event } of events) {
    const superseded = findSuperseded(event);
    if (!superseded) continue;
    const { types, field, value, startType, startField } = superseded;
    const parameters = [stream.id, types.join(','), field, value, startType, startField];
    await run(DELETE[stream.kind], parameters);
  }
}

export const hasSuperseding = ({ events }: StreamBatch): boolean =>
  events.some(({ event }) => findSuperseded(event) !== null);

/**
 * Reads the events of a stream after a number, at most 256. A number before what is kept, or one
 * that was never given, makes the page begin with `log-reset`.
 *
 * @returns null if the stream does not exist.
 */
export async function readStreamPage(
  run: RunStatement,
  stream: Stream,
  after: number,
): Promise<Page<number, StreamEvent> | null> {
  const rows = (await run(SELECT[stream.kind], [stream.id, after, PAGE_EVENTS])) as readonly Row[];
  const first = rows[0];
  if (!first) return null;
  const { head, pruned } = first;
  if (after > head && after > pruned)
    return restart(await readStreamPage(run, stream, pruned), { after, pruned });

  let previous = Math.max(after, pruned);
  const entries: Entry<number, StreamEvent>[] = [];
  for (const { sequence, data, createdAt } of rows) {
    if (sequence === null || sequence <= previous) continue;
    entries.push(
      createEntry({
        sequence,
        previousSequence: previous,
        createdAt: createdAt.toISOString(),
        event: data,
      }),
    );
    previous = sequence;
  }
  const isLast = rows.length < PAGE_EVENTS;
  const page = { entries, covered: isLast ? Math.max(head, pruned) : previous, isLast };
  return after < pruned ? restart(page, { after, pruned }) : page;
}

/** @returns the newest number of each stream that exists. */
export async function readHeads(
  run: RunStatement,
  kind: StreamKind,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = (await run(HEADS[kind], [JSON.stringify(ids)])) as readonly {
    id: string;
    head: number;
  }[];
  return new Map(rows.map(({ id, head }) => [id, head]));
}

export function createEntry(value: StreamEvent): Entry<number, StreamEvent> {
  return { position: value.sequence, previous: value.previousSequence, value, frames: new Map() };
}

interface Row {
  readonly head: number;
  readonly pruned: number;
  /** Null in the only row of a page without events. */
  readonly sequence: number | null;
  readonly data: ChatEvent | ViewerEvent;
  readonly createdAt: Date;
}

/** Puts `log-reset` in front; it follows right on what the reader has, so that it is read as the next. */
function restart(
  page: Page<number, StreamEvent> | null,
  { after, pruned }: { readonly after: number; readonly pruned: number },
): Page<number, StreamEvent> | null {
  if (!page) return null;
  const reset = createEntry({
    sequence: pruned,
    previousSequence: after,
    createdAt: new Date().toISOString(),
    event: { type: 'log-reset' },
  });
  return { ...page, entries: [reset, ...page.entries], restartAfter: pruned - 1 };
}

/** Rows of a batch as JSON; an event that a later one of the batch replaces gets a number but no row. */
function formatRows({ stream, events }: StreamBatch): string[] {
  const id = JSON.stringify(stream.id);
  const replacements = events
    .map(({ event }) => findSuperseded(event))
    .filter((superseded): superseded is Superseded => superseded !== null);
  return events.flatMap(({ event, json }, index) =>
    isSuperseded(event, replacements)
      ? []
      : [`{"id":${id},"offset":${index + 1},"type":"${event.type}","data":${json}}`],
  );
}

const forEachKind = (
  write: (kind: StreamKind) => string,
): Readonly<Record<StreamKind, string>> => ({
  chat: write('chat'),
  viewer: write('viewer'),
});

const INSERT = forEachKind((kind) => {
  const { owner, events, streamId } = STREAM_TABLES[kind];
  return `
    WITH wanted AS (
      SELECT id, count FROM jsonb_to_recordset($1::jsonb) AS wanted(id text, count int)
    ), locked AS (
      SELECT owner.id FROM ${owner} owner WHERE owner.id IN (SELECT id FROM wanted)
      ORDER BY owner.id FOR NO KEY UPDATE
    ), counted AS (
      UPDATE ${owner} owner SET "lastSequence" = owner."lastSequence" + wanted.count
      FROM locked JOIN wanted ON wanted.id = locked.id WHERE owner.id = locked.id
      RETURNING owner.id, owner."lastSequence" - wanted.count AS before
    ), inserted AS (
      INSERT INTO ${events} (${streamId}, "sequence", "type", "data", "createdAt")
      SELECT counted.id, counted.before + fresh."offset", fresh.type, fresh.data, $3::timestamp(3)
      FROM jsonb_to_recordset($2::jsonb) AS fresh(id text, "offset" int, type text, data jsonb)
      JOIN counted ON counted.id = fresh.id
    )
    SELECT id, before FROM counted`;
});

const DELETE = forEachKind((kind) => {
  const { events, streamId } = STREAM_TABLES[kind];
  return `
    WITH start AS (
      SELECT "sequence" FROM ${events}
      WHERE ${streamId} = $1 AND "type" = $5 AND "data"->>$6::text = $4
      ORDER BY "sequence" DESC LIMIT 1
    )
    DELETE FROM ${events}
    WHERE ${streamId} = $1 AND "sequence" > COALESCE((SELECT "sequence" FROM start), 0)
      AND "type" = ANY(string_to_array($2, ',')) AND "data"->>$3::text = $4`;
});

const SELECT = forEachKind((kind) => {
  const { owner, events, streamId } = STREAM_TABLES[kind];
  return `
    SELECT owner."lastSequence" AS head, owner."prunedThrough" AS pruned,
      event."sequence", event."data", event."createdAt"
    FROM ${owner} owner LEFT JOIN LATERAL (
      SELECT "sequence", "data", "createdAt" FROM ${events}
      WHERE ${streamId} = owner.id AND "sequence" > $2::int
      ORDER BY "sequence" LIMIT $3::int
    ) event ON true
    WHERE owner.id = $1
    ORDER BY event."sequence"`;
});

const HEADS = forEachKind(
  (kind) =>
    `SELECT id, "lastSequence" AS head FROM ${STREAM_TABLES[kind].owner}
     WHERE id IN (SELECT jsonb_array_elements_text($1::jsonb))`,
);
