import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { encodeNamedHeader, type FrameType } from './frames.ts';

export interface ChildObserver {
  onData(chunk: Buffer): void;
  /** Once, when it has ended and all that it said was heard. */
  onEnd(end: ChildEnd): void;
}

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The beginning of what it wrote to standard error. */
  readonly stderr: string;
}

/** A process in a group of its own, which ends with the server. */
export interface SandboxChild {
  write(bytes: Uint8Array): void;
  /**
   * Sends a file as it is read; waits while the process is behind.
   *
   * @throws Error if the file cannot be read, or `signal` says that the process is gone.
   */
  writeFile(type: FrameType, file: ChildFile, signal: AbortSignal): Promise<void>;
  kill(): void;
  /** 0 where the machine does not tell. */
  readRssBytes(): number;
}

export interface ChildFile {
  readonly name: string;
  readonly path: string;
}

const MAX_STDERR_CHARACTERS = 2_000;

export function startChild(
  shellArguments: readonly string[],
  environment: Readonly<Record<string, string>>,
  observer: ChildObserver,
): SandboxChild {
  const child = spawn('/bin/sh', shellArguments, {
    cwd: '/',
    env: environment,
    detached: true,
    // The last is for the watch that ends the group with the server.
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const [stdin, stdout, errors, watch] = child.stdio as [
    ...[Writable, Readable, Readable, Writable],
    unknown,
  ];
  let stderr = '';
  let isGone = false;
  errors.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(0, MAX_STDERR_CHARACTERS);
  });
  stdout.on('data', observer.onData);
  for (const pipe of [stdin, watch]) {
    // It may end while it is written to; `onEnd` tells of that.
    pipe.on('error', () => undefined);
  }
  const end = (code: number | null, signal: NodeJS.Signals | null): void => {
    if (isGone) return;
    isGone = true;
    observer.onEnd({ code, signal, stderr: stderr.trim() });
  };
  child.once('error', (error) => {
    stderr = error.message;
    end(null, null);
  });
  child.once('exit', () => watch.destroy());
  child.once('close', end);

  return {
    write: (bytes) => void stdin.write(bytes),
    writeFile: (type, file, signal) => sendFile(stdin, { type, ...file }, signal),
    kill: () => killGroup(child.pid),
    readRssBytes: () => (isGone ? 0 : readRssBytes(child.pid)),
  };
}

async function sendFile(
  stdin: Writable,
  { type, name, path }: ChildFile & { readonly type: FrameType },
  signal: AbortSignal,
): Promise<void> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    stdin.write(encodeNamedHeader(type, name, size));
    if (size === 0) return;
    let sent = 0;
    const content = handle.createReadStream({ end: size - 1, autoClose: false });
    for await (const chunk of content as AsyncIterable<Buffer>) {
      signal.throwIfAborted();
      sent += chunk.length;
      if (!stdin.write(chunk)) await once(stdin, 'drain', { signal });
    }
    if (sent < size) throw new Error(`The file ${name} became shorter while it was read.`);
  } finally {
    await handle.close();
  }
}

/** The watch goes as well. A group that is gone needs nothing. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function readRssBytes(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1_024;
  } catch {
    // Not there on other systems, nor for a process that has just ended.
    return 0;
  }
}
