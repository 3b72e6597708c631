import type { PyodideFiles } from './pyodide-files.ts';

export interface PyodideCommand {
  readonly denoPath: string;
  readonly files: PyodideFiles;
  readonly snapshotPath: string;
  /** What Python's own memory may grow to. */
  readonly heapMb: number;
  readonly allowNetworking: boolean;
}

/** Denied for good, so that asking for it later fails as well. Reading is given up by the runner. */
const DENIED = ['env', 'run', 'ffi', 'sys', 'write', 'import'];
/** Nothing but what is on the disk is ever loaded, and nothing is kept. */
const CLOSED = [
  ...['--quiet', '--no-prompt', '--no-config', '--no-lock', '--no-remote', '--no-npm'],
  ...['--cached-only', '--no-code-cache'],
];

/**
 * This machine and the networks around it (RFC 6890), closed also where the rest of the network is open. Deno
 * compares the addresses that a name leads to; it has no ranges of IPv6.
 */
const PRIVATE = [
  ...['localhost', '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '168.63.129.16'],
  ...['169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16', '[::]', '[::1]'],
];

/** Beside Python's memory: code, JavaScript's heap, and files in memory. */
const OTHER_DATA_MB = 800;
const JAVASCRIPT_HEAP_MB = 256;
const PAGES_PER_MB = 16;
const MAX_OPEN_FILES = 64;
/** A second wall beside the time limit of a run, whose longest is an hour. */
const CPU_SECONDS = 3_700;

/** Deno keeps what web pages may store there: it must not exist. */
export const DENO_ENVIRONMENT = {
  DENO_DIR: '/nonexistent/deno',
  DENO_NO_UPDATE_CHECK: '1',
  NO_COLOR: '1',
};

/** The arguments for `/bin/sh`; the process it becomes is Deno itself, under its process id. */
export function createPyodideCommand(command: PyodideCommand): readonly string[] {
  const { denoPath, files, snapshotPath, heapMb, allowNetworking } = command;
  const dataKb = (heapMb + OTHER_DATA_MB) * 1_024;
  const limits = [
    ...["trap '' XFSZ", 'ulimit -c 0', 'ulimit -f 0', `ulimit -n ${MAX_OPEN_FILES}`],
    ...[`ulimit -d ${dataKb}`, `ulimit -t ${CPU_SECONDS}`],
  ];
  const script = `${limits.join('; ')}; ${WATCH_SERVER} exec "$0" "$@" 3<&-`;
  return [
    ...['-c', script, denoPath, 'run', ...CLOSED],
    ...DENIED.map((name) => `--deny-${name}`),
    ...(allowNetworking ? ['--allow-net', `--deny-net=${PRIVATE.join(',')}`] : ['--deny-net']),
    allowRead([files.pyodideFolder, files.wsFolder, snapshotPath]),
    `--v8-flags=--max-old-space-size=${JAVASCRIPT_HEAP_MB},--wasm-max-mem-pages=${heapMb * PAGES_PER_MB}`,
    ...[files.runner, files.pyodideFolder, snapshotPath],
    ...(allowNetworking ? ['network'] : []),
  ];
}

/** What makes the image of the memory; it is written to standard output. */
export function createSnapshotArguments(files: PyodideFiles): readonly string[] {
  const { pyodideFolder, wsFolder, harness, snapshotBuilder } = files;
  return [
    ...['run', ...CLOSED, ...DENIED.map((name) => `--deny-${name}`), '--deny-net'],
    ...[allowRead([pyodideFolder, wsFolder, harness]), snapshotBuilder, pyodideFolder, harness],
  ];
}

/** A comma parts two paths; one in a path is written twice. */
const allowRead = (paths: readonly string[]): string =>
  `--allow-read=${paths.map((path) => path.replaceAll(',', ',,')).join(',')}`;

/**
 * The server holds the other end of descriptor 3. Once the server is gone, however it went, this ends the whole
 * process group, busy or not.
 */
const WATCH_SERVER = '{ read -r _ <&3; kill -9 0; } </dev/null >/dev/null 2>&1 &';
