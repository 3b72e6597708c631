import type { Clock } from '../clock.ts';
import type { Config, ToolSettings } from '../config.ts';
import { notFound } from '../errors.ts';
import type { Log } from '../log.ts';
import { createAnnouncer, type Announcer } from './announcer.ts';
import { createDiscoveryThreads } from './discovery-thread.ts';
import { passesPolicy, passesRegistration, type GateRules } from './gates.ts';
import { createInventory, type Inventory } from './inventory.ts';
import { createLine } from './line.ts';
import { loadToolFiles, type LoadOptions } from './load-tools.ts';
import { createModelSchemas } from './model-schemas.ts';
import { createPolicy, listUnknownNames } from './policy.ts';
import { createProber, type Prober } from './prober.ts';
import type { ToolRegistry } from './registry.ts';
import { createRegistryViews } from './registry-views.ts';
import { listAllToolFiles, renewToolFile } from './tool-folders.ts';

export interface ToolRegistryDependencies {
  readonly config: Config;
  /** What tools may see of the settings. */
  readonly settings: ToolSettings;
  readonly log: Log;
  readonly clock: Clock;
  /** Folder of the tools that come with the service. */
  readonly builtInFolder?: URL;
  /** Milliseconds that one file may take to load. */
  readonly loadDeadlineMs?: number;
  /** Milliseconds that one tool may take to say whether it is available. */
  readonly probeDeadlineMs?: number;
}

const BUILT_IN_FOLDER = new URL('../tools/', import.meta.url);
const LOAD_DEADLINE_MS = 10_000;
const PROBE_DEADLINE_MS = 5_000;

/**
 * Loads all tools. Checks that ask neither disk nor network are done when it resolves; the others
 * go on, and their tools count as registered until they answer.
 */
export async function createToolRegistry(
  dependencies: ToolRegistryDependencies,
): Promise<ToolRegistry> {
  const { config, settings, clock, log, builtInFolder = BUILT_IN_FOLDER } = dependencies;
  const { loadDeadlineMs = LOAD_DEADLINE_MS, probeDeadlineMs = PROBE_DEADLINE_MS } = dependencies;
  const now = (): Date => new Date(clock.now());
  const schemas = createModelSchemas(config);
  const rules: GateRules = {
    policy: createPolicy(config),
    policyReadAt: now(),
    refuseSchema: schemas.refuse,
    now,
  };
  const inventory = createInventory(now);
  const threads = createDiscoveryThreads({ settings, memoryMb: config.toolMemoryMb });
  const loading = { startThread: threads.start, deadlineMs: loadDeadlineMs };
  const announcer = createAnnouncer(() =>
    inventory.subjects().filter((subject) => passesRegistration(subject, rules)),
  );
  const prober = createProber({
    ...{ inventory, threads, log, now },
    deadlineMs: probeDeadlineMs,
    isAdmitted: (subject) => passesPolicy(subject, rules),
    onNoted: announcer.announce,
  });
  const line = createLine((error) => log.error({ error }, 'Tools could not be checked.'));
  const parts: Parts = { inventory, prober, announcer, loading };

  const folders = { builtIn: builtInFolder, custom: config.toolsPath };
  const outcome = await loadToolFiles(await listAllToolFiles(folders, log), loading);
  inventory.take(outcome.files);
  reportProblems(inventory, config, log);
  announcer.announce();
  const { done } = await prober.probe(inventory.subjects(), outcome.thread);
  void line.add(() => done);
  const stopTimer = clock.every(config.toolRecheckMs, () => {
    if (line.isBusy()) return;
    void line.add(async () => (await prober.probe(inventory.subjects(), null)).done);
  });

  return {
    ...createRegistryViews({ inventory, rules, schemas }),
    recheck: (name) => line.add(() => recheck(name, parts)),
    onChange: announcer.onChange,
    async close() {
      stopTimer();
      line.close();
      announcer.close();
      await threads.closeAll();
      await line.end();
    },
  };
}

interface Parts {
  readonly inventory: Inventory;
  readonly prober: Prober;
  readonly announcer: Announcer;
  readonly loading: LoadOptions;
}

/** Tells the operator of names in the settings that no tool has, and of files that do not load. */
function reportProblems(inventory: Inventory, config: Config, log: Log): void {
  const names = new Set(inventory.subjects().map(({ name }) => name));
  for (const warning of listUnknownNames(config, names)) log.warn(warning);
  for (const { broken } of inventory.subjects()) if (broken !== null) log.error(broken.reason);
}

/** Loads the file of a tool anew, and asks all tools in it whether they are available. */
async function recheck(name: string, parts: Parts): Promise<void> {
  const { inventory, prober, announcer, loading } = parts;
  const subject = inventory.find(name);
  if (subject === null) throw notFound('Tool', name.slice(0, 100));
  const file = await renewToolFile(inventory.fileOf(subject));
  const { files, thread } = await loadToolFiles([file], loading);
  inventory.take(files);
  announcer.announce();
  const same = inventory.subjects().filter((each) => inventory.fileOf(each) === file);
  const probing = await prober.probe(same, thread);
  await probing.done;
}
