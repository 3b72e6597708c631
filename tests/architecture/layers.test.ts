import { describe, expect, test } from 'vitest';
import { type Import, findCycle, listImports } from './import-graph.ts';
import { listSourceFiles } from './source-files.ts';

/**
 * What each folder of server/ may import beside itself and the leaf files. A trailing "(types)"
 * admits `import type` alone. A name with a dot is one file, a name without is a folder.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  http: ['graphql', 'services', 'events'],
  graphql: ['services', 'events (types)', 'db (types)', 'registry (types)', 'models (types)'],
  services: [
    ...['agent', 'registry', 'sandbox', 'events', 'db', 'tools/kit'],
    ...['executor (types)', 'models (types)', 'tools/request-tool-activation.ts'],
  ],
  agent: [
    ...['executor', 'models', 'registry', 'events (types)', 'tools/kit'],
    'tools/request-tool-activation.ts',
  ],
  executor: ['events (types)', 'worker (types)', 'worker/messages.ts', 'registry', 'tools/kit'],
  registry: ['tools/kit', 'models (types)', 'worker/discovery-messages.ts (types)'],
  worker: ['tools'],
  tools: ['providers'],
  models: ['tools/kit', 'events (types)'],
  events: ['db'],
  providers: [],
  sandbox: [],
  settings: [],
  db: [],
};

/** Entries of processes: they know every part, and no part knows them. */
const ENTRIES = ['main.ts', 'app.ts', 'admin/'];

/** Every folder may import these; they themselves import files beside them and the settings. */
const LEAVES = ['errors.ts', 'log.ts', 'clock.ts', 'id.ts', 'config.ts (types)'];

const serverFiles = listSourceFiles('server').filter((path) => path.endsWith('.ts'));
const imports = serverFiles.flatMap(listImports);
const withinServer = imports.filter(({ to }) => to.startsWith('server/'));

const inServer = (path: string) => path.replace(/^server\//, '');
const isEntry = (path: string) => ENTRIES.some((entry) => inServer(path).startsWith(entry));
const isInFolder = (path: string) => inServer(path).includes('/');
const describeImport = ({ from, to }: Import) => `${from} imports ${to}`;

describe('server', () => {
  test('a folder imports only what its layer may', () => {
    const forbidden = withinServer.filter(({ from }) => !isEntry(from)).filter(crossesBorder);

    expect(forbidden.map(describeImport)).toEqual([]);
  });

  test('every folder has its place in the table', () => {
    const folders = serverFiles
      .filter((path) => !isEntry(path) && isInFolder(path))
      .map((path) => inServer(path).split('/')[0] ?? '');

    expect([...new Set(folders)].filter((folder) => !(folder in MAY_IMPORT))).toEqual([]);
  });

  test('only entries import entries', () => {
    const backward = withinServer.filter(({ from, to }) => isEntry(to) && !isEntry(from));

    expect(backward.map(describeImport)).toEqual([]);
  });

  test('no file imports itself in a circle', () => {
    expect(findCycle(withinServer)).toBeNull();
  });

  test('nothing in a worker thread reaches the database', () => {
    const storage =
      /^(@prisma\/|pg$|@electric-sql\/|prisma\/generated\/|server\/(db|services|graphql)\/)/;
    const reaching = imports.filter(
      ({ from, to }) => /^server\/(worker|tools|providers)\//.test(from) && storage.test(to),
    );

    expect(reaching.map(describeImport)).toEqual([]);
  });

  test('the generated client is loaded by the storage layer and the API builder alone', () => {
    const isDoor = (file: string) =>
      file.startsWith('server/db/') || file === 'server/graphql/builder.ts';
    const others = imports.filter(
      ({ from, to, isTypeOnly }) =>
        to.startsWith('prisma/generated') && !isTypeOnly && !isDoor(from),
    );

    expect(others.map(describeImport)).toEqual([]);
  });

  test('the thread pool has one importer', () => {
    const importers = imports.filter(({ to }) => to === 'piscina').map(({ from }) => from);

    expect(importers.filter((file) => file !== 'server/executor/worker-pool.ts')).toEqual([]);
  });

  test('no product code imports a test', () => {
    expect(imports.filter(({ to }) => to.startsWith('tests/')).map(describeImport)).toEqual([]);
  });
});

describe('console', () => {
  const files = listSourceFiles('console').filter((path) => /\.(ts|svelte)$/.test(path));
  const consoleImports = files.flatMap(listImports);

  test('the schema is the only bridge to the server', () => {
    const bridges = consoleImports.filter(({ to }) => /^(server|prisma)\//.test(to));

    expect(bridges.map(describeImport)).toEqual([]);
  });

  test('the chat view and the operator view do not know each other', () => {
    const crossing = consoleImports.filter(
      ({ from, to }) =>
        (from.includes('/lib/chat/') && to.includes('/lib/operator/')) ||
        (from.includes('/lib/operator/') && to.includes('/lib/chat/')),
    );

    expect(crossing.map(describeImport)).toEqual([]);
  });

  test('what is drawn alone does not know what is drawn from it', () => {
    const upward = consoleImports.filter(
      ({ from, to }) =>
        /\/lib\/(ui|format|api)\//.test(from) && /\/(lib\/(chat|operator)|routes)\//.test(to),
    );

    expect(upward.map(describeImport)).toEqual([]);
  });
});

function crossesBorder({ from, to, isTypeOnly }: Import): boolean {
  if (!isInFolder(from)) return isInFolder(to) && !inServer(to).startsWith('settings/');
  const folder = inServer(from).split('/')[0] ?? '';
  const allowed = [...LEAVES, folder, ...(MAY_IMPORT[folder] ?? [])];
  return !allowed.some((entry) => {
    const [place = '', restriction] = entry.split(' ');
    if (restriction === '(types)' && !isTypeOnly) return false;
    return inServer(to) === place || inServer(to).startsWith(`${place}/`);
  });
}
