import { fileURLToPath } from 'node:url';
import { createApp, type App, type AppOptions } from '../../server/app.ts';
import { describeSettings, readConfig, type Config } from '../../server/config.ts';
import { openDatabase } from '../../server/db/client.ts';
import { createLog } from '../../server/log.ts';
import { createTestPlace } from './database.ts';
import { createGraphQLClient, type GraphQLClient } from './graphql-client.ts';

export interface TestPerson extends GraphQLClient {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  /** An API key of the person, with all rights that the person has. */
  readonly key: string;
}

/** The whole service on a free port, with a database of its own. */
export interface TestApp extends App {
  readonly config: Config;
  signUp(role?: 'USER' | 'OPERATOR', name?: string): Promise<TestPerson>;
}

export interface TestAppOptions extends Pick<AppOptions, 'clock'> {
  /** Settings by name in the environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

const CONSOLE_FOLDER = fileURLToPath(new URL('../../build/console', import.meta.url));
const PASSWORD = 'correct horse battery';

export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const place = await createTestPlace();
  const environment = {
    PORT: '0',
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    TOOL_THREADS: '2',
    MODEL_DISCOVERY_URLS: 'none',
    ...place.environment,
    ...options.environment,
  };
  const { config } = readConfig(environment);
  const app = await createApp({
    config,
    ...(options.clock ? { clock: options.clock } : {}),
    settings: describeSettings(config, environment, {}),
    log: createLog({ level: config.logLevel }),
    consoleFolder: CONSOLE_FOLDER,
    database: openDatabase({
      url: config.databaseUrl,
      dataDir: config.dataDir,
      isDurable: false,
    }),
  });
  let people = 0;
  return {
    ...app,
    config,
    async signUp(role = 'USER', name = `Person ${++people}`) {
      const email = `${name.toLowerCase().replaceAll(' ', '.')}@example.org`;
      const id = await app.accounts.createUser({ email, name, password: PASSWORD }, role);
      const { key } = await app.accounts.createKeyFor(id, { name: 'tests', role });
      return { id, email, password: PASSWORD, key, ...createGraphQLClient(app.url, key) };
    },
    async close() {
      await app.close();
      await place.remove();
    },
  };
}
