// Thread entry: owns the lock, the data folder and the one session of the embedded database.
import { once } from 'node:events';
import { rename, rm } from 'node:fs/promises';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { PGlite } from '@electric-sql/pglite';
import { AppError, messageOf } from '../errors.ts';
import { hasDatabase, openEngine } from './embedded-engine.ts';
import type { EmbeddedReport, EmbeddedRequest, EmbeddedThreadData } from './embedded-messages.ts';
import { lockFolder } from './folder-lock.ts';

const { folder, lockPath, isDurable } = workerData as EmbeddedThreadData;
let unlock = (): void => {};

function report(message: EmbeddedReport, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}

function die(reason: string): never {
  report({ type: 'died', reason });
  process.exit(1);
}

/** In a thread of its own, because making a database takes hundreds of megabytes for seconds. */
async function createDatabase(): Promise<void> {
  const draft = `${folder}.new`;
  await rm(draft, { recursive: true, force: true });
  const creator = new Worker(new URL('./embedded-creator.ts', import.meta.url), {
    workerData: { folder: draft },
  });
  await once(creator, 'exit'); // rejects when the creator throws
  await rename(draft, folder);
}

async function open(): Promise<PGlite> {
  unlock = lockFolder(lockPath, folder);
  if (!hasDatabase(folder)) {
    report({ type: 'creating' });
    await createDatabase();
  }
  return openEngine({ folder, isDurable, onDeath: die });
}

function serve(engine: PGlite): void {
  parentPort?.on('message', (request: EmbeddedRequest) => {
    if (request.type === 'close') return void closeEngine(engine);
    const answer = execute(engine, request.message);
    report({ type: 'executed', id: request.id, answer }, [answer.buffer]);
  });
  report({ type: 'ready' });
}

function execute(engine: PGlite, message: Uint8Array): Uint8Array<ArrayBuffer> {
  try {
    return engine.execProtocolRawSync(message) as Uint8Array<ArrayBuffer>;
  } catch (error) {
    return die(messageOf(error));
  }
}

async function closeEngine(engine: PGlite): Promise<void> {
  await engine.close();
  unlock();
  process.exit(0);
}

try {
  serve(await open());
} catch (error) {
  const code = error instanceof AppError ? error.code : 'UNAVAILABLE';
  const message =
    error instanceof AppError
      ? error.message
      : `The embedded database in ${folder} cannot be opened: ${messageOf(error)}`;
  report({ type: 'refused', code, message });
  process.exit(1);
}
