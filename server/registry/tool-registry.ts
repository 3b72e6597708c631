import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Clock } from '../clock.ts';
import type { Config, ToolSettings } from '../config.ts';
import { messageOf, notFound } from '../errors.ts';
import type { Log } from '../log.ts';
import type { ModelProtocol, ModelTool } from '../models/model.ts';
import { listToolFiles, type ToolFile } from '../tools/kit/discover.ts';
import { assumeAvailability, isProbed, probeTools, type Availability } from './availability.ts';
import { startDiscoveryThread, type DiscoveryThread } from './discovery-thread.ts';
import type { GateReport, GateView } from './gate.ts';
import { judgeGates, passesRegistration, type GateRules, type GateSubject } from './gates.ts';
import { collectGroups } from './groups.ts';
import { listInstalledTools } from './installed-tools.ts';
import { loadToolFiles, type LoadedFile } from './load-tools.ts';
import { createModelSchemas } from './model-schemas.ts';
import { createPolicy, listUnknownNames } from './policy.ts';
import type { RegistryEntry, ToolGroup, ToolRegistry } from './registry.ts';

export interface ToolRegistryDependencies {
  readonly config: Config;
  /** What tools may see of the settings. */
  readonly settings: ToolSettings;
  readonly log: Log;
  readonly clock: Clock;
  /** Folder of the tools that come with the service. */
  readonly builtInFolder?: URL;
}

/** Milliseconds that a file may take to load, and a check to answer. */
const LOAD_DEADLINE_MS = 10_000;
const PROBE_DEADLINE_MS = 5_000;
const BUILT_IN_FOLDER = new URL('../tools/', import.meta.url);
/** A helper that is always there when it can be offered, and no answer to what is active. */
const ACTIVATION_TOOL = 'request_tool_activation';

/**
 * Loads all tools. Checks that ask nobody are done when it resolves; the others go on, and their
 * tools count as registered until they answer.
 */
export async function createToolRegistry(
  dependencies: ToolRegistryDependencies,
): Promise<ToolRegistry> {
  const { config, clock, log } = dependencies;
  const policy = createPolicy(config);
  const schemas = createModelSchemas(config);
  const now = (): Date => new Date(clock.now());
  const rules: GateRules = {
    policy,
    policyReadAt: now(),
    refuseSchema: (tool, protocol) => schemas.refuse(tool, protocol),
    now,
  };
  const state: RegistryState = { files: [], subjects: new Map(), registered: new Set() };
  const listeners = new Set<() => void>();

  const startThread = (): Promise<DiscoveryThread> =>
    startDiscoveryThread({ settings: dependencies.settings, memoryMb: config.toolMemoryMb });

  /** Judges anew what is registered, and tells of a difference. */
  function settle(): void {
    const passing = [...state.subjects.values()].filter(
      (subject) => subject.descriptor !== null && passesRegistration(subject, rules),
    );
    const before = [...state.registered].join();
    state.registered = new Set(passing.map(({ name }) => name).sort());
    if (before !== [...state.registered].join()) for (const listener of listeners) listener();
  }

  function takeFiles(files: readonly LoadedFile[]): void {
    const earlier = state.subjects;
    const reloaded = files.filter((file) => !state.files.includes(file));
    state.files = files;
    state.subjects = new Map();
    for (const tool of listInstalledTools(files)) {
      const { descriptor } = tool;
      if (descriptor?.register === false) continue;
      const known = earlier.get(tool.name);
      const isNew = reloaded.some(({ file }) => file.file === tool.file) || known === undefined;
      const availability = descriptor === null ? NONE : assumeAvailability(descriptor);
      state.subjects.set(
        tool.name,
        isNew ? { ...tool, loadedAt: now(), availability } : { ...known, ...tool },
      );
    }
  }

  /** @returns when the checks that wait for nothing have been told; `done` when all have. */
  async function probe(
    subjects: readonly GateSubject[],
    given: DiscoveryThread | null,
  ): Promise<{ readonly done: Promise<void> }> {
    const targets = subjects.flatMap(({ descriptor }) =>
      descriptor !== null && isProbed(descriptor) && !policy.isDenied(descriptor.name)
        ? [{ name: descriptor.name, moduleUrl: descriptor.moduleUrl }]
        : [],
    );
    if (targets.length === 0) {
      await given?.close();
      return { done: Promise.resolve() };
    }
    const thread = given ?? (await startThread());
    return new Promise((started) => {
      const done = probeTools(thread, targets, {
        startThread,
        deadlineMs: PROBE_DEADLINE_MS,
        onOutcome(name, outcome) {
          if (outcome.kind === 'failed') {
            log.warn({ tool: name, reason: outcome.reason }, 'A tool could not be checked.');
          }
          setAvailability(state, name, { ...outcome, checkedAt: now() });
          settle();
        },
        onStarted: () => started({ done }),
      }).catch((error: unknown) => log.error({ error }, 'Tools could not be checked.'));
      void done.then(() => started({ done }));
    });
  }

  const files = await listFiles(dependencies);
  const outcome = await loadToolFiles(files, { startThread, deadlineMs: LOAD_DEADLINE_MS });
  takeFiles(outcome.files);
  for (const warning of listUnknownNames(config, new Set(state.subjects.keys()))) log.warn(warning);
  for (const { broken } of state.subjects.values()) if (broken !== null) log.error(broken.reason);
  settle();
  let probing = (await probe([...state.subjects.values()], outcome.thread)).done;
  const stopTimer = clock.every(config.toolRecheckMs, () => {
    probing = probing.then(async () => (await probe([...state.subjects.values()], null)).done);
  });

  const judge = (subject: GateSubject, view: GateView): GateReport =>
    judgeGates(subject, view, rules);
  const toModelTool = (tool: ModelTool, protocol: ModelProtocol): ModelTool =>
    schemas.make(tool, protocol);
  const toEntry = ({ name, descriptor, broken }: GateSubject): RegistryEntry => ({
    ...{ name, descriptor, broken },
    isRegistered: state.registered.has(name),
  });
  const registeredDescriptors = () =>
    [...state.registered].flatMap((name) => state.subjects.get(name)?.descriptor ?? []);

  return {
    list: () => [...state.subjects.values()].map(toEntry).sort(byName),
    find(name) {
      const subject = state.subjects.get(name);
      return subject === undefined ? null : toEntry(subject);
    },
    groups: () => collectGroups(registeredDescriptors()),
    report(name, view) {
      const subject = state.subjects.get(name);
      return subject === undefined ? null : judge(subject, view);
    },
    activeNames: (view) =>
      [...state.registered].filter((name) => {
        const subject = state.subjects.get(name);
        return subject !== undefined && name !== ACTIVATION_TOOL && judge(subject, view).isActive;
      }),
    inactiveGroups(view): readonly ToolGroup[] {
      const waiting = registeredDescriptors().filter(({ name }) => {
        const subject = state.subjects.get(name);
        return subject !== undefined && judge(subject, view).stoppedBy === 'chat';
      });
      return collectGroups(waiting);
    },
    modelTools: (names, protocol) =>
      names.flatMap((name) => {
        const tool = state.subjects.get(name)?.descriptor;
        return tool === null || tool === undefined ? [] : [toModelTool(tool, protocol)];
      }),
    modelTool: toModelTool,
    baseSchema: (name) => state.subjects.get(name)?.descriptor?.parameters ?? null,

    async recheck(name) {
      const subject = state.subjects.get(name);
      if (subject === undefined) throw notFound('Tool', name.slice(0, 100));
      const loaded = findFile(state.files, subject);
      const again = await loadToolFiles([await renewed(loaded.file)], {
        startThread,
        deadlineMs: LOAD_DEADLINE_MS,
      });
      const [fresh] = again.files;
      takeFiles(state.files.map((file) => (file === loaded && fresh ? fresh : file)));
      settle();
      const same = [...state.subjects.values()].filter(({ file }) => file === loaded.file.file);
      await (
        await probe(same, again.thread)
      ).done;
      settle();
    },

    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      stopTimer();
      listeners.clear();
      await probing;
    },
  };
}

interface RegistryState {
  files: readonly LoadedFile[];
  /** Every installed tool that is no helper, by name. */
  subjects: Map<string, GateSubject>;
  /** Sorted. */
  registered: ReadonlySet<string>;
}

const NONE: Availability = { kind: 'none' };

const byName = (a: RegistryEntry, b: RegistryEntry): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0;

function setAvailability(state: RegistryState, name: string, availability: Availability): void {
  const subject = state.subjects.get(name);
  if (subject !== undefined) state.subjects.set(name, { ...subject, availability });
}

/** The files of all folders; a folder that cannot be read costs its own tools only. */
async function listFiles(dependencies: ToolRegistryDependencies): Promise<readonly ToolFile[]> {
  const { config, log, builtInFolder = BUILT_IN_FOLDER } = dependencies;
  const custom = await Promise.all(
    config.toolsPath.map(async (path) => {
      try {
        return await listToolFiles(pathToFileURL(resolve(path)), 'custom');
      } catch (error) {
        log.error(`TOOLS_PATH names ${path}, which cannot be read: ${messageOf(error)}`);
        return [];
      }
    }),
  );
  return [...(await listToolFiles(builtInFolder, 'built-in')), ...custom.flat()];
}

function findFile(files: readonly LoadedFile[], subject: GateSubject): LoadedFile {
  const moduleUrl = subject.descriptor?.moduleUrl ?? subject.broken?.moduleUrl;
  const found = files.find(({ file }) => file.moduleUrl === moduleUrl);
  if (found !== undefined) return found;
  throw new Error(`The file of ${subject.name} is not among those that were loaded.`);
}

/** Threads keep a module by its address: a file that was changed gets a new one. */
async function renewed(file: ToolFile): Promise<ToolFile> {
  const url = new URL(file.moduleUrl);
  const modified = await stat(fileURLToPath(new URL(url.pathname, url))).catch(() => null);
  if (modified === null) return file;
  url.searchParams.set('version', String(Math.round(modified.mtimeMs)));
  return { ...file, moduleUrl: url.href };
}
