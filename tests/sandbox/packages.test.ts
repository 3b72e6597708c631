import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '../../server/log.ts';
import type { PackageFile } from '../../server/sandbox/package-lock.ts';
import { createPackageCache, type PackageCacheOptions } from '../../server/sandbox/packages.ts';
import { createManualClock, type ManualClock } from '../support/clock.ts';
import { startPackageHost, type PackageHost } from '../support/package-host.ts';

let host: PackageHost;
let folder: string;
let clock: ManualClock;
let messages: string[];

beforeEach(async () => {
  host = await startPackageHost();
  folder = await mkdtemp(join(tmpdir(), 'signalbox-packages-'));
  clock = createManualClock(Date.now());
  messages = [];
});
afterEach(async () => {
  await host.close();
  await rm(folder, { recursive: true });
});

const PACKAGES = {
  plots: { depends: ['Num_Bers', 'dates'] },
  'num-bers': { imports: ['numbers_'] },
  dates: { depends: ['plots'] },
  secret: {},
};
const open = (options: Partial<PackageCacheOptions> = {}) =>
  createPackageCache({
    ...{ folder, clock, log: createLog({ level: 'silent' }), allowlist: ['plots'] },
    ...{ pyodideBaseUrl: host.origin, pypiFilesBaseUrl: host.origin },
    locks: [host.lock(PACKAGES)],
    ...options,
  });
type Cache = ReturnType<typeof open>;

function resolve(cache: Cache, imports: readonly string[]): readonly PackageFile[] {
  const outcome = cache.resolve({ imports, dependencies: [] });
  if ('problem' in outcome) throw new Error(outcome.problem);
  return outcome.packages;
}
const ensure = (cache: Cache, module: string, signal = new AbortController().signal) =>
  cache.ensure(resolve(cache, [module]), { signal, onMessage: (text) => messages.push(text) });
const contents = async (cache: Cache, module: string) => {
  const outcome = await ensure(cache, module);
  if ('problem' in outcome) return outcome.problem;
  return Promise.all(outcome.files.map(({ path }) => readFile(path, 'utf8')));
};
const textOf = (...names: string[]) => names.map((name) => host.contentOf(name).toString());
const filesIn = async () => (await readdir(folder)).sort();

describe('a package', () => {
  test('comes with all that it needs, each once and what is needed first', () => {
    expect(resolve(open(), ['plots', 'numbers_']).map(({ name }) => name)).toEqual([
      'num-bers',
      'dates',
      'plots',
    ]);
  });

  test('outside the allowlist is refused in a sentence that names the setting', () => {
    const outcome = open().resolve({ imports: ['secret.part'], dependencies: [] });

    expect(outcome).toEqual({
      problem:
        'The module secret.part needs the package secret, but TOOLS_CODE_INTERPRETER_DEPS_ALLOWLIST allows plots.',
    });
    expect(open().resolve({ imports: [], dependencies: ['Secret'] })).toMatchObject({
      problem: expect.stringContaining('The script asks for the package secret') as string,
    });
  });

  test('that an allowed one needs is allowed with it', () => {
    expect(resolve(open(), ['numbers_']).map(({ name }) => name)).toEqual(['num-bers']);
  });

  test('that is allowed but has no build says so', () => {
    const cache = open({ allowlist: ['torch'] });

    expect(cache.resolve({ imports: [], dependencies: ['torch'] })).toMatchObject({
      problem: expect.stringContaining('there is no build of it') as string,
    });
  });

  test('is not sought for the standard library and unknown modules', () => {
    expect(resolve(open(), ['json', 'os.path', 'no_such_module'])).toEqual([]);
  });
});

describe('what is missing', () => {
  test('is loaded with a message for each, and afterwards used without a network', async () => {
    expect(await contents(open(), 'plots')).toEqual(textOf('num-bers', 'dates', 'plots'));
    expect(messages).toEqual([
      'Loading the Python package num-bers 1.0.0 (1 of 3).',
      'Loading the Python package dates 1.0.0 (2 of 3).',
      'Loading the Python package plots 1.0.0 (3 of 3).',
    ]);
    await host.close();
    messages = [];

    expect(await contents(open(), 'plots')).toEqual(textOf('num-bers', 'dates', 'plots'));
    expect(messages).toEqual([]);
  });

  test('is told with the command that loads it when the host cannot be reached', async () => {
    const cache = open();
    await ensure(cache, 'numbers_');
    await host.close();

    expect(await contents(cache, 'plots')).toMatch(
      /^The Python packages dates 1\.0\.0, plots 1\.0\.0 are not on this server and could not be loaded: 127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)\. An operator can load what is missing with `npm run admin -- setup-python`\.$/,
    );
  });

  test('is loaded once for all who want it at the same time', async () => {
    const cache = open();
    const outcomes = await Promise.all([1, 2, 3].map(() => contents(cache, 'numbers_')));

    expect(outcomes).toEqual([1, 2, 3].map(() => textOf('num-bers')));
    expect(host.requests).toHaveLength(1);
  });

  test('goes on loading for others when one of them leaves', async () => {
    host.behave('num-bers', 'stall');
    const cache = open();
    const leaver = new AbortController();
    const left = ensure(cache, 'numbers_', leaver.signal);
    const stayed = contents(cache, 'numbers_');
    await expect.poll(() => host.requests.length).toBe(1);
    await expect.poll(() => messages.length).toBe(2);
    leaver.abort();

    expect(await left).toEqual({ problem: 'The loading was cancelled.' });
    host.behave('num-bers', null);
    expect(await stayed).toEqual(textOf('num-bers'));
    expect(host.requests).toHaveLength(1);
  });

  test('leaves nothing behind when all who wanted it leave', async () => {
    host.behave('num-bers', 'stall');
    const leaver = new AbortController();
    const left = ensure(open(), 'numbers_', leaver.signal);
    await expect.poll(filesIn).toHaveLength(1);
    leaver.abort();

    expect(await left).toEqual({ problem: 'The loading was cancelled.' });
    await expect.poll(filesIn).toEqual([]);
  });
});

describe('a file', () => {
  test.each([
    ['with other bytes', 'wrong', /has the SHA-256 [0-9a-f]{64}, but the lock says/],
    ['behind a redirect', 'redirect', /redirects \/num_bers.* which is not followed/],
    ['that never ends', 'endless', /has more than the 100000 bytes that there is room for/],
    ['that the host does not have', 'absent', /answered 404 to/],
    ['that was cut off', 'cut', /cannot be reached|connection was lost/],
  ] as const)('%s is refused and leaves nothing behind', async (_, behaviour, reason) => {
    host.behave('num-bers', behaviour);
    const cache = open({ limits: { fileBytes: 100_000, totalBytes: 200_000 } });

    expect(await contents(cache, 'numbers_')).toMatch(reason);
    expect(await filesIn()).toEqual([]);
    expect(host.requests).toHaveLength(1);
    host.behave('num-bers', null);
    expect(await contents(cache, 'numbers_')).toEqual(textOf('num-bers'));
  });

  test('that takes longer than 15 minutes is given up', async () => {
    host.behave('num-bers', 'stall');
    const outcome = contents(open(), 'numbers_');
    await expect.poll(filesIn).toHaveLength(1);
    clock.advance(15 * 60_000);

    expect(await outcome).toContain('did not send num_bers-1.0.0-py3-none-any.whl within 15 min');
    expect(await filesIn()).toEqual([]);
  });

  test('for which the folder has no room is refused', async () => {
    const cache = open({ limits: { fileBytes: 100_000, totalBytes: 60_000 } });

    expect(await contents(cache, 'plots')).toMatch(/dates.* has more than the \d+ bytes/);
    expect(await filesIn()).toEqual(['num_bers-1.0.0-py3-none-any.whl']);
  });

  test.each([
    ['at once', 0],
    ['long after it was checked', 60_000],
  ])('that was changed %s is not used, but loaded again', async (_, delayMs) => {
    const cache = open();
    await ensure(cache, 'numbers_');
    clock.advance(delayMs);
    await ensure(cache, 'numbers_');
    const path = join(folder, 'num_bers-1.0.0-py3-none-any.whl');
    const changed = Buffer.from(host.contentOf('num-bers'));
    changed[7] = 0;
    await writeFile(path, changed);
    const past = new Date(Date.now() - 3_600_000);
    await utimes(path, past, past);
    clock.advance(delayMs);

    expect(await contents(cache, 'numbers_')).toEqual(textOf('num-bers'));
    expect(host.requests).toHaveLength(2);
  });

  test('of another version goes when a new one is loaded; other files stay', async () => {
    for (const name of ['plots-0.9.0-py3-none-any.whl', 'notes.txt', 'x.whl.1.part']) {
      await writeFile(join(folder, name), 'old');
    }
    clock.advance(3_600_001);
    await ensure(open(), 'numbers_');

    expect(await filesIn()).toEqual(['notes.txt', 'num_bers-1.0.0-py3-none-any.whl']);
  });
});

test('a lock whose file names or hashes cannot be right is not taken', () => {
  for (const facts of [{ file_name: '../x.whl' }, { sha256: 'abc' }, { file_name: '.x.whl' }]) {
    expect(() => open({ locks: [host.lock({ plots: facts })] })).toThrow(/package lock/);
  }
});

test('the status tells what is there, missing and unknown over all that is allowed', async () => {
  const cache = open({ allowlist: ['plots', 'torch'] });
  await ensure(cache, 'numbers_');

  expect(await cache.status()).toEqual({
    present: ['num-bers'],
    missing: ['dates', 'plots'],
    unknown: ['torch'],
    bytes: host.contentOf('num-bers').length,
  });
});
