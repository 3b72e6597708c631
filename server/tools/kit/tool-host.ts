/** What a running tool may ask of the application; every call is bound to its user and chat. */

export interface HostFile {
  readonly label: string;
  readonly origin: 'UPLOADED' | 'GENERATED';
  readonly mimeType: string;
  readonly bytes: number;
  /** `/generated-files/<chat-uuid>/<stored name>` */
  readonly downloadUrl: string;
  /** Where code_interpreter finds the file: `/mnt/data/<name>` or `/mnt/data/generated/<name>`. */
  readonly codeInterpreterPath: string;
}

export interface LocatedFile extends HostFile {
  /** Absolute path on the server's disk, for reading only; never told to a model. */
  readonly path: string;
}

export interface FilesHost {
  list(): Promise<readonly HostFile[]>;
  /** Null when the chat has no file with that label. */
  locate(label: string): Promise<LocatedFile | null>;
  /**
   * Keeps `content` as a generated file of the chat. A label that is taken becomes "name (2).ext".
   * @throws AppError `BAD_INPUT` if the label is not a plain file name or the content exceeds the file limit.
   */
  create(file: {
    readonly label: string;
    readonly mimeType: string;
    readonly content: string | Uint8Array;
  }): Promise<HostFile>;
}

export interface HostFact {
  readonly id: string;
  readonly text: string;
}

export interface FactsHost {
  /** Stores a fact of the user; one with the same words (case and spaces aside) is not stored twice. */
  remember(text: string): Promise<{ readonly fact: HostFact; readonly isNew: boolean }>;
  /** Facts that contain `match`, case-insensitively. */
  find(match: string): Promise<readonly HostFact[]>;
  forget(id: string): Promise<void>;
}

/** Shared by all threads of the server. */
export interface CacheHost {
  get(key: string): Promise<unknown>;
  /** `value` must be JSON; it is dropped after `ttlMs`. */
  set(key: string, value: unknown, ttlMs: number): Promise<void>;
}

export interface PythonRun {
  readonly code: string;
  /** Top-level modules that the code imports, e.g. `docx`. */
  readonly imports: readonly string[];
  /** Packages that the model named besides, e.g. `python-docx`. */
  readonly dependencies: readonly string[];
  /** Whether the small engine can do it; it is tried first then, and Pyodide runs what it fails at. */
  readonly fitsMonty: boolean;
  readonly timeoutMs: number;
}

export type PythonUpdate =
  | { readonly type: 'output'; readonly text: string }
  /** E.g. that a package is being loaded. */
  | { readonly type: 'message'; readonly text: string };

export type PythonOutcome = {
  /** What the code printed, also before a failure; at most 65,536 bytes. */
  readonly output: string;
  readonly isOutputCut: boolean;
  readonly files: readonly HostFile[];
  readonly engine: 'MONTY' | 'PYODIDE' | 'HOST' | null;
  /** Why that engine ran it, as a whole sentence. */
  readonly engineReason: string;
  readonly durationMs: number;
} & (
  | { readonly status: 'FINISHED' }
  /** `error` is the traceback as Python prints it. */
  | { readonly status: 'RAISED'; readonly error: string }
  /** Ended from outside or never begun; `error` is a whole sentence. */
  | {
      readonly status: 'TIMEOUT' | 'MEMORY' | 'KILLED' | 'OVERLOADED' | 'NOT_SET_UP';
      readonly error: string;
    }
);

/** Runs Python in the sandbox, with the chat's files under /mnt/data. */
export interface PythonHost {
  run(run: PythonRun, onUpdate: (update: PythonUpdate) => void): Promise<PythonOutcome>;
}

export interface ToolHost {
  readonly files: FilesHost;
  readonly facts: FactsHost;
  readonly cache: CacheHost;
  /** Resolves when it is this caller's turn: turns of one key are at least `intervalMs` apart, in order of arrival. */
  pace(key: string, intervalMs: number): Promise<void>;
}

/** The host services that a tool has to name in `needs` before it may call them. */
export type HostService = 'files' | 'facts';
