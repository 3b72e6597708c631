import type { Database } from '../db/client.ts';
import type { EventWriter } from './event-writer.ts';
import { closeCalls } from './open-calls.ts';

/** Longer than any tool may run. */
const LONGEST_CALL_MS = 2 * 3_600_000;

/**
 * Gives calls of no turn, which an operator made, their one result when the process that ran them is
 * gone.
 *
 * @param isAlone - no other process can be running one.
 */
export async function settleTrialCalls(
  { database, events }: { readonly database: Database; readonly events: EventWriter },
  { isAlone }: { readonly isAlone: boolean },
): Promise<void> {
  const abandoned = await database.query<{ id: string }>(
    `SELECT "id" FROM "ToolCall"
     WHERE "turnId" IS NULL AND "status" = 'RUNNING'
       AND ($1 OR "queuedAt" < now() - make_interval(secs => $2 / 1000.0))`,
    [isAlone, LONGEST_CALL_MS],
  );
  if (abandoned.length === 0) return;
  const where = { id: { in: abandoned.map(({ id }) => id) } };
  await events.transact((transaction, collected) =>
    closeCalls(transaction, collected, { where, status: 'INTERRUPTED' }),
  );
}
