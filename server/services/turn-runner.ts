import type { AgentLoop } from '../agent/agent-loop.ts';
import { cancelled, type Ending } from '../agent/stop-conditions.ts';
import { LeaseLostError } from '../agent/turn-store.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/client.ts';
import type { Log } from '../log.ts';
import type { EventWriter } from './event-writer.ts';
import { findAbandoned, findLeftWaiting } from './abandoned-turns.ts';
import { settleTrialCalls } from './abandoned-trials.ts';
import { endTurn } from './turn-ending.ts';
import { claimTurn, LEASE_RENEWAL_MS, renewLease } from './turn-lease.ts';

export interface TurnRunnerDependencies {
  readonly database: Database;
  readonly events: EventWriter;
  readonly loop: AgentLoop;
  readonly clock: Clock;
  readonly log: Log;
  readonly leaseOwner: string;
}

/** Holds the turns that this process runs. */
export interface TurnRunner {
  /** Runs a turn that this process owns already. */
  start(turnId: string): void;
  /** Goes on with a turn that waited; does nothing while it waits still, or when another process took it. */
  resume(turnId: string): Promise<void>;
  /** Ends a turn as cancelled, wherever it runs. */
  cancel(turnId: string): Promise<void>;
  /**
   * Ends turns and trial calls as interrupted whose process is gone, and goes on with turns that
   * were answered or stopped while they waited, but that nobody took up.
   */
  settleAbandoned(): Promise<void>;
  runningCount(): number;
  /** Resolves when no turn runs here; for tests and for shutting down. */
  idle(): Promise<void>;
  /** Ends all turns of this process as interrupted. */
  close(): Promise<void>;
}

const interrupted: Ending = {
  reason: 'INTERRUPTED',
  message: 'The server was stopped while it answered. What it had written is kept.',
};

const abandonedEnding: Ending = {
  reason: 'INTERRUPTED',
  message: 'The server stopped while it answered. What it had written is kept.',
};

export function createTurnRunner(dependencies: TurnRunnerDependencies): TurnRunner {
  const { database, events, loop, clock, log, leaseOwner } = dependencies;
  const running = new Map<string, { controller: AbortController; done: Promise<void> }>();
  let isFirstSettling = true;
  let isClosed = false;

  function start(turnId: string): void {
    const controller = new AbortController();
    const stopRenewing = clock.every(LEASE_RENEWAL_MS, () => void renew(turnId, controller));
    const done = loop.run(turnId, controller.signal).finally(() => {
      stopRenewing();
      // The turn may have waited, been answered and started again here in the meantime.
      if (running.get(turnId)?.controller === controller) running.delete(turnId);
    });
    running.set(turnId, { controller, done });
  }

  async function renew(turnId: string, controller: AbortController): Promise<void> {
    try {
      const lease = await renewLease(database, turnId, leaseOwner);
      if (!running.has(turnId)) return;
      if (lease === null) controller.abort(new LeaseLostError(`The lease of ${turnId} is lost.`));
      else if (lease.isCancelRequested) controller.abort(cancelled);
    } catch (error) {
      log.warn({ error, turnId }, 'The lease of a turn could not be renewed.');
    }
  }

  async function settle(turnId: string, from: 'WAITING' | 'RUNNING', ending: Ending) {
    const isAlone = database.isEmbedded && isFirstSettling;
    if (!(await claimTurn(database, turnId, { leaseOwner, from, isAlone }))) return;
    await events.transact((transaction, collected) =>
      endTurn(transaction, collected, { turnId, ending: { ...ending, elapsedMs: null } }),
    );
  }

  async function resume(turnId: string): Promise<void> {
    if (isClosed) return; // another process goes on, or this one after its next start
    const taken = { leaseOwner, from: 'ANSWERED', isAlone: false } as const;
    if (!(await claimTurn(database, turnId, taken))) return;
    const turn = await database.client.turn.findUniqueOrThrow({ where: { id: turnId } });
    events.emit(turn.chatId, { type: 'turn-resume', turnId });
    start(turnId);
  }

  return {
    start,
    runningCount: () => running.size,

    resume,

    async cancel(turnId) {
      await database.client.turn.updateMany({
        where: { id: turnId, status: { not: 'ENDED' }, cancelRequestedAt: null },
        data: { cancelRequestedAt: new Date() },
      });
      running.get(turnId)?.controller.abort(cancelled);
      await settle(turnId, 'WAITING', cancelled);
    },

    async settleAbandoned() {
      const isAlone = database.isEmbedded && isFirstSettling;
      const abandoned = await findAbandoned(database, { isAlone, held: [...running.keys()] });
      for (const id of abandoned) await settle(id, 'RUNNING', abandonedEnding);
      await settleTrialCalls({ database, events }, { isAlone });
      isFirstSettling = false;
      const left = await findLeftWaiting(database);
      for (const { id, isCancelled } of left) {
        await (isCancelled ? settle(id, 'WAITING', cancelled) : resume(id));
      }
    },

    async idle() {
      while (running.size > 0) await Promise.all([...running.values()].map(({ done }) => done));
    },

    async close() {
      isClosed = true;
      for (const { controller } of running.values()) controller.abort(interrupted);
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}
