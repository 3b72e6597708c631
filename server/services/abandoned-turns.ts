import type { Database } from '../db/client.ts';

/** Ids of running turns that no process holds any more, beside those that this one holds. */
export async function findAbandoned(
  database: Database,
  { isAlone, held }: { readonly isAlone: boolean; readonly held: readonly string[] },
): Promise<readonly string[]> {
  const rows = await database.query<{ id: string }>(
    `SELECT "id" FROM "Turn"
     WHERE "status" = 'RUNNING' AND ($1 OR "leaseExpiresAt" < now()) AND "id" <> ALL ($2)
     ORDER BY "id"`,
    [isAlone, held],
  );
  return rows.map(({ id }) => id);
}

/** A process may end between an answer, or a stop, and what follows from it. */
export async function findLeftWaiting(
  database: Database,
): Promise<readonly { readonly id: string; readonly isCancelled: boolean }[]> {
  const rows = await database.client.turn.findMany({
    where: {
      status: 'WAITING',
      OR: [{ cancelRequestedAt: { not: null } }, { toolCalls: { none: { status: 'WAITING' } } }],
    },
    select: { id: true, cancelRequestedAt: true },
    orderBy: { id: 'asc' },
  });
  return rows.map(({ id, cancelRequestedAt }) => ({ id, isCancelled: cancelRequestedAt !== null }));
}
