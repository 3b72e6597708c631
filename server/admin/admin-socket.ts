import { createHash } from 'node:crypto';
import { chmod, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import type { App } from '../app.ts';
import type { Config } from '../config.ts';
import { AppError, messageOf } from '../errors.ts';
import { runCommand, type AdminCommand, type AdminContext, type AdminOutcome } from './commands.ts';

/**
 * The door for the shell into the running server, which alone may use the embedded database. It
 * lies in the data folder, where only the server's own account may look.
 */
export interface AdminSocket {
  close(): Promise<void>;
}

const MAX_LINE_CHARACTERS = 1_000_000;
/** The system allows 107 bytes for the path of a socket. */
const MAX_PATH_BYTES = 100;

/** Null where the path is too long for a socket: commands that need the server's database then wait for its end. */
function adminSocketPath(dataDir: string): string | null {
  const folder = resolve(dataDir);
  if (process.platform === 'win32') {
    const hash = createHash('sha256').update(folder).digest('hex').slice(0, 16);
    return `\\\\.\\pipe\\signalbox-${hash}`;
  }
  const path = join(folder, 'admin.sock');
  return Buffer.byteLength(path) <= MAX_PATH_BYTES ? path : null;
}

export async function openAdminSocket(app: App, config: Config): Promise<AdminSocket> {
  const path = adminSocketPath(config.dataDir);
  if (path === null) return { close: () => Promise.resolve() };
  // One that a killed server left; a running one holds the lock of the data folder.
  if (process.platform !== 'win32') await rm(path, { force: true });
  const server = createServer((socket) => void answer(socket, app, config));
  await new Promise<void>((done, reject) => {
    server.once('error', reject);
    server.listen(path, done);
  });
  if (process.platform !== 'win32') await chmod(path, 0o600);
  return { close: () => new Promise((done) => server.close(() => done())) };
}

const contextOf = (app: App, config: Config): AdminContext => ({
  ...app,
  config,
  openRegistry: () => Promise.resolve(app.registry),
});

async function answer(socket: Socket, app: App, config: Config): Promise<void> {
  socket.on('error', () => socket.destroy());
  try {
    const command = JSON.parse(await readLine(socket)) as AdminCommand;
    socket.end(`${JSON.stringify(await runCommand(contextOf(app, config), command))}\n`);
  } catch (error) {
    const text = error instanceof AppError ? error.message : `Failed: ${messageOf(error)}`;
    socket.end(`${JSON.stringify({ text, code: 1 } satisfies AdminOutcome)}\n`);
  }
}

/**
 * Has the running server do a command.
 *
 * @returns null when no server runs on this data folder.
 */
export async function askRunningServer(
  config: Config,
  command: AdminCommand,
): Promise<AdminOutcome | null> {
  const path = adminSocketPath(config.dataDir);
  if (path === null) return null;
  const socket = connect(path);
  const isConnected = await new Promise<boolean>((done) => {
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
  });
  if (!isConnected) return null;
  socket.write(`${JSON.stringify(command)}\n`);
  return JSON.parse(await readLine(socket)) as AdminOutcome;
}

/** The socket stays open: what was read can be answered. */
function readLine(socket: Socket): Promise<string> {
  return new Promise((done, reject) => {
    let text = '';
    const hangUp = (): void =>
      reject(new AppError('BAD_INPUT', 'The other side hung up in the middle of a line.'));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) done(text.slice(0, end));
      else if (text.length > MAX_LINE_CHARACTERS) hangUp();
    });
    socket.once('error', hangUp).once('close', hangUp);
  });
}
