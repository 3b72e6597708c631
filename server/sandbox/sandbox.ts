/** The shapes that every engine shares. What runs in a sandbox is hostile: an engine believes none of it. */

export type SandboxEngineName = 'MONTY' | 'PYODIDE';

/** A file that the code finds below /mnt/data. */
export interface SandboxInput {
  /** Path below /mnt/data with forward slashes, e.g. `data.csv` or `generated/plot.png`. */
  readonly name: string;
  /** Absolute path on the server's disk, for reading only. */
  readonly path: string;
  readonly bytes: number;
}

/** A file that the code gave out. */
export interface SandboxArtefact {
  /** Plain name without a path, checked. */
  readonly name: string;
  readonly content: Uint8Array;
}

/** A package file from the verified cache. */
export interface SandboxPackage {
  /** File name, e.g. `numpy-2.4.6-cp314-….whl`. */
  readonly fileName: string;
  readonly path: string;
}

export interface SandboxRun {
  readonly code: string;
  readonly inputs: readonly SandboxInput[];
  readonly packages: readonly SandboxPackage[];
  /** Milliseconds from the moment the engine begins; waiting for a place does not count. */
  readonly timeoutMs: number;
}

export interface SandboxObserver {
  readonly signal: AbortSignal;
  onOutput(text: string): void;
}

/** `TIMEOUT`, `MEMORY`: a limit was reached. `KILLED`: the process died or broke the protocol. `CANCELLED`: the signal. */
export type SandboxEnd =
  | { readonly status: 'FINISHED' }
  /** `error` is the traceback as Python prints it. */
  | { readonly status: 'RAISED'; readonly error: string }
  | {
      readonly status: 'TIMEOUT' | 'MEMORY' | 'KILLED' | 'CANCELLED' | 'OVERLOADED' | 'NOT_SET_UP';
      /** A whole sentence. */
      readonly error: string;
    };

export type SandboxOutcome = SandboxEnd & {
  /** What was printed, also before a failure; at most 65,536 bytes. */
  readonly output: string;
  readonly isOutputCut: boolean;
  readonly artefacts: readonly SandboxArtefact[];
  readonly durationMs: number;
};

/** For the operator's view. */
export interface SandboxStatus {
  readonly engine: SandboxEngineName;
  /** Null when the engine can run; else a whole sentence that says what would make it. */
  readonly problem: string | null;
  readonly ready: number;
  readonly starting: number;
  readonly busy: number;
  /** Runs that wait for memory or a process. */
  readonly waiting: number;
  readonly started: number;
  /** Ended by the engine, by reason. */
  readonly killed: Readonly<
    Record<'TIMEOUT' | 'MEMORY' | 'PROTOCOL' | 'CANCELLED' | 'IDLE', number>
  >;
  readonly memoryBytes: number;
}

export interface SandboxEngine {
  run(run: SandboxRun, observer: SandboxObserver): Promise<SandboxOutcome>;
  status(): SandboxStatus;
  /** Ends every process of the engine; runs that are under way end as CANCELLED. */
  close(): Promise<void>;
}

/** What code may give out in one run. */
export const ARTEFACT_LIMITS = {
  count: 20,
  fileBytes: 10_000_000,
  totalBytes: 25_000_000,
} as const;
export const OUTPUT_LIMIT_BYTES = 65_536;
