import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createAgentLoop } from './agent/agent-loop.ts';
import { systemClock, type Clock } from './clock.ts';
import { toolSettings, type Config, type SettingReport } from './config.ts';
import { openDataFolder, readSecret } from './data-folder.ts';
import type { Database } from './db/client.ts';
import { createDeltaWriter } from './events/delta-writer.ts';
import { createEvents, type Events } from './events/events.ts';
import { chatStream, viewerStream } from './events/stream.ts';
import { AppError, messageOf } from './errors.ts';
import { createEventLoopMonitor, type EventLoopMonitor } from './event-loop.ts';
import { createSharedServices } from './executor/shared-services.ts';
import type { ToolExecutor } from './executor/tool-call.ts';
import { createToolExecutor } from './executor/tool-executor.ts';
import { createAccountRoutes } from './http/account-routes.ts';
import { createConsoleHandler } from './http/console-routes.ts';
import { createGraphQLRoute } from './http/graphql-route.ts';
import { createMetrics } from './http/metrics.ts';
import { createHttpServer } from './http/server.ts';
import { createSubscriptions, type Subscriptions } from './http/subscriptions.ts';
import { createId } from './id.ts';
import type { Log } from './log.ts';
import { createModelCatalogue } from './models/model-catalogue.ts';
import type { ModelCatalogue } from './models/model.ts';
import type { ToolRegistry } from './registry/registry.ts';
import { createToolRegistry } from './registry/tool-registry.ts';
import { createAccounts, type Accounts } from './services/accounts.ts';
import { createActivations, type Activations } from './services/activations.ts';
import { createAuth } from './services/auth.ts';
import { startBackgroundJobs } from './services/background-jobs.ts';
import { createChatFolder, type ChatFolder } from './services/chat-folder.ts';
import { createChatService } from './services/chats.ts';
import { createEventWriter, type EventWriter } from './services/event-writer.ts';
import { createFactService, type Facts } from './services/facts.ts';
import { createFileService, type Files } from './services/files.ts';
import { createOperatorService } from './services/operator.ts';
import type { PoolView, Services } from './services/services.ts';
import { createTitleWriter } from './services/titles.ts';
import { createToolHost } from './services/tool-host.ts';
import { createToolTrial } from './services/tool-trial.ts';
import { createToolService } from './services/tools.ts';
import { createTurnRunner, type TurnRunner } from './services/turn-runner.ts';
import { createTurnStore } from './services/turn-store.ts';
import { createTurnService } from './services/turns.ts';
import type { ToolHost } from './tools/kit/tool-host.ts';

export interface AppOptions {
  readonly config: Config;
  readonly settings: readonly SettingReport[];
  readonly log: Log;
  readonly clock?: Clock;
  /** Folder of the built console. */
  readonly consoleFolder: string;
  /** Being opened, or open; it is the service's from here on, which closes it. */
  readonly database: Promise<Database>;
}

/** The whole service, listening. */
export interface App {
  /** Where people reach it. */
  readonly url: string;
  readonly database: Database;
  readonly registry: ToolRegistry;
  readonly catalogue: ModelCatalogue;
  readonly accounts: Accounts;
  readonly services: Services;
  /** Resolves with the reason when the service can do nothing any more. */
  readonly failed: Promise<AppError>;
  /** Resolves when no turn runs here. */
  idle(): Promise<void>;
  /** Ends turns as interrupted, tells clients to come back, and lets go of everything. */
  close(): Promise<void>;
}

/** What everything else stands on. */
interface Base {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly database: Database;
  readonly registry: ToolRegistry;
  readonly catalogue: ModelCatalogue;
  readonly events: Events;
  readonly writer: EventWriter;
  readonly executor: ToolExecutor;
  readonly eventLoop: EventLoopMonitor;
  readonly folder: ChatFolder;
  readonly files: Files;
  readonly facts: Facts;
  /** Tells this process from others that share the database. */
  readonly leaseOwner: string;
}

/**
 * @throws AppError `UNAVAILABLE` if the database cannot be opened, or the port is taken.
 */
export async function createApp(options: AppOptions): Promise<App> {
  const { config, clock = systemClock } = options;
  const dataFolder = await openDataFolder(config.dataDir);
  const secret = config.authSecret ?? (await readSecret(dataFolder));
  const base = await openBase({ ...options, clock, dataFolder });
  const address = { url: config.publicUrl ?? urlOf(config.host, config.port) };
  const turns = createTurns(base);
  const { accounts, services, live, server } = createFront(base, turns, {
    ...{ secret, settings: options.settings, consoleFolder: options.consoleFolder },
    publicUrl: () => address.url,
  });
  await turns.runner.settleAbandoned();
  const jobs = startBackgroundJobs({ ...base, ...turns });
  const port = await listen(server, config);
  if (config.publicUrl === null) address.url = urlOf(config.host, port);

  return {
    url: address.url,
    database: base.database,
    registry: base.registry,
    catalogue: base.catalogue,
    accounts,
    services,
    failed: base.database.failed,
    idle: () => turns.runner.idle(),
    async close() {
      const isClosed = new Promise<void>((resolve) => server.close(() => resolve()));
      await turns.runner.close();
      await live.close();
      await jobs.close();
      server.closeAllConnections();
      await isClosed;
      await closeBase(base);
    },
  };
}

async function openBase(
  options: AppOptions & { readonly clock: Clock; readonly dataFolder: string },
): Promise<Base> {
  const { config, log, clock, dataFolder } = options;
  const catalogue = createModelCatalogue({ config, log });
  const [opened, loaded] = await Promise.allSettled([
    options.database,
    createToolRegistry({ config, settings: toolSettings(config), log, clock }),
  ]);
  if (opened.status === 'rejected' || loaded.status === 'rejected') {
    if (opened.status === 'fulfilled') await opened.value.close();
    if (loaded.status === 'fulfilled') await loaded.value.close();
    throw opened.status === 'rejected' ? opened.reason : (loaded as PromiseRejectedResult).reason;
  }
  const database = opened.value;
  const registry = loaded.value;
  const events = await createEvents({ database, clock, log });
  const writer = createEventWriter(events.log, log);
  const folder = createChatFolder({ root: join(dataFolder, 'files'), database, log });
  return {
    ...{ config, clock, log, database, registry, catalogue, events, writer, folder },
    executor: createToolExecutor({ registry, config, settings: toolSettings(config), log, clock }),
    eventLoop: createEventLoopMonitor(clock),
    files: createFileService({ database, events: writer, folder, config }),
    facts: createFactService({ database, events: writer }),
    leaseOwner: createId(),
  };
}

async function closeBase(base: Base): Promise<void> {
  await base.executor.close();
  await base.registry.close();
  await base.events.close();
  base.eventLoop.close();
  await base.database.close();
}

/** What runs turns, and what people answer while they run. */
interface Turns {
  readonly runner: TurnRunner;
  readonly activations: Activations;
  createHost(scope: {
    readonly chatId: string;
    readonly userId: string;
    readonly callId: string;
  }): ToolHost;
  onAnswer(turnId: string): void;
}

function createTurns(base: Base): Turns {
  const { config, clock, log, database, registry, catalogue, executor, leaseOwner, writer } = base;
  const shared = createSharedServices({ clock });
  const createHost: Turns['createHost'] = (scope) => createToolHost({ ...base, ...shared }, scope);
  const titles = createTitleWriter({ database, events: writer, catalogue, log });
  const store = createTurnStore({
    ...{ database, events: writer, catalogue, leaseOwner },
    onTurnEnd: (turnId) => void titles.onTurnEnd(turnId),
  });
  const onAnswer = (turnId: string): void => {
    runner
      .resume(turnId)
      .catch((error: unknown) => log.error({ error, turnId }, 'A turn could not go on.'));
  };
  const activations = createActivations({
    ...{ database, events: writer, registry, clock, log, config, leaseOwner, onAnswer },
  });
  const loop = createAgentLoop({
    ...{ store, registry, catalogue, executor, config, clock, log },
    emit: (chatId, event) => writer.emit(chatId, event),
    createDeltaSink: (chatId) =>
      createDeltaWriter({
        append: (events) => base.events.log.append(chatStream(chatId), events),
        clock,
      }),
    createHost: ({ chatId, userId }, callId) => createHost({ chatId, userId, callId }),
    async requestActivation(state, call, { group, reason }) {
      const view = await store.gateView(state);
      return activations.request(state, call, {
        group: String(group),
        reason: String(reason),
        view,
      });
    },
  });
  const runner = createTurnRunner({ database, events: writer, loop, clock, log, leaseOwner });
  return { runner, activations, createHost, onAnswer };
}

/** What people and programs reach. */
interface Front {
  readonly accounts: Accounts;
  readonly services: Services;
  readonly live: Subscriptions;
  readonly server: Server;
}

interface FrontOptions {
  readonly secret: string;
  readonly settings: readonly SettingReport[];
  readonly consoleFolder: string;
  publicUrl(): string;
}

function createFront(base: Base, turns: Turns, options: FrontOptions): Front {
  const { config, clock, log, database } = base;
  const { secret, settings, consoleFolder, publicUrl } = options;
  const auth = createAuth({ database, config, clock, secret, publicUrl });
  const pool = (): PoolView => ({
    ...base.executor.load(),
    liveSubscriptions: live.liveCount(),
    runningTurns: turns.runner.runningCount(),
    eventLoopP99Ms: base.eventLoop.p99Ms(),
    memoryMb: Math.round(process.memoryUsage.rss() / 1_048_576),
  });
  const endCredential = (credentialId: string, userId: string): void => {
    auth.forget(credentialId);
    live.closeCredential(credentialId);
    base.events.log
      .append(viewerStream(userId), [{ type: 'sign-out', credentialId }])
      .catch((error: unknown) => log.warn({ error }, 'A sign-out was not told.'));
  };
  const accounts = createAccounts({
    ...{ database, auth, clock, publicUrl },
    onCredentialEnd: endCredential,
  });
  const services = createServices(base, { ...turns, accounts, settings, pool });
  const origins = { allowedOrigins: () => [publicUrl()] };
  const live = createSubscriptions({ ...base, services, auth, origins });

  const server = createHttpServer({
    log,
    auth,
    accounts,
    services,
    accountRoutes: createAccountRoutes({ accounts, auth, now: clock.now }),
    graphql: createGraphQLRoute({ services, log }),
    sse: live.sse,
    console: createConsoleHandler(consoleFolder),
    metrics: createMetrics(pool),
    origins,
    trustProxy: config.trustProxy,
    unreadyReason: () => unreadyReason(database),
    onSignOut: endCredential,
  });
  live.attach(server);
  return { accounts, services, live, server };
}

function createServices(
  base: Base,
  parts: Turns & {
    readonly accounts: Accounts;
    readonly settings: readonly SettingReport[];
    pool(): PoolView;
  },
): Services {
  const { accounts, runner, activations } = parts;
  const shared = { ...base, ...parts, events: base.writer };
  return {
    models: () => ({ list: base.catalogue.list(), defaultId: base.catalogue.defaultModelId() }),
    chats: createChatService(shared),
    turns: createTurnService({ ...shared, runner }),
    activations,
    tools: createToolService(shared),
    files: base.files,
    facts: base.facts,
    operator: createOperatorService({ ...shared, trial: createToolTrial(shared) }),
    accounts,
  };
}

/** An address that a person can open. */
function urlOf(host: string, port: number): string {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const name = isEverywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** @returns the port, which the system chooses for 0. */
function listen(server: Server, { host, port }: Config): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new AppError('UNAVAILABLE', explainListening(error, host, port), { cause: error })),
    );
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

function explainListening(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === 'EADDRINUSE')
    return `PORT is ${port}, but another program listens there: stop it, or set PORT to a free one.`;
  if (error.code === 'EADDRNOTAVAIL')
    return `HOST is "${host}", which is no address of this machine: set it to 127.0.0.1 or 0.0.0.0.`;
  if (error.code === 'EACCES')
    return `PORT is ${port}, which this account may not open: set PORT to one from 1024 on.`;
  return `The server cannot listen on ${host}:${port}: ${error.message}`;
}

/** Null while the database answers. */
async function unreadyReason(database: Database): Promise<string | null> {
  try {
    await database.query('SELECT 1');
    return null;
  } catch (error) {
    return `The database does not answer: ${messageOf(error)}`;
  }
}
