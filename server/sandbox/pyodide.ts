import { join, resolve } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { createProcessPool, type ProcessPool } from './process-pool.ts';
import { findPyodideFiles } from './pyodide-files.ts';
import { startPyodideProcess, type PyodideProcess } from './pyodide-process.ts';
import type { SandboxEnd, SandboxEngine, SandboxOutcome, SandboxStatus } from './sandbox.ts';
import { ensureSnapshot } from './snapshot.ts';

export interface PyodideEngineOptions {
  readonly denoPath: string;
  /** The image of Python's memory is kept below it. */
  readonly dataFolder: string;
  /** Processes that are kept ready; none with network. */
  readonly poolSize: number;
  /** For all processes together. */
  readonly memoryMb: number;
  readonly allowNetworking: boolean;
  readonly log: Log;
  readonly clock: Clock;
}

export interface PyodideEngine extends SandboxEngine {
  /**
   * Makes the image of Python's memory if there is none yet, and starts what is kept ready.
   *
   * @throws Error if the image cannot be made, with a whole sentence.
   */
  prepare(): Promise<void>;
}

const BYTES_PER_MB = 1_048_576;
/** What Python's own memory may grow to in one process: the interpreter itself takes about 50 MB of it. */
const MIN_HEAP_MB = 128;
/** WebAssembly has no more. */
const MAX_HEAP_MB = 2_048;

/** Python in WebAssembly, in single-use Deno processes that have no rights. */
export function createPyodideEngine(options: PyodideEngineOptions): PyodideEngine {
  const { denoPath, poolSize, memoryMb, allowNetworking, clock, log } = options;
  const killed = { TIMEOUT: 0, MEMORY: 0, PROTOCOL: 0, CANCELLED: 0, IDLE: 0 };
  const heapMb = Math.min(MAX_HEAP_MB, Math.max(MIN_HEAP_MB, Math.floor(memoryMb / 2)));
  let opening: Promise<ProcessPool<PyodideProcess>> | null = null;
  let pool: ProcessPool<PyodideProcess> | null = null;
  let problem: string | null = null;
  let isClosed = false;

  async function open(): Promise<ProcessPool<PyodideProcess>> {
    const files = findPyodideFiles();
    const folder = resolve(join(options.dataFolder, 'sandbox'));
    const snapshotPath = await ensureSnapshot({ folder, denoPath, files, clock });
    const command = { denoPath, files, snapshotPath, heapMb, allowNetworking, clock };
    const onKill = (reason: keyof SandboxStatus['killed']): void => {
      killed[reason] += 1;
      if (reason === 'PROTOCOL') log.warn('A Python process broke its protocol and was ended.');
    };
    return createProcessPool({
      launch: () => startPyodideProcess({ ...command, onKill }),
      size: allowNetworking ? 0 : poolSize,
      memoryBytes: memoryMb * BYTES_PER_MB,
      clock,
    });
  }

  /** A failure is not kept: the next run tries again. */
  async function getPool(): Promise<ProcessPool<PyodideProcess>> {
    opening ??= open();
    try {
      pool = await opening;
      problem = null;
      return pool;
    } catch (error) {
      opening = null;
      problem = error instanceof Error ? error.message : String(error);
      throw error;
    }
  }

  return {
    async prepare() {
      const opened = await getPool();
      if (!isClosed) opened.fill();
    },
    async run(run, observer) {
      let opened;
      try {
        opened = await getPool();
      } catch {
        return notBegun({ status: 'NOT_SET_UP', error: problem ?? 'Python could not be started.' });
      }
      if (isClosed) return notBegun({ status: 'CANCELLED', error: 'The sandbox is closed.' });
      const acquired = await opened.acquire(observer.signal);
      if ('refusal' in acquired) return notBegun(acquired.refusal);
      return acquired.process.run(run, observer);
    },
    status() {
      const none = { ready: 0, starting: 0, busy: 0, waiting: 0, started: 0, memoryBytes: 0 };
      const counts = pool?.status() ?? { ...none, problem: null };
      return {
        ...counts,
        engine: 'PYODIDE',
        problem: problem ?? counts.problem,
        killed: { ...killed },
      };
    },
    async close() {
      isClosed = true;
      const opened = await opening?.catch(() => null);
      await opened?.close();
    },
  };
}

function notBegun(end: SandboxEnd): SandboxOutcome {
  return { ...end, output: '', isOutputCut: false, artefacts: [], durationMs: 0 };
}
