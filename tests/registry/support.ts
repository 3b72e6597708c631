import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import type { Clock } from '../../server/clock.ts';
import { readConfig, toolSettings } from '../../server/config.ts';
import type { GateView } from '../../server/registry/gate.ts';
import type { ToolRegistry } from '../../server/registry/registry.ts';
import {
  createToolRegistry,
  type ToolRegistryDependencies,
} from '../../server/registry/tool-registry.ts';

const FIXTURES = new URL('../fixtures/registry-tools/', import.meta.url);

export type FixtureFolder = 'built-in' | 'trouble' | 'blocking' | 'clash';

export const fixtureFolder = (name: FixtureFolder): string =>
  fileURLToPath(new URL(name, FIXTURES));

export interface TestRegistry extends ToolRegistry {
  /** Messages of the log, with the reason where there is one. */
  readonly logged: readonly string[];
  /** Lets the time between two checks of availability pass. */
  tick(): void;
}

export interface TestRegistryOptions extends Pick<
  ToolRegistryDependencies,
  'loadDeadlineMs' | 'probeDeadlineMs'
> {
  /** Settings by name in the environment. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly builtIn?: FixtureFolder;
}

export const START = new Date('2030-01-02T03:04:05Z');

/** A registry with real threads over the fixtures. */
export async function startRegistry(options: TestRegistryOptions = {}): Promise<TestRegistry> {
  const { environment = {}, builtIn = 'built-in', ...deadlines } = options;
  const { config } = readConfig(environment);
  const logged: string[] = [];
  const ticks = new Set<() => void>();
  const clock: Clock = {
    now: () => START.getTime(),
    after: () => () => undefined,
    every(_intervalMs, run) {
      ticks.add(run);
      return () => ticks.delete(run);
    },
  };
  const registry = await createToolRegistry({
    config,
    settings: toolSettings(config),
    log: pino({ base: null }, { write: (line) => void logged.push(toMessage(line)) }),
    clock,
    builtInFolder: new URL(builtIn, FIXTURES),
    probeDeadlineMs: 300,
    ...deadlines,
  });
  return { ...registry, logged, tick: () => ticks.forEach((run) => run()) };
}

function toMessage(line: string): string {
  const { msg, reason } = JSON.parse(line) as { msg: string; reason?: string };
  return reason === undefined ? msg : `${msg} ${reason}`;
}

export const view = (changes: Partial<GateView> = {}): GateView => ({
  role: 'USER',
  protocol: 'openai-responses',
  activeGroups: null,
  ...changes,
});

/** Resolves when `condition` holds after a change of the registry; fails after a while. */
export async function waitUntil(condition: () => boolean): Promise<void> {
  const endAt = Date.now() + 10_000;
  while (!condition()) {
    if (Date.now() > endAt) throw new Error('What was waited for did not happen.');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
