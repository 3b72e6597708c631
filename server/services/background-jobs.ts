import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/client.ts';
import { startScheduledBackups } from '../db/scheduled-backups.ts';
import type { Events } from '../events/events.ts';
import type { Log } from '../log.ts';
import type { ModelCatalogue } from '../models/model.ts';
import type { Activations } from './activations.ts';
import type { ChatFolder } from './chat-folder.ts';
import type { Files } from './files.ts';
import type { TurnRunner } from './turn-runner.ts';

export interface BackgroundJobsDependencies {
  readonly database: Database;
  readonly config: Pick<Config, 'eventRetentionDays'>;
  readonly events: Pick<Events, 'prune'>;
  readonly runner: TurnRunner;
  readonly activations: Activations;
  readonly files: Files;
  readonly folder: ChatFolder;
  readonly catalogue: ModelCatalogue;
  readonly clock: Clock;
  readonly log: Log;
}

/** What has to be done from time to time, whoever is there. */
export interface BackgroundJobs {
  /** Resolves when the jobs under way are done. */
  close(): Promise<void>;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function startBackgroundJobs(dependencies: BackgroundJobsDependencies): BackgroundJobs {
  const { runner, activations, files, folder, catalogue, config, events, clock, log } =
    dependencies;
  const running = new Map<string, Promise<void>>();

  /** A job that still runs is not started a second time. */
  function run(name: string, work: () => Promise<void>): void {
    if (running.has(name)) return;
    const done = work()
      .catch((error: unknown) => log.warn({ error, job: name }, 'A background job failed.'))
      .finally(() => running.delete(name));
    running.set(name, done);
  }

  async function pruneEvents(): Promise<void> {
    const removed = await events.prune(new Date(clock.now() - config.eventRetentionDays * DAY));
    if (removed > 0) log.info({ removed }, 'Old events were removed.');
  }

  const stops = [
    clock.every(10 * SECOND, () => run('abandoned turns', () => runner.settleAbandoned())),
    clock.every(15 * SECOND, () => run('unanswered questions', () => activations.expire())),
    clock.every(5 * MINUTE, () => run('models', () => catalogue.refresh())),
    clock.every(HOUR, () =>
      run('stale uploads', () => files.removeStaleUploads(new Date(clock.now()))),
    ),
    clock.every(HOUR, () => run('old events', pruneEvents)),
    clock.every(MINUTE, () => folder.removePlanned()),
  ];
  const backups = startScheduledBackups(dependencies);
  run('models', () => catalogue.refresh());
  folder.removePlanned();

  return {
    async close() {
      backups.close();
      for (const stop of stops) stop();
      await Promise.all([...running.values(), folder.idle()]);
    },
  };
}
