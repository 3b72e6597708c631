import { fileURLToPath } from 'node:url';
import type { App } from './app.ts';
import { ConfigError, describeSettings, readConfig, readEnvFile } from './config.ts';
import { openDataFolder } from './data-folder.ts';
import { openDatabase } from './db/client.ts';
import { AppError, messageOf } from './errors.ts';
import { createLog } from './log.ts';

/** Milliseconds that closing may take before the process ends anyway. */
const CLOSE_PATIENCE_MS = 10_000;
const CONSOLE_FOLDER = fileURLToPath(new URL('../build/console', import.meta.url));

const tell = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const envFile = readEnvFile(process.cwd());
  const { config, warnings } = readConfig(process.env, envFile);
  const log = createLog({ level: config.logLevel });
  for (const warning of warnings) log.warn(warning);
  // The database opens in a thread of its own: what else there is loads meanwhile.
  const database = openDatabase({
    url: config.databaseUrl,
    dataDir: await openDataFolder(config.dataDir),
    onProgress: tell,
    onConnectionLost: (error) => log.warn({ error }, 'A connection to the database was lost.'),
  });
  // Whoever waits for it is told; until then nobody does.
  database.catch(() => undefined);
  const [{ createApp }, { openAdminSocket }] = await Promise.all([
    import('./app.ts'),
    import('./admin/admin-socket.ts'),
  ]);
  const app = await createApp({
    config,
    log,
    database,
    settings: describeSettings(config, process.env, envFile),
    consoleFolder: CONSOLE_FOLDER,
  });
  const adminSocket = await openAdminSocket(app, config);
  closeAtEnd(async () => {
    await adminSocket.close();
    await app.close();
  });
  void app.failed.then((error) => fail(error));
  await welcome(app);
}

async function welcome(app: App): Promise<void> {
  const link = await app.accounts.createFirstLink();
  tell(`\nSignalbox is ready at ${app.url}`);
  if (link !== null) tell(`\nCreate your account with this link; it works once:\n  ${link}\n`);
}

/** The launcher's end counts as a signal: without it nobody could stop the server. */
function closeAtEnd(close: () => Promise<void>): void {
  let isClosing = false;
  const end = (): void => {
    if (isClosing) process.exit(1);
    isClosing = true;
    setTimeout(() => process.exit(1), CLOSE_PATIENCE_MS).unref();
    close().then(() => process.exit(0), fail);
  };
  for (const event of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) {
    process.on(event, end);
  }
}

/** What the person can mend is told in a line; everything else with its stack. */
function fail(error: unknown): never {
  const isExpected = error instanceof AppError || error instanceof ConfigError;
  const stack = error instanceof Error ? error.stack : undefined;
  process.stderr.write(`${isExpected ? error.message : (stack ?? messageOf(error))}\n`);
  process.exit(1);
}

main().catch(fail);
