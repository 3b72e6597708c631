import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { examinePython } from '../../server/admin/examine-python.ts';
import { setUpPython } from '../../server/admin/setup-python.ts';
import { readConfig } from '../../server/config.ts';
import type { PackageLock } from '../../server/sandbox/package-lock.ts';
import { startPackageHost, type PackageHost } from '../support/package-host.ts';

let host: PackageHost;
let folder: string;
let locks: readonly PackageLock[];

beforeEach(async () => {
  host = await startPackageHost();
  folder = await mkdtemp(join(tmpdir(), 'signalbox-setup-python-'));
  locks = [host.lock({ plots: { depends: ['dates'] }, dates: {}, other: {} })];
});
afterEach(async () => {
  await host.close();
  await rm(folder, { recursive: true });
});

const environment = (allowlist: string) => ({
  DATA_DIR: join(folder, 'data'),
  TOOLS_CODE_INTERPRETER_DEPS_ALLOWLIST: allowlist,
  PYODIDE_BASE_URL: host.origin,
  PYPI_FILES_BASE_URL: host.origin,
});

async function setUp(allowlist: string, from: string | null = null) {
  const lines: string[] = [];
  const { config } = readConfig(environment(allowlist));
  const code = await setUpPython(config, { from, locks, print: (line) => lines.push(line) });
  return { code, lines };
}
const cached = async () => (await readdir(join(folder, 'data', 'pyodide-packages'))).sort();

describe('setup-python', () => {
  test('loads all that is allowed and all that it needs, and ends with 0', async () => {
    expect(await setUp('plots')).toEqual({
      code: 0,
      lines: [
        expect.stringMatching(/^loaded {3}dates 1\.0\.0 /) as string,
        expect.stringMatching(/^loaded {3}plots 1\.0\.0 /) as string,
        expect.stringMatching(/All 2 Python packages are in .*pyodide-packages/) as string,
      ],
    });
    expect((await setUp('plots')).lines[0]).toMatch(/^there {4}dates/);
    expect(host.requests).toHaveLength(2);
  });

  test('says what failed, goes on with the rest, and ends with 1', async () => {
    host.behave('dates', 'wrong');
    const { code, lines } = await setUp('plots,torch');

    expect(code).toBe(1);
    expect(lines[0]).toBe('MISSING  torch: There is no build of it for the Python sandbox.');
    expect(lines[1]).toMatch(/^MISSING {2}dates: dates-1.* has the SHA-256/);
    expect(lines[2]).toMatch(/^loaded {3}plots/);
    expect(lines[3]).toContain('1 of 3 Python packages are in');
  });

  test('asks a host that cannot be reached only once', async () => {
    host.behave('dates', 'cut');
    const { code, lines } = await setUp('plots,other');

    expect([code, host.requests.length]).toEqual([1, 1]);
    expect(lines.filter((line) => line.startsWith('MISSING'))).toHaveLength(3);
  });

  test('takes files from a folder when their hashes are right, without a network', async () => {
    const from = join(folder, 'brought');
    await mkdir(from);
    await writeFile(join(from, 'dates-1.0.0-py3-none-any.whl'), host.contentOf('dates'));
    await writeFile(join(from, 'plots-1.0.0-py3-none-any.whl'), 'something else');
    const { code, lines } = await setUp('plots,other', from);

    expect(code).toBe(1);
    expect(lines[0]).toMatch(/^loaded {3}dates/);
    expect(lines[1]).toMatch(/^MISSING {2}plots: .* has the SHA-256/);
    expect(lines[2]).toBe(`MISSING  other: other-1.0.0-py3-none-any.whl is not in ${from}.`);
    expect(await cached()).toEqual(['dates-1.0.0-py3-none-any.whl']);
    expect(host.requests).toEqual([]);

    await writeFile(join(from, 'plots-1.0.0-py3-none-any.whl'), host.contentOf('plots'));
    expect((await setUp('plots', from)).code).toBe(0);
  });

  test('refuses a folder that does not exist', async () => {
    await expect(setUp('plots', join(folder, 'nowhere'))).rejects.toMatchObject({
      code: 'BAD_INPUT',
    });
  });

  test('needs no server and no database, and its exit code tells what is missing', async () => {
    const run = (parameters: readonly string[]) =>
      new Promise<{ code: unknown; stdout: string; stderr: string }>((done) => {
        const env = { PATH: process.env['PATH'], ...environment('openpyxl') };
        const file = ['server/admin/admin.ts', 'setup-python', ...parameters];
        execFile(process.execPath, file, { env }, (error, stdout, stderr) =>
          done({ code: error?.code ?? 0, stdout, stderr }),
        );
      });
    const missing = await run([]);

    expect(missing.code).toBe(1);
    expect(missing.stdout).toMatch(
      /^MISSING {2}et-xmlfile: 127\.0\.0\.1:\d+ answered 404 to \/pack/,
    );
    expect(await readdir(join(folder, 'data'))).toEqual(['pyodide-packages']);
    expect(await run(['--from', join(folder, 'nowhere')])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no such folder') as string,
    });
  });
});

describe('the doctor', () => {
  const examine = (more: Readonly<Record<string, string>> = {}) =>
    examinePython(readConfig({ ...environment('xlsxwriter,torch'), ...more }).config);

  test('tells which Python packages are not loaded yet, and which cannot be', async () => {
    const findings = await examine();

    expect(findings[0]).toMatchObject({
      mark: 'ok',
      text: expect.stringContaining('deno 2') as string,
    });
    expect(findings.slice(2)).toMatchObject([
      {
        mark: 'note',
        text: expect.stringMatching(/^1 of 1 .*\(xlsxwriter\).*setup-python/) as string,
      },
      { mark: 'problem', text: expect.stringContaining('allows torch, but') as string },
    ]);
  });

  test('tells of programs that do not start', async () => {
    const nowhere = join(folder, 'nowhere');
    const findings = await examine({ DENO_PATH: nowhere, MONTY_PATH: nowhere });

    expect(findings.slice(0, 2)).toMatchObject([
      {
        mark: 'problem',
        text: expect.stringMatching(/^Deno does not start.*ENOENT.*DENO_PATH/) as string,
      },
      { mark: 'problem', text: expect.stringMatching(/^Monty does not start.*ENOENT/) as string },
    ]);
  });

  test('calls Python without a sandbox a problem', async () => {
    expect(await examine({ TOOLS_CODE_INTERPRETER_UNSANDBOXED: 'true' })).toMatchObject([
      { mark: 'problem', text: expect.stringContaining('all rights of the server') as string },
    ]);
  });
});
