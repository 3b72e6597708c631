import type { ToolFile } from '../tools/kit/discover.ts';
import type { ToolDescriptor } from '../tools/kit/tool-descriptor.ts';
import type { DiscoveryThread, ThreadTrouble } from './discovery-thread.ts';

/** What became of one tool file. */
export interface LoadedFile {
  readonly file: ToolFile;
  readonly tools: readonly ToolDescriptor[];
  /** A whole sentence; null for a file that loads. */
  readonly problem: string | null;
}

export interface LoadOptions {
  startThread(): Promise<DiscoveryThread>;
  /** Milliseconds that one file may take when it is loaded alone. */
  readonly deadlineMs: number;
}

export interface LoadOutcome {
  /** One for each file, in the order given. */
  readonly files: readonly LoadedFile[];
  /** Has imported the files that load; the caller closes it. */
  readonly thread: DiscoveryThread;
}

/** Milliseconds that a file may take while others wait behind it; longer, and it is tried alone. */
const SHARED_PATIENCE_MS = 3_000;

/**
 * Imports all files in one thread. When that thread stops answering, the file at hand is tried again
 * alone, because an earlier one may be to blame, and the others go on in a new thread.
 */
export async function loadToolFiles(
  files: readonly ToolFile[],
  options: LoadOptions,
): Promise<LoadOutcome> {
  const loaded: LoadedFile[] = [];
  const patienceMs = Math.min(SHARED_PATIENCE_MS, options.deadlineMs);
  let thread = await options.startThread();
  thread.send({ type: 'load', files });

  for (const [index, file] of files.entries()) {
    const outcome = await readOutcome(thread, file, patienceMs);
    if (outcome.type === 'file') {
      loaded.push(outcome);
      continue;
    }
    await thread.close();
    loaded.push(await loadAlone(file, options));
    thread = await options.startThread();
    thread.send({ type: 'load', files: files.slice(index + 1) });
  }
  return { files: loaded, thread };
}

async function loadAlone(file: ToolFile, options: LoadOptions): Promise<LoadedFile> {
  const thread = await options.startThread();
  try {
    thread.send({ type: 'load', files: [file] });
    const outcome = await readOutcome(thread, file, options.deadlineMs);
    if (outcome.type === 'file') return outcome;
    return { file, tools: [], problem: `${file.file} cannot be loaded: it ${outcome.reason}.` };
  } finally {
    await thread.close();
  }
}

async function readOutcome(
  thread: DiscoveryThread,
  file: ToolFile,
  timeoutMs: number,
): Promise<(LoadedFile & { readonly type: 'file' }) | ThreadTrouble> {
  const reply = await thread.next(timeoutMs);
  if (reply.type === 'trouble') return reply;
  if (reply.type !== 'loaded' || reply.moduleUrl !== file.moduleUrl) {
    throw new Error(`The discovery thread answered ${reply.type} instead of ${file.file}.`);
  }
  return { type: 'file', file, tools: reply.tools, problem: reply.problem };
}
