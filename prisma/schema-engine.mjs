#!/usr/bin/env node
// Stands in for Prisma's native schema engine where that cannot be downloaded: the same arguments
// and the same JSON-RPC on standard input and output, answered by the WebAssembly build of the
// engine (@prisma/schema-engine-wasm) through the PostgreSQL adapter.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';

/** Type of PostgreSQL's catalogue that the adapter does not know: "char", one byte. */
const CHAR_OID = 18;
const TEXT_OID = 25;
const CHARACTER_COLUMN = 6;

const parameters = process.argv.slice(2);
const engineModule = await loadEngine();
let panicMessage = '';

if (parameters.includes('--version')) {
  process.stdout.write(`schema-engine-cli ${engineModule.version()} (wasm)\n`);
} else if (parameters.includes('cli')) {
  process.exitCode = await runDatabaseCommand(parameters[parameters.indexOf('cli') + 1]);
} else {
  await serveRequests();
}

async function loadEngine() {
  globalThis.PRISMA_WASM_PANIC_REGISTRY = { set_message: (message) => (panicMessage = message) };
  const bindings = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const folder = dirname(createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm'));
  const bytes = await readFile(join(folder, 'schema_engine_bg.wasm'));
  const { instance } = await WebAssembly.instantiate(bytes, {
    './schema_engine_bg.js': bindings,
  });
  bindings.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  return bindings;
}

function readDatasource() {
  const index = parameters.indexOf('--datasource');
  return index < 0 ? {} : JSON.parse(parameters[index + 1]);
}

/** An adapter factory for one server, mended where the engine finds the adapter wanting. */
function createFactory(url) {
  const address = new URL(url);
  const schema = address.searchParams.get('schema') ?? 'public';
  address.searchParams.delete('schema');
  const factoryFor = (database) => {
    const target = new URL(address);
    if (database !== undefined) target.pathname = `/${database}`;
    return new PrismaPg({ connectionString: target.href }, { schema });
  };
  const factory = factoryFor();
  const connect = factory.connect.bind(factory);
  factory.connect = async () => mendConnection(await connect());
  // The adapter's own version hands out the main database when the address names one.
  factory.connectToShadowDb = async () => {
    const name = `prisma_migrate_shadow_db_${randomUUID()}`;
    const main = await factory.connect();
    await main.executeScript(`CREATE DATABASE "${name}"`);
    const shadow = mendConnection(await factoryFor(name).connect());
    const dispose = shadow.dispose.bind(shadow);
    shadow.dispose = async () => {
      await dispose();
      await main.executeScript(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
      await main.dispose();
    };
    return shadow;
  };
  return factory;
}

function mendConnection(connection) {
  const base = Object.getPrototypeOf(Object.getPrototypeOf(connection));
  const { performIO, queryRaw } = base;
  connection.performIO = async function (query) {
    const result = await performIO.call(this, query);
    query.charColumns = [];
    result?.fields?.forEach((field, index) => {
      if (field.dataTypeID !== CHAR_OID) return;
      field.dataTypeID = TEXT_OID;
      query.charColumns.push(index);
    });
    return result;
  };
  connection.queryRaw = async function (query) {
    const result = await queryRaw.call(this, query);
    for (const index of query.charColumns ?? []) result.columnTypes[index] = CHARACTER_COLUMN;
    return result;
  };
  // The adapter cuts scripts at every semicolon, also inside the body of a function.
  connection.executeScript = async (script) => {
    try {
      await connection.underlyingDriver().query(script);
    } catch (error) {
      connection.onError(error);
    }
  };
  return connection;
}

/** The engine wants an adapter even where it compares two files and asks no database. */
function createOfflineFactory() {
  const connection = {
    provider: 'postgres',
    adapterName: 'offline',
    queryRaw: async () => ({
      columnNames: ['version', 'numeric_version', 'exists'],
      columnTypes: [7, 0, 5],
      rows: [['PostgreSQL 18.0', 180000, true]],
    }),
    executeRaw: async () => 0,
    executeScript: async () => {},
    startTransaction: async () => {
      throw new Error('Files are compared here, and no database is connected.');
    },
    getConnectionInfo: () => ({ schemaName: 'public', supportsRelationJoins: false }),
    dispose: async () => {},
  };
  const connect = async () => connection;
  return { provider: 'postgres', adapterName: 'offline', connect, connectToShadowDb: connect };
}

/** @returns {Promise<number>} the exit code of `cli can-connect-to-database` and its siblings. */
async function runDatabaseCommand(command) {
  const { url } = readDatasource();
  const address = new URL(url);
  const name = decodeURIComponent(address.pathname.slice(1)).replaceAll('"', '""');
  if (command !== 'can-connect-to-database') address.pathname = '/postgres';
  const scripts = {
    'can-connect-to-database': 'SELECT 1',
    'create-database': `CREATE DATABASE "${name}"`,
    'drop-database': `DROP DATABASE IF EXISTS "${name}"`,
  };
  try {
    const connection = await createFactory(address.href).connect();
    await connection.executeScript(scripts[command]);
    await connection.dispose();
    return 0;
  } catch (error) {
    const isMissing = /does not exist|3D000/.test(`${error.message} ${error.cause?.originalCode}`);
    // The command line drops the first line, because the native engine tells there that it starts.
    printLog('INFO', { message: 'Starting schema engine CLI' });
    const code = isMissing ? 'P1003' : 'P1001';
    printLog('ERROR', { is_panic: false, message: error.message, error_code: code, meta: {} });
    return 1;
  }
}

function printLog(level, fields) {
  const timestamp = new Date().toISOString();
  const line = { level, timestamp, target: 'schema_engine::logger', fields };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}

async function serveRequests() {
  for await (const line of createInterface({ input: process.stdin })) {
    if (!line.trim()) continue;
    const request = JSON.parse(line);
    if (!request.method) continue; // the answer to a `print` request of ours
    send({ id: request.id, ...(await answer(request)) });
  }
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

async function answer({ id, method, params }) {
  panicMessage = '';
  const connections = [];
  const bound = bindMigrationAwareSqlAdapterFactory(withTracking(pickFactory(params), connections));
  try {
    const result = await callEngine(bound, { method, params });
    // The native engine prints a difference through the command line; this build returns it.
    if (method === 'diff' && result?.stdout) {
      send({ id: 1_000_000 + id, method: 'print', params: { content: result.stdout } });
    }
    return { result: result ?? null };
  } catch (error) {
    return { error: describeError(error, bound.errorRegistry) };
  } finally {
    await Promise.allSettled(connections.map((connection) => connection.dispose()));
  }
}

async function callEngine(factory, { method, params }) {
  const datamodels = params?.schema?.files?.map(({ path, content }) => [path, content]);
  const engine = await engineModule.SchemaEngine.new({ datamodels }, () => {}, factory);
  const name = method === 'getDatabaseVersion' ? 'version' : method;
  if (typeof engine[name] !== 'function') {
    throw new Error(`The WebAssembly engine has no method ${method}.`);
  }
  // In this build these two only read what a diagnosis of the same migrations has left.
  if (name === 'evaluateDataLoss' || name === 'createMigration') {
    const { migrationsList, filters } = params;
    await engine.devDiagnostic({ migrationsList, filters });
  }
  return engine[name](params);
}

function pickFactory(params) {
  const ends = [params?.from, params?.to];
  const isOffline = ends.every((end) => end?.tag === 'empty' || end?.tag === 'schemaDatamodel');
  const { url } = readDatasource();
  return isOffline || url === undefined ? createOfflineFactory() : createFactory(url);
}

function withTracking(factory, connections) {
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const connection = await connect();
    connections.push(connection);
    return connection;
  };
  return factory;
}

/** The engine knows an adapter's errors by number only: the texts are put back in. */
function describeError(error, registry) {
  const message = (panicMessage || (error?.message ?? String(error))).replace(
    /External error id#(\d+)/g,
    (reference, id) => {
      const original = registry.consumeError(Number(id))?.error;
      return original === undefined ? reference : String(original.stack ?? original);
    },
  );
  return {
    code: 4466,
    message: 'An error happened. Check the data field for details.',
    data: {
      is_panic: panicMessage !== '',
      message,
      meta: error?.meta ?? null,
      error_code: error?.code ?? null,
      backtrace: null,
    },
  };
}
