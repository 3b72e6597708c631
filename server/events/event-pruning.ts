import type { RunStatement } from './event-store.ts';
import { STREAM_TABLES, type StreamKind } from './stream.ts';

/** Streams that one statement prunes: it holds their rows meanwhile. */
const STREAMS_A_BATCH = 20;
/** A run of the job ends after so many statements, and goes on at the next one. */
const MAX_BATCHES = 200;

/**
 * Removes events stored before a time: everything that they told is kept in messages, calls and
 * chats, too. Whoever asks for them is sent a reset. A chat whose turn runs or waits keeps all of
 * its own, because its words so far are read from them.
 *
 * @returns how many were removed.
 */
export async function pruneEvents(run: RunStatement, before: Date): Promise<number> {
  let removed = 0;
  for (const kind of Object.keys(STREAM_TABLES) as StreamKind[]) {
    for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
      const parameters = [before.toISOString(), STREAMS_A_BATCH];
      const rows = (await run(PRUNE[kind], parameters)) as readonly {
        streams: number;
        removed: number;
      }[];
      removed += rows[0]?.removed ?? 0;
      if ((rows[0]?.streams ?? 0) < STREAMS_A_BATCH) break;
    }
  }
  return removed;
}

const IS_RESTING: Readonly<Record<StreamKind, string>> = {
  chat: `NOT EXISTS (
    SELECT FROM "Turn" WHERE "chatId" = owner.id AND "status" IN ('RUNNING', 'WAITING')
  )`,
  viewer: 'true',
};

/** Rows are locked in the order of their ids, as by everybody who appends. */
const statement = (kind: StreamKind): string => {
  const { owner, events, streamId } = STREAM_TABLES[kind];
  return `
    WITH old AS (
      SELECT ${streamId} AS id, max("sequence") AS through FROM ${events}
      WHERE "createdAt" < $1::timestamp(3) GROUP BY ${streamId}
    ), locked AS (
      SELECT owner.id, old.through FROM ${owner} owner JOIN old ON old.id = owner.id
      WHERE ${IS_RESTING[kind]}
      ORDER BY owner.id LIMIT $2::int FOR NO KEY UPDATE OF owner
    ), marked AS (
      UPDATE ${owner} owner SET "prunedThrough" = GREATEST(owner."prunedThrough", locked.through)
      FROM locked WHERE owner.id = locked.id RETURNING owner.id, locked.through
    ), removed AS (
      DELETE FROM ${events} event USING marked
      WHERE event.${streamId} = marked.id AND event."sequence" <= marked.through RETURNING 1
    )
    SELECT (SELECT count(*)::int FROM marked) AS streams, (SELECT count(*)::int FROM removed) AS removed`;
};

const PRUNE: Readonly<Record<StreamKind, string>> = {
  chat: statement('chat'),
  viewer: statement('viewer'),
};
