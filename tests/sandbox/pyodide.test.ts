import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PyodideEngine } from '../../server/sandbox/pyodide.ts';
import { createTestEngine, runPython, type TestRun } from './pyodide-support.ts';

let engine: PyodideEngine;
let folder: string;

beforeAll(async () => {
  engine = createTestEngine();
  folder = await mkdtemp(join(tmpdir(), 'pyodide-'));
  await engine.prepare();
});

afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true, force: true });
});

const run = (code: string, options?: TestRun) => runPython(engine, code, options);

async function writeInput(name: string, content: string | Uint8Array) {
  const path = join(folder, name.replaceAll('/', '_'));
  await writeFile(path, content);
  return { name, path, bytes: Buffer.byteLength(content) };
}

describe('a script', () => {
  test('tells what it prints, on both channels in order, and ends', async () => {
    const outcome = await run('import sys\nprint("one")\nprint("two", file=sys.stderr)\nprint(3)');

    expect(outcome).toMatchObject({ status: 'FINISHED', output: 'one\ntwo\n3\n', artefacts: [] });
  });

  test('is heard while it runs', async () => {
    let heard = '';
    const outcome = await run('import time\nprint("now", end="")\ntime.sleep(30)', {
      timeoutMs: 1_500,
      onOutput: (text) => (heard += text),
    });

    expect({ heard, status: outcome.status }).toEqual({ heard: 'now', status: 'TIMEOUT' });
  });

  test('that takes too long is ended and keeps what it printed, half a line included', async () => {
    const outcome = await run('print("kept")\nprint("half", end="")\nwhile True: pass', {
      timeoutMs: 700,
    });

    expect(outcome).toMatchObject({
      status: 'TIMEOUT',
      error: 'The code took over 0.7 s and was ended.',
      output: 'kept\nhalf',
    });
  });

  test('that raises gives the traceback as Python prints it, of its own lines alone', async () => {
    const outcome = await run('def divide():\n    return 1 / 0\ndivide()');

    expect(outcome).toMatchObject({ status: 'RAISED' });
    expect('error' in outcome ? outcome.error : '').toBe(
      [
        'Traceback (most recent call last):',
        '  File "<code>", line 3, in <module>',
        '    divide()',
        '    ~~~~~~^^',
        '  File "<code>", line 2, in divide',
        '    return 1 / 0',
        '           ~~^~~',
        'ZeroDivisionError: division by zero',
        '',
      ].join('\n'),
    );
  });

  test('may end itself: with 0 it finished, with anything else it raised', async () => {
    expect(await run('import sys\nsys.exit()')).toMatchObject({ status: 'FINISHED' });
    expect(await run('import sys\nsys.exit("no")')).toMatchObject({
      status: 'RAISED',
      error: expect.stringContaining('SystemExit: no') as string,
    });
  });

  test('may wait, with asyncio and without', async () => {
    const code =
      'import asyncio, time\nasync def add(): await asyncio.sleep(0.01); return 1\nprint(asyncio.run(add()))\ntime.sleep(0.01)\nprint(2)';

    expect(await run(code)).toMatchObject({ status: 'FINISHED', output: '1\n2\n' });
  });

  test('can pickle what it defines, and has no more input than its end', async () => {
    const code =
      'import pickle\nclass Point:\n  x = 1\nprint(pickle.loads(pickle.dumps(Point())).x)\ninput()';

    expect(await run(code)).toMatchObject({
      output: '1\n',
      error: expect.stringContaining('EOFError') as string,
    });
  });

  test('that is cancelled ends at once', async () => {
    const cancelling = new AbortController();
    const outcome = await run('print("go", flush=True)\nwhile True: pass', {
      signal: cancelling.signal,
      onOutput: () => cancelling.abort(),
    });

    expect(outcome).toMatchObject({ status: 'CANCELLED', error: 'The run was cancelled.' });
    expect(outcome.output).toMatch(/^go/);
  });

  test('draws other random numbers than the one before', async () => {
    const code = 'import random\nprint(random.random())';

    expect((await run(code)).output).not.toBe((await run(code)).output);
  });

  test('prints 65,536 bytes at most; the rest is let go, and characters stay whole', async () => {
    const outcome = await run('print("a" + "\u00e4" * 40_000)');

    expect(outcome).toMatchObject({ status: 'FINISHED', isOutputCut: true });
    expect(outcome.output).toBe(`a${'\u00e4'.repeat(32_767)}`);
  });

  test('that fills its memory gets a MemoryError', async () => {
    const outcome = await run('kept = []\nwhile True: kept.append(bytearray(20_000_000))');

    expect(outcome).toMatchObject({
      status: 'RAISED',
      error: expect.stringContaining('MemoryError') as string,
    });
  });
});

describe('files', () => {
  test('are below /mnt/data as they were given, with their folders', async () => {
    const picture = randomBytes(5_000_000);
    const inputs = [
      await writeInput('table.csv', 'a,b\n1,2\n'),
      await writeInput('generated/picture.png', picture),
      await writeInput('empty.txt', ''),
    ];
    const outcome = await run(
      `import os, hashlib
print(os.getcwd(), sorted(os.listdir("/mnt/data")))
print(open("table.csv").read(), end="")
print(os.path.getsize("empty.txt"))
print(hashlib.sha256(open("/mnt/data/generated/picture.png", "rb").read()).hexdigest())`,
      { inputs },
    );

    expect(outcome.output.split('\n')).toEqual([
      "/mnt/data ['empty.txt', 'generated', 'table.csv']",
      ...['a,b', '1,2', '0', createHash('sha256').update(picture).digest('hex'), ''],
    ]);
  });

  test('that cannot be read end the run with their name', async () => {
    const inputs = [{ name: 'gone.csv', path: join(folder, 'gone.csv'), bytes: 1 }];

    expect(await run('print(1)', { inputs })).toMatchObject({
      status: 'KILLED',
      error: expect.stringMatching(/not given its files: .*gone\.csv/) as string,
    });
  });

  test('are given out by save_file: text, bytes or a buffer, without the path, the last one counts', async () => {
    const outcome = await run(
      `import io
save_file("notes.txt", "first")
print(save_file("/tmp/deep\\\\notes.txt", "gr\u00fcn"))
save_file("a.bin", bytearray(b"\\x00\\xff"))
buffer = io.BytesIO(); buffer.write(b"sheet"); save_file("b.xlsx", buffer)`,
    );

    expect(outcome.output).toBe('notes.txt\n');
    expect(outcome.artefacts.map(({ name, content }) => [name, [...content]])).toEqual([
      ['notes.txt', [...Buffer.from('gr\u00fcn')]],
      ['a.bin', [0, 255]],
      ['b.xlsx', [...Buffer.from('sheet')]],
    ]);
  });

  test('are kept when the script raises afterwards', async () => {
    const outcome = await run('save_file("kept.txt", "x")\n1 / 0');

    expect(outcome).toMatchObject({ status: 'RAISED', artefacts: [{ name: 'kept.txt' }] });
  });

  test('beyond a limit are refused with a ValueError, and the others are kept', async () => {
    const outcome = await run(
      `def attempt(name, content):
    try: save_file(name, content)
    except (ValueError, TypeError) as error: print(type(error).__name__, str(error)[:60])
attempt("large", bytes(10_000_001))
for part in ("1", "2"): save_file(part, bytes(10_000_000))
attempt("3", bytes(5_000_001))
attempt("..", "x"); attempt("a\\nb", "x"); attempt("n" * 201, "x"); attempt("number", 5)
for number in range(18): save_file(f"small {number}", "")
attempt("one more", "")`,
    );

    expect(outcome.output.split('\n').map((line) => line.split(' ')[0])).toEqual([
      ...['ValueError', 'ValueError', 'ValueError', 'ValueError', 'ValueError', 'TypeError'],
      ...['ValueError', ''],
    ]);
    expect(outcome.status).toBe('FINISHED');
    expect(outcome.artefacts).toHaveLength(20);
  });
});

describe('packages', () => {
  /** A package file, made by Python itself. */
  async function buildPackage(fileName: string, files: Readonly<Record<string, string>>) {
    const { artefacts } = await run(
      `import io, json, zipfile
buffer = io.BytesIO()
with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
    for name, text in json.loads(${JSON.stringify(JSON.stringify(files))}).items(): archive.writestr(name, text)
save_file("package", buffer)`,
    );
    const path = join(folder, fileName);
    await writeFile(path, artefacts[0]?.content ?? '');
    return { fileName, path };
  }

  test('are there for the script that they were given to, and for no other', async () => {
    const greeting = await buildPackage('greeting-1.0-py3-none-any.whl', {
      'greeting/__init__.py': 'TEXT = "good morning"',
      'greeting-1.0.dist-info/METADATA': 'Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\n',
    });
    const code = 'import greeting\nprint(greeting.TEXT)';

    expect(await run(code, { packages: [greeting] })).toMatchObject({ output: 'good morning\n' });
    expect(await run(code)).toMatchObject({
      error: expect.stringContaining('ModuleNotFoundError') as string,
    });
  });

  test('that are broken end the run with their name', async () => {
    const path = join(folder, 'broken.whl');
    await writeFile(path, 'no archive');

    expect(await run('print(1)', { packages: [{ fileName: 'broken.whl', path }] })).toMatchObject({
      status: 'KILLED',
      error: expect.stringContaining('The package file broken.whl could not be unpacked') as string,
    });
  });

  test('that draw: what is shown or saved under a name is given out, a buffer is left alone', async () => {
    const drawing = await buildPackage('matplotlib-0-py3-none-any.whl', {
      'matplotlib/__init__.py': 'from . import figure',
      'matplotlib/figure.py': `class Figure:
    def savefig(self, fname, *args, format="png", **kwargs):
        if hasattr(fname, "write"): return fname.write(b"drawn")
        path = str(fname) if "." in str(fname) else f"{fname}.{format}"
        with open(path, "wb") as file: file.write(b"drawn as " + format.encode())`,
      'matplotlib/pyplot.py': `import matplotlib
figures = {}
def get_fignums(): return list(figures)
def figure(number): return figures.setdefault(number, matplotlib.figure.Figure())
def close(which): figures.clear()
def savefig(*args, **kwargs): figure(1).savefig(*args, **kwargs)
def show(): print("the real one")`,
    });
    const outcome = await run(
      `import io, matplotlib.pyplot as plt
plt.figure(1); plt.figure(2); plt.show()
plt.figure(1); plt.show()
plt.savefig("/tmp/chart.svg"); plt.savefig("bare", format="pdf"); plt.savefig(io.BytesIO())`,
      { packages: [drawing] },
    );

    expect(outcome).toMatchObject({ status: 'FINISHED', output: '' });
    expect(outcome.artefacts.map(({ name }) => name)).toEqual([
      ...['plot_1.png', 'plot_2.png', 'plot_3.png', 'chart.svg', 'bare.pdf'],
    ]);
  });
});

describe('the engine', () => {
  test('says what is missing when Deno is not there', async () => {
    const without = createTestEngine({ denoPath: '/nonexistent/deno', poolSize: 0 });
    const outcome = await runPython(without, 'print(1)');

    expect(outcome).toMatchObject({
      status: 'NOT_SET_UP',
      error: expect.stringContaining('/nonexistent/deno') as string,
    });
    expect(without.status().problem).toContain('/nonexistent/deno');
    await without.close();
  });

  test('ends what runs and what waits when it is closed', async () => {
    const closing = createTestEngine({ poolSize: 0, memoryMb: 256 });
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const runs = [
      runPython(closing, 'print(1)\nwhile True: pass', { onOutput: () => begin() }),
      runPython(closing, 'print(2)'),
    ];
    await begun;
    await closing.close();

    expect((await Promise.all(runs)).map(({ status }) => status)).toEqual([
      ...['CANCELLED', 'CANCELLED'],
    ]);
    expect(closing.status()).toMatchObject({ ready: 0, starting: 0, busy: 0, waiting: 0 });
  });

  test('with network lets a script out, but not to this machine and the networks around it', async () => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      response.end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const open = createTestEngine({ allowNetworking: true });
    const outcome = await runPython(
      open,
      `import asyncio
from pyodide.http import pyfetch
async def ask(url):
    try: await asyncio.wait_for(pyfetch(url), 1)
    except BaseException as error: print("refused" if "net access" in str(error) else "let out")
for host in ("127.0.0.1", "localhost", "10.0.0.1", "169.254.169.254", "192.0.2.1"):
    asyncio.run(ask(f"http://{host}:${port}/"))`,
    );
    await open.close();
    server.close();

    expect(outcome.output).toBe('refused\nrefused\nrefused\nrefused\nlet out\n');
    expect(requests).toBe(0);
  });
});
