import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { canInstallDebianPackages, installDebianPackage } from './debian.ts';

const START_TIMEOUT_MS = 30_000;
const USER = 'signalbox';

/** Durability costs time and is worth nothing in a database that is thrown away. */
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_connections=100',
  'lc_messages=C',
];

export interface TestPostgres {
  /** Connection string of a superuser, with password. */
  readonly url: string;
  /** Stops the server and removes its data. May be called twice. */
  stop(): Promise<void>;
}

interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Starts a PostgreSQL server of its own on a free loopback port. It ends with this process, too.
 *
 * PostgreSQL refuses to run as root: a root process starts it as the user `postgres`.
 *
 * @throws Error that says why there can be none on this machine.
 */
export async function startPostgres(): Promise<TestPostgres> {
  const binaries = findBinaries() ?? (await installBinaries());
  const account = process.getuid?.() === 0 ? findAccount() : null;
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-postgres-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const password = createDataFolder(binaries, folder, account);
    const port = await findFreePort();
    const server = await startServer({ binaries, folder, account, port });
    const killNow = () => {
      server.kill('SIGQUIT');
      remove();
    };
    process.once('exit', killNow);
    return {
      url: `postgresql://${USER}:${password}@127.0.0.1:${port}/postgres`,
      async stop() {
        process.off('exit', killNow);
        if (server.exitCode === null && server.signalCode === null) {
          const exit = once(server, 'exit');
          server.kill('SIGINT'); // "fast": does not wait for clients that are still connected
          await exit;
        }
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** @returns the folder of `initdb` and `postgres`, the newest version first; null if not found. */
function findBinaries(): string | null {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  const places = [
    ...versions.sort((a, b) => Number(b) - Number(a)).map((version) => `${debian}/${version}/bin`),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ];
  const isComplete = (place: string) =>
    ['initdb', 'postgres'].every((name) => existsSync(join(place, name)));
  return places.find(isComplete) ?? null;
}

async function installBinaries(): Promise<string> {
  if (!canInstallDebianPackages()) {
    throw new Error(
      'No initdb and postgres were found on this machine, and only root on Debian may install them. ' +
        'Install PostgreSQL, or set TEST_DATABASE_URL to a database that may be emptied.',
    );
  }
  await installDebianPackage('postgresql');
  const binaries = findBinaries();
  if (!binaries) throw new Error('The package postgresql was installed without initdb.');
  return binaries;
}

function findAccount(): Account {
  for (const name of ['postgres', 'nobody']) {
    const ask = (flag: string) => spawnSync('id', [flag, name], { encoding: 'utf8' });
    const [user, group] = [ask('-u'), ask('-g')];
    if (user.status === 0) return { uid: Number(user.stdout), gid: Number(group.stdout) };
  }
  throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody.');
}

/** @returns the password of the superuser. */
function createDataFolder(binaries: string, folder: string, account: Account | null): string {
  const password = randomBytes(16).toString('hex');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (account) for (const path of [folder, passwordFile]) chownSync(path, account.uid, account.gid);
  const locale = process.platform === 'linux' ? 'C.UTF-8' : 'en_US.UTF-8';
  const { status, stdout, stderr, error } = spawnSync(
    join(binaries, 'initdb'),
    [
      ...['--pgdata', join(folder, 'data'), '--username', USER, '--pwfile', passwordFile],
      ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale', locale, '--no-sync'],
    ],
    { encoding: 'utf8', cwd: folder, ...account },
  );
  if (status !== 0) throw new Error(`initdb failed: ${error?.message ?? `${stdout}${stderr}`}`);
  return password;
}

async function startServer(options: {
  readonly binaries: string;
  readonly folder: string;
  readonly account: Account | null;
  readonly port: number;
}): Promise<ChildProcess> {
  const { binaries, folder, account, port } = options;
  const command = [
    ...[join(binaries, 'postgres'), '-D', join(folder, 'data'), '-p', String(port)],
    ...SETTINGS.flatMap((setting) => ['-c', setting]),
  ];
  // The kernel stops the server if this process is killed and cannot do it itself.
  const guard = existsSync('/usr/bin/setpriv') ? ['/usr/bin/setpriv', '--pdeathsig', 'INT'] : [];
  const [program = '', ...parameters] = [...guard, ...command];
  const server = spawn(program, parameters, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...account,
  });
  await waitUntilReady(server);
  return server;
}

function waitUntilReady(server: ChildProcess): Promise<void> {
  let log = '';
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => {
      clearTimeout(timer);
      server.kill('SIGQUIT');
      reject(new Error(`PostgreSQL did not start: ${reason}\n${log}`));
    };
    const timer = setTimeout(fail, START_TIMEOUT_MS, `no answer in ${START_TIMEOUT_MS} ms`);
    server.once('error', (error) => fail(error.message));
    server.once('exit', (code) => fail(`it ended with code ${code}`));
    server.stderr?.on('data', (chunk: Buffer) => {
      if (log.includes('ready to accept connections')) return;
      log += chunk.toString('utf8');
      if (!log.includes('ready to accept connections')) return;
      clearTimeout(timer);
      server.removeAllListeners('exit');
      resolve();
    });
  });
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port was given.');
  return address.port;
}
