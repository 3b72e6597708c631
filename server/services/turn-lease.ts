import type { Database, Transaction } from '../db/client.ts';
import { LeaseLostError } from '../agent/turn-store.ts';

/** A turn belongs to one process for so long; it renews well before. */
export const LEASE_SECONDS = 10;
export const LEASE_RENEWAL_MS = 3_000;

/**
 * Holds the turn's row for the rest of the transaction.
 * @throws LeaseLostError if the turn has ended or another process owns it.
 */
export async function guardLease(
  transaction: Transaction,
  turnId: string,
  leaseOwner: string,
): Promise<void> {
  const held = await transaction.$executeRaw`
    UPDATE "Turn" SET "leaseExpiresAt" = now() + make_interval(secs => ${LEASE_SECONDS})
    WHERE "id" = ${turnId} AND "leaseOwner" = ${leaseOwner} AND "status" = 'RUNNING'`;
  if (held === 0) throw new LeaseLostError(`Turn ${turnId} is no longer owned by this process.`);
}

/** Renews the lease; null when it is lost, else whether a cancel was asked for. */
export async function renewLease(
  database: Database,
  turnId: string,
  leaseOwner: string,
): Promise<{ readonly isCancelRequested: boolean } | null> {
  const rows = await database.client.$queryRaw<{ requested: boolean }[]>`
    UPDATE "Turn" SET "leaseExpiresAt" = now() + make_interval(secs => ${LEASE_SECONDS})
    WHERE "id" = ${turnId} AND "leaseOwner" = ${leaseOwner} AND "status" = 'RUNNING'
    RETURNING "cancelRequestedAt" IS NOT NULL AS requested`;
  return rows[0] === undefined ? null : { isCancelRequested: rows[0].requested };
}

/**
 * Takes a turn that nobody owns any more; false when somebody was faster. `ANSWERED` is one that
 * waits, but for nobody any more: every question of it has its answer.
 */
export async function claimTurn(
  database: Database,
  turnId: string,
  options: {
    readonly leaseOwner: string;
    readonly from: 'ANSWERED' | 'WAITING' | 'RUNNING';
    readonly isAlone: boolean;
  },
): Promise<boolean> {
  const { leaseOwner, from, isAlone } = options;
  const status = from === 'RUNNING' ? 'RUNNING' : 'WAITING';
  const claimed = await database.client.$executeRaw`
    UPDATE "Turn"
    SET "status" = 'RUNNING', "leaseOwner" = ${leaseOwner},
        "leaseExpiresAt" = now() + make_interval(secs => ${LEASE_SECONDS})
    WHERE "id" = ${turnId} AND "status" = ${status}::"TurnStatus"
      AND (${status} = 'WAITING' OR ${isAlone} OR "leaseExpiresAt" < now())
      AND (${from} <> 'ANSWERED' OR NOT EXISTS (
        SELECT 1 FROM "ToolCall" call
        WHERE call."turnId" = "Turn"."id" AND call."status" = 'WAITING'))`;
  return claimed === 1;
}
