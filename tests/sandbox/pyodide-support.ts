import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../server/clock.ts';
import { createLog } from '../../server/log.ts';
import {
  createPyodideEngine,
  type PyodideEngine,
  type PyodideEngineOptions,
} from '../../server/sandbox/pyodide.ts';
import type { SandboxEngine, SandboxOutcome, SandboxRun } from '../../server/sandbox/sandbox.ts';

const projectFolder = fileURLToPath(new URL('../..', import.meta.url));

/** One for all tests, so that the image of Python's memory is made once. */
export const SANDBOX_FOLDER = `${projectFolder}.cache/tests`;

/** The program that the `deno` package brings for this machine. */
export function findDeno(): string {
  const folder = `${projectFolder}node_modules/@deno`;
  const [platform] = readdirSync(folder);
  return `${folder}/${platform}/deno`;
}

export function createTestEngine(options: Partial<PyodideEngineOptions> = {}): PyodideEngine {
  return createPyodideEngine({
    denoPath: findDeno(),
    dataFolder: SANDBOX_FOLDER,
    poolSize: 1,
    memoryMb: 1_024,
    allowNetworking: false,
    log: createLog({ level: 'silent' }),
    clock: systemClock,
    ...options,
  });
}

export interface TestRun extends Partial<SandboxRun> {
  readonly signal?: AbortSignal;
  onOutput?(text: string): void;
}

export function runPython(
  engine: SandboxEngine,
  code: string,
  run: TestRun = {},
): Promise<SandboxOutcome> {
  const { signal = new AbortController().signal, onOutput = () => undefined } = run;
  return engine.run(
    { inputs: [], packages: [], timeoutMs: 15_000, ...run, code },
    { signal, onOutput },
  );
}

/** Ids of all living processes whose group is one of the given, or that were started by `parent`. */
export function listProcesses(isWanted: (process: RunningProcess) => boolean): RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)))
    .filter((process) => process.state !== 'Z' && isWanted(process));
}

export interface RunningProcess {
  readonly pid: number;
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly rssBytes: number;
}

function readProcess(pid: number): readonly RunningProcess[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state = '', parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const rssKb = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
    return [{ pid, state, parent: Number(parent), group: Number(group), rssBytes: rssKb * 1_024 }];
  } catch {
    // It ended in between.
    return [];
  }
}
