import type { ToolEvent } from './chat-event.ts';
import type { RunStatement } from './event-store.ts';
import type { Entry, Page } from './feed.ts';

/** One event of a tool, with whose chat it happened in. */
export interface ToolStreamEvent {
  /** Where a later subscription goes on after this event; opaque to clients. */
  readonly cursor: string;
  readonly chatId: string;
  readonly ownerId: string;
  readonly ownerName: string;
  readonly sequence: number;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly event: ToolEvent;
}

export interface ToolEventFilter {
  /** Only this person's chats; null for those of everybody. */
  readonly ownerId: string | null;
  readonly chatId: string | null;
  readonly toolName: string | null;
}

export const NO_FILTER: ToolEventFilter = { ownerId: null, chatId: null, toolName: null };

export interface ToolPage extends Page<string, ToolStreamEvent> {
  /** Whether events are stored already that an older, open transaction keeps out of the page. */
  readonly isHeldBack: boolean;
}

const PAGE_EVENTS = 256;

/**
 * Reads tool events after a place, across chats. Rows are ordered by their transaction, and a
 * transaction with a lower number may commit later: so only those below the oldest one that is
 * still open are shown, and the place that is covered never lies above it.
 */
export async function readToolPage(
  run: RunStatement,
  filter: ToolEventFilter,
  after: string,
): Promise<ToolPage> {
  const { transaction, chatId, sequence } = parsePlace(after);
  const place = [transaction, chatId, sequence];
  const parameters = [...place, filter.ownerId, filter.chatId, filter.toolName, PAGE_EVENTS];
  const rows = (await run(SELECT, parameters)) as readonly Row[];
  const [first] = rows;
  const horizon = formatPlace(first?.horizon ?? 0n);
  let previous = after;
  const entries: Entry<string, ToolStreamEvent>[] = [];
  for (const row of rows) {
    if (row.chatId === null) continue;
    const position = formatPlace(row.transactionId, row.chatId, row.sequence);
    const { chatId, ownerId, ownerName, sequence, data: event } = row;
    const createdAt = row.createdAt.toISOString();
    const owner = { ownerId, ownerName };
    const value = { cursor: position, chatId, ...owner, sequence, createdAt, event };
    entries.push({ position, previous, value, frames: new Map() });
    previous = position;
  }
  const isLast = rows.length < PAGE_EVENTS;
  const covered = isLast && horizon > previous ? horizon : previous;
  return { entries, covered, isLast, isHeldBack: first?.isHeldBack ?? false };
}

/** @returns the place before everything that is not visible to all readers yet. */
export async function readToolHorizon(run: RunStatement): Promise<string> {
  const rows = (await run(`SELECT ${HORIZON} AS horizon`, [])) as readonly { horizon: bigint }[];
  return formatPlace(rows[0]?.horizon ?? 0n);
}

/**
 * Makes events old that were restored from another database and name transactions which this one
 * has yet to begin: they would stay out of sight until then.
 */
export async function adoptRestoredToolEvents(run: RunStatement): Promise<void> {
  await run(ADOPT, []);
}

/** @returns whether a text is a place in the stream. */
export const isToolPlace = (text: string): boolean => PLACE.test(text);

/** Places compare as text, as long as ids do: lower-case hexadecimal digits at fixed places. */
const PLACE = /^\d{20}\.[0-9a-f-]{0,36}\.\d{10}$/;

const formatPlace = (transaction: bigint, chatId = '', sequence = 0): string =>
  `${String(transaction).padStart(20, '0')}.${chatId}.${String(sequence).padStart(10, '0')}`;

function parsePlace(place: string) {
  const [transaction = '', chatId = '', sequence = ''] = place.split('.');
  return { transaction: String(BigInt(transaction)), chatId, sequence: Number(sequence) };
}

interface Row {
  readonly horizon: bigint;
  readonly isHeldBack: boolean;
  /** Null in the only row of a page without events. */
  readonly chatId: string | null;
  readonly transactionId: bigint;
  readonly sequence: number;
  readonly data: ToolEvent;
  readonly createdAt: Date;
  readonly ownerId: string;
  readonly ownerName: string;
}

const HORIZON = 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint';

/** Worded like the condition of the index that serves it. */
const IS_TOOL_EVENT = `(event."type" LIKE 'tool-call-%' OR event."type" LIKE 'activation-%')`;

const ADOPT = `
  UPDATE "Event" event SET "transactionId" = 0
  WHERE ${IS_TOOL_EVENT}
    AND event."transactionId" >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint`;

const SELECT = `
  WITH border AS MATERIALIZED (SELECT ${HORIZON} AS horizon)
  SELECT border.horizon, page.*, EXISTS (
    SELECT 1 FROM "Event" event
    WHERE ${IS_TOOL_EVENT} AND event."transactionId" >= border.horizon
  ) AS "isHeldBack"
  FROM border LEFT JOIN LATERAL (
    SELECT event."chatId", event."transactionId", event."sequence", event."data", event."createdAt",
      chat."ownerId", owner."name" AS "ownerName"
    FROM "Event" event JOIN "Chat" chat ON chat.id = event."chatId"
      JOIN "User" owner ON owner.id = chat."ownerId"
    WHERE ${IS_TOOL_EVENT} AND event."transactionId" < border.horizon
      AND (event."transactionId", event."chatId", event."sequence") > ($1::bigint, $2::text, $3::int)
      AND ($4::text IS NULL OR chat."ownerId" = $4)
      AND ($5::text IS NULL OR event."chatId" = $5)
      AND ($6::text IS NULL OR event."data"->>'toolName' = $6)
    ORDER BY event."transactionId", event."chatId", event."sequence" LIMIT $7::int
  ) page ON true
  ORDER BY page."transactionId", page."chatId", page."sequence"`;
