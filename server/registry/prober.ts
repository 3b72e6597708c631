import type { Log } from '../log.ts';
import type { ProbeTarget } from '../worker/discovery-messages.ts';
import { isProbed, probeTools } from './availability.ts';
import type { DiscoveryThread, DiscoveryThreads } from './discovery-thread.ts';
import type { GateSubject } from './gates.ts';
import type { Inventory } from './inventory.ts';

export interface ProberDependencies {
  readonly inventory: Inventory;
  readonly threads: DiscoveryThreads;
  readonly log: Log;
  /** Milliseconds that one check may take. */
  readonly deadlineMs: number;
  now(): Date;
  /** Whether a tool is worth asking. */
  isAdmitted(subject: GateSubject): boolean;
  /** Called after each outcome that was noted. */
  onNoted(): void;
}

/** Asks tools whether they are available and notes what they say. */
export interface Prober {
  /**
   * @param thread - one that has loaded the tools already and is closed afterwards; null for a new one.
   * @returns when the checks that wait for nothing were noted; `done` when all were.
   */
  probe(
    subjects: readonly GateSubject[],
    thread: DiscoveryThread | null,
  ): Promise<{ readonly done: Promise<void> }>;
}

export function createProber(dependencies: ProberDependencies): Prober {
  const { inventory, threads, log, deadlineMs, now, isAdmitted, onNoted } = dependencies;

  const toTargets = (subject: GateSubject): readonly ProbeTarget[] => {
    const { name, descriptor } = subject;
    if (descriptor === null || !isProbed(descriptor) || !isAdmitted(subject)) return [];
    return [{ name, moduleUrl: descriptor.moduleUrl }];
  };

  return {
    async probe(subjects, given) {
      const targets = subjects.flatMap(toTargets);
      if (targets.length === 0) {
        await given?.close();
        return { done: Promise.resolve() };
      }
      const thread = given ?? (await threads.start());
      const started = Promise.withResolvers<void>();
      const done = probeTools(thread, targets, {
        startThread: threads.start,
        deadlineMs,
        onOutcome(name, outcome) {
          if (outcome.kind === 'failed') {
            log.warn({ tool: name, reason: outcome.reason }, 'A tool could not be checked.');
          }
          inventory.note(name, { ...outcome, checkedAt: now() });
          onNoted();
        },
        onStarted: started.resolve,
      });
      await Promise.race([started.promise, done]);
      return { done };
    },
  };
}
