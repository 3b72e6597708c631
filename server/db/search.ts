import { AppError } from '../errors.ts';
import type { Database } from './client.ts';

export interface SearchRequest {
  readonly ownerId: string;
  /** What a person typed; every word must be found, the last one may be unfinished. */
  readonly text: string;
  readonly first: number;
  /** The `cursor` of the last hit of the page before. */
  readonly after: string | null;
}

export interface SearchHit {
  readonly chatId: string;
  /** The best place, with the found words between `**`. */
  readonly snippet: string;
  readonly cursor: string;
}

export interface SearchPage {
  readonly hits: readonly SearchHit[];
  readonly hasNextPage: boolean;
}

/** More words make a query dearer and no better. */
const MAX_WORDS = 12;

/** `'red':* & 'fox':*` for "red fo": all words, each as a beginning. Null without a word. */
function toQuery(text: string): string | null {
  const words =
    text
      .normalize('NFC')
      .match(/[\p{L}\p{N}]+/gu)
      ?.slice(0, MAX_WORDS) ?? [];
  if (words.length === 0) return null;
  return words.map((word) => `'${word}':*`).join(' & ');
}

/**
 * Finds chats of one person by the words of their titles and messages, newest first. The words of
 * one hit stand in one title or one message.
 *
 * @throws AppError `BAD_INPUT` if `after` is no cursor of a search.
 */
export async function searchChats(database: Database, request: SearchRequest): Promise<SearchPage> {
  const query = toQuery(request.text);
  if (query === null) return { hits: [], hasNextPage: false };
  const after = request.after === null ? null : parseCursor(request.after);
  const rows = await database.query<{ id: string; updatedAt: Date; snippet: string }>(SQL, [
    request.ownerId,
    query,
    after?.at ?? null,
    after?.id ?? null,
    request.first + 1,
  ]);
  return {
    hits: rows.slice(0, request.first).map(({ id, updatedAt, snippet }) => ({
      chatId: id,
      snippet,
      cursor: Buffer.from(`${updatedAt.toISOString()} ${id}`).toString('base64url'),
    })),
    hasNextPage: rows.length > request.first,
  };
}

function parseCursor(text: string): { readonly at: Date; readonly id: string } {
  const [time = '', id = ''] = Buffer.from(text, 'base64url').toString().split(' ');
  const at = new Date(time);
  if (!Number.isNaN(at.getTime()) && id !== '') return { at, id };
  throw new AppError('BAD_INPUT', 'The cursor is not one that this server gave out.');
}

const SQL = `
  WITH query AS (SELECT to_tsquery('simple', $2) AS terms),
  page AS (
    SELECT chat."id", chat."updatedAt", chat."title"
    FROM "Chat" chat, query
    WHERE chat."ownerId" = $1 AND chat."kind" = 'CHAT'
      AND ($3::timestamp IS NULL OR (chat."updatedAt", chat."id") < ($3::timestamp, $4))
      AND (
        chat."search" @@ query.terms
        OR EXISTS (
          SELECT 1 FROM "Message" message
          WHERE message."chatId" = chat."id" AND message."search" @@ query.terms
        )
      )
    ORDER BY chat."updatedAt" DESC, chat."id" DESC
    LIMIT $5
  )
  SELECT page."id", page."updatedAt",
    ts_headline(
      'simple',
      left(coalesce(found."text", page."title"), 20000),
      query.terms,
      'StartSel=**, StopSel=**, MaxWords=24, MinWords=8, ShortWord=0, MaxFragments=1'
    ) AS snippet
  FROM page
  CROSS JOIN query
  LEFT JOIN LATERAL (
    SELECT message."text" FROM "Message" message
    WHERE message."chatId" = page."id" AND message."search" @@ query.terms
    ORDER BY message."id" DESC LIMIT 1
  ) found ON true
  ORDER BY page."updatedAt" DESC, page."id" DESC`;
