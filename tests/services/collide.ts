import type { Database } from '../../server/db/client.ts';

/**
 * Starts attempts while the rows that `lock` selects are held, and lets go of them when all attempts
 * wait there: none of them has seen what another one does. The embedded database does one thing
 * after the other anyway.
 */
export async function collide(
  database: Database,
  lock: string,
  attempts: readonly (() => Promise<unknown>)[],
): Promise<readonly PromiseSettledResult<unknown>['status'][]> {
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const holding = database.client.$transaction(async (transaction) => {
    await transaction.$queryRawUnsafe(`${lock} FOR UPDATE`);
    held.resolve();
    await begun.promise;
    while (!database.isEmbedded) {
      // Within a transaction the view below would stay as it was first seen.
      await transaction.$executeRaw`SELECT pg_stat_clear_snapshot()`;
      const [row] = await transaction.$queryRaw<{ waiting: number }[]>`
        SELECT count(*)::int AS waiting FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      if ((row?.waiting ?? 0) >= attempts.length) break;
      await transaction.$executeRaw`SELECT pg_sleep(0.01)`;
    }
  });
  await held.promise;
  const outcomes = Promise.allSettled(attempts.map((attempt) => attempt()));
  begun.resolve();
  await holding;
  return (await outcomes).map(({ status }) => status).sort();
}
