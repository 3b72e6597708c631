import { connect } from 'node:net';
import { createServer, type Server } from 'node:net';
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isPublicAddress } from '../../server/providers/address-rule.ts';
import {
  createGuardedClient,
  type GuardedClient,
  type GuardedClientOptions,
  type GuardedRequest,
} from '../../server/providers/http.ts';
import { ForbiddenTargetError } from '../../server/providers/target-url.ts';
import { createLookup, type FakeWeb, startFakeWeb } from '../support/fake-web.ts';
import { FORBIDDEN_ADDRESSES, FORBIDDEN_URLS, PUBLIC_ADDRESSES } from './forbidden-targets.ts';

let web: FakeWeb;
/** Listens where nobody may come; counts who comes all the same. */
let canary: Server;
let intruders = 0;
const CANARY_ADDRESS = '127.0.0.2';
const clients: GuardedClient[] = [];

beforeAll(async () => {
  web = await startFakeWeb();
  canary = createServer((socket) => {
    intruders += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => canary.listen(web.port, CANARY_ADDRESS, resolve));
});
afterEach(async () => {
  expect(intruders).toBe(0);
  await Promise.all(clients.splice(0).map((client) => client.close()));
});
afterAll(async () => {
  await web.close();
  await new Promise((resolve) => canary.close(resolve));
});

function createClient(options: Partial<GuardedClientOptions> = {}): GuardedClient {
  const client = createGuardedClient({
    userAgent: 'Signalbox/test',
    rule: web.rule,
    lookup: web.lookup,
    ...options,
  });
  clients.push(client);
  return client;
}

const call = (deadlineMs = 10_000, signal = new AbortController().signal) => ({
  signal,
  deadlineAt: Date.now() + deadlineMs,
});

const get = (url: string, request?: GuardedRequest) => createClient().get(url, call(), request);

describe('the address rule', () => {
  test('the list of forbidden spellings is long', () => {
    expect(new Set(FORBIDDEN_URLS).size).toBe(FORBIDDEN_URLS.length);
    expect(FORBIDDEN_URLS.length).toBeGreaterThanOrEqual(80);
  });

  test.each(FORBIDDEN_URLS)('%j is refused before anybody is asked', async (url) => {
    let asked = 0;
    const lookup = createLookup(() => ((asked += 1), ['127.0.0.1']));
    const client = createGuardedClient({ userAgent: 'test', lookup });
    clients.push(client);

    await expect(client.get(url, call())).rejects.toBeInstanceOf(ForbiddenTargetError);
    expect(asked).toBe(0);
  });

  test.each(FORBIDDEN_ADDRESSES)('a name whose address is %j is refused', async (address) => {
    const client = createGuardedClient({
      userAgent: 'test',
      lookup: createLookup(() => [address]),
    });
    clients.push(client);

    await expect(client.get('http://harmless.example/', call())).rejects.toThrow(
      'does not belong to the public internet',
    );
  });

  test('a name with one public and one private address is refused', async () => {
    const client = createGuardedClient({
      userAgent: 'test',
      lookup: createLookup(() => ['93.184.216.34', '10.0.0.1']),
    });
    clients.push(client);

    await expect(client.get('https://mixed.example/', call())).rejects.toBeInstanceOf(
      ForbiddenTargetError,
    );
  });

  test.each(PUBLIC_ADDRESSES)('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each([...FORBIDDEN_ADDRESSES, '', '8.8.8.8%eth0', '0x8.8.8.8'])(
    '%j is not public',
    (address) => {
      expect(isPublicAddress(address)).toBe(false);
    },
  );
});

describe('the guarded client', () => {
  test('a site that looks public is reached, under its own name', async () => {
    web.serve('/hello', { body: 'Good day' });

    const answer = await get(web.url('/hello', 'news.example'));

    expect(answer).toMatchObject({ status: 200, contentType: 'text/html' });
    expect(answer.bytes.toString()).toBe('Good day');
    expect(web.requests.at(-1)).toMatchObject({ host: `news.example:${web.port}` });
  });

  test('a name that leads to an allowed address first and to a forbidden one next is looked up once a connection', async () => {
    web.serve('/rebinding', { body: 'the first answer' });
    const asked: string[] = [];
    const lookup = createLookup((hostname, count) => {
      asked.push(hostname);
      return count === 1 ? ['127.0.0.1'] : [CANARY_ADDRESS];
    });
    const url = web.url('/rebinding', 'rebind.example');

    const answer = await createClient({ lookup }).get(url, call());
    expect(answer.bytes.toString()).toBe('the first answer');
    expect(asked).toEqual(['rebind.example']);

    // A new connection asks anew, and is judged by what it is told then.
    const late = createClient({ lookup });
    await expect(late.get(url, call())).rejects.toBeInstanceOf(ForbiddenTargetError);
  });

  test('a socket that reached another address than was judged is closed before anything is sent', async () => {
    let judged = 0;
    const rule = { ...web.rule, isAllowedAddress: () => (judged += 1) === 1 };

    await expect(createClient({ rule }).get(web.url('/hello'), call())).rejects.toBeInstanceOf(
      ForbiddenTargetError,
    );
    expect(judged).toBe(2);
  });

  test.each([301, 302, 303, 307, 308])('a redirect with status %i is followed', async (status) => {
    web.serve('/new', { body: 'moved here' });
    web.serve('/old', { status, headers: { location: '/new' }, body: 'gone' });

    const answer = await get(web.url('/old'));

    expect(answer.url.pathname).toBe('/new');
    expect(answer.bytes.toString()).toBe('moved here');
  });

  test('an address in a header may hold letters that no header should', async () => {
    web.serve('/gr%C3%BC%C3%9Fe', { body: 'found' });
    web.serve('/unescaped', (response) => {
      const location = Buffer.from('/grüße').toString('latin1');
      response.writeHead(302, { location }).end();
    });

    expect((await get(web.url('/unescaped'))).bytes.toString()).toBe('found');
  });

  test('every hop is judged like the first', async () => {
    const forbidden = [
      `http://${CANARY_ADDRESS}:${web.port}/`,
      `//${CANARY_ADDRESS}:${web.port}/`,
      `http://[::ffff:127.0.0.2]:${web.port}/`,
      `http://0x7f000002:${web.port}/`,
      `http://user:secret@site.example:${web.port}/`,
      'http://169.254.169.254/latest/',
      'http://site.example:22/',
      'file:///etc/passwd',
      'data:text/plain,hello',
      'http://localhost/',
    ];
    for (const location of forbidden) {
      web.serve('/hop', { status: 302, headers: { location } });
      web.serve('/first', { status: 302, headers: { location: '/hop' } });
      await expect(get(web.url('/first')), location).rejects.toBeInstanceOf(ForbiddenTargetError);
    }
  });

  test('a hop to a name with a forbidden address is refused', async () => {
    web.serve('/out', { status: 302, headers: { location: web.url('/in', 'inside.example') } });
    const lookup = createLookup((name) => [
      name === 'inside.example' ? CANARY_ADDRESS : '127.0.0.1',
    ]);

    await expect(createClient({ lookup }).get(web.url('/out'), call())).rejects.toThrow(
      'inside.example leads to 127.0.0.2',
    );
  });

  test('a redirect in a circle ends', async () => {
    web.serve('/a', { status: 302, headers: { location: '/b' } });
    web.serve('/b', { status: 302, headers: { location: '/a#x' } });

    await expect(get(web.url('/a'))).rejects.toThrow('redirects in a circle');
  });

  test('the sixth redirect is not followed', async () => {
    for (let step = 0; step < 9; step += 1) {
      web.serve(`/step${step}`, { status: 302, headers: { location: `/step${step + 1}` } });
    }
    web.serve('/step9', { body: 'the end' });

    await expect(get(web.url('/step3'))).rejects.toThrow('redirects more than 5 times');
    expect((await get(web.url('/step4'))).bytes.toString()).toBe('the end');
  });

  test('no cookie is kept, and nothing tells who asks', async () => {
    web.serve('/cookie', {
      status: 302,
      headers: { 'set-cookie': ['a=1', 'b=2'], location: '/after' },
    });
    web.serve('/after', { body: 'x' });
    const client = createClient();
    await client.get(web.url('/cookie'), call());
    await client.get(web.url('/after'), call());

    const sent = web.requests.slice(-3).flatMap(({ headers }) => Object.keys(headers));
    expect([...new Set(sent)].sort()).toEqual([
      ...['accept', 'accept-encoding', 'accept-language', 'connection', 'host', 'user-agent'],
    ]);
  });

  test('an answer of any status is an answer', async () => {
    web.serve('/teapot', { status: 418, body: 'short and stout' });

    expect(await get(web.url('/teapot'))).toMatchObject({ status: 418 });
  });
});

describe('what a guarded client reads', () => {
  const text = 'Grüße '.repeat(2_000);
  test.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['zstd', zstdCompressSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['gzip, br', brotliCompressSync(gzipSync(text))],
    ['identity', Buffer.from(text)],
    ['gzip', Buffer.concat([gzipSync(text.slice(0, 600)), gzipSync(text.slice(600))])],
  ])('a body packed as %s is unpacked', async (coding, body) => {
    web.serve('/packed', { headers: { 'content-encoding': coding }, body });

    expect((await get(web.url('/packed'))).bytes.toString()).toBe(text);
  });

  const zeros = Buffer.alloc(60_000_000);
  test.each([
    ['gzip', gzipSync(zeros)],
    ['br', brotliCompressSync(zeros, { params: { 1: 1 } })],
    ['zstd', zstdCompressSync(zeros)],
    ['deflate', deflateSync(zeros)],
    ['gzip, gzip', gzipSync(gzipSync(zeros))],
  ])('a small body packed as %s that unpacks to 60 MB ends at the limit', async (coding, body) => {
    web.serve('/bomb', { headers: { 'content-encoding': coding }, body });
    const before = process.memoryUsage().arrayBuffers;

    await expect(get(web.url('/bomb'), { limitBytes: () => 1_000_000 })).rejects.toThrow(
      'The answer of site.example has more than 1000000 bytes.',
    );
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(30_000_000);
  });

  test.each([
    ['gzip, gzip, gzip', 'packed 3 times over'],
    ['lzma', 'packed as "lzma"'],
    ['gzip', 'cannot be unpacked'],
    ['br', 'cannot be unpacked'],
    ['zstd', 'cannot be unpacked'],
  ])(
    'a body that claims to be packed as %s and cannot be unpacked is told',
    async (coding, why) => {
      web.serve('/claim', { headers: { 'content-encoding': coding }, body: 'plain text' });

      await expect(get(web.url('/claim'))).rejects.toThrow(why);
    },
  );

  test('an endless body ends at the limit, and the connection with it', async () => {
    web.serve('/endless', (response) => {
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      };
      response.on('drain', write).writeHead(200, { 'content-type': 'text/html' });
      write();
    });
    const client = createClient();

    await expect(
      client.get(web.url('/endless'), call(), { limitBytes: () => 200_000 }),
    ).rejects.toMatchObject({ kind: 'too-large' });
    await web.whenLeft();
  });

  test('the limit may depend on what the answer is', async () => {
    web.serve('/large', { headers: { 'content-type': 'Text/Plain; charset=x' }, body: text });
    const limitBytes = ({ contentType }: { readonly contentType: string }) =>
      contentType === 'text/plain' ? 100_000 : 10;

    expect((await get(web.url('/large'), { limitBytes })).contentType).toBe('text/plain');
    web.serve('/large', { body: text });
    await expect(get(web.url('/large'), { limitBytes })).rejects.toThrow('more than 10 bytes');
  });

  test('headers without end are refused', async () => {
    web.serve('/headers', (response) => {
      response.socket?.write(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`);
    });

    await expect(get(web.url('/headers'))).rejects.toThrow('headers of site.example are too long');
  });

  test('what is no HTTP is told', async () => {
    web.serve('/noise', (response) => void response.socket?.end('SSH-2.0-OpenSSH\r\n'));

    await expect(get(web.url('/noise'))).rejects.toMatchObject({ kind: 'malformed' });
  });

  test('a body that breaks off is told', async () => {
    web.serve('/cut', (response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('only this');
      setImmediate(() => response.destroy());
    });

    await expect(get(web.url('/cut'))).rejects.toMatchObject({ kind: 'unreachable' });
  });

  test('a server that nobody answers for is told', async () => {
    const rule = { ...web.rule, isAllowedPort: () => true };

    await expect(
      createClient({ rule }).get('http://site.example:1/', call()),
    ).rejects.toMatchObject({ kind: 'unreachable', causeCode: 'ECONNREFUSED' });
  });
});

describe('how long a guarded client waits', () => {
  const silence = () => undefined;

  test.each([
    ['before the headers', silence],
    [
      'within the body',
      (response: { writeHead(status: number): { write(text: string): unknown } }) =>
        void response.writeHead(200).write('x'),
    ],
  ])('a server that falls silent %s is left at the limit', async (_when, route) => {
    web.serve('/silent', route);
    const client = createClient();

    await expect(client.get(web.url('/silent'), call(), { timeoutMs: 150 })).rejects.toMatchObject({
      kind: 'timed-out',
      message: expect.stringContaining('in time') as string,
    });
    await expect(client.get(web.url('/silent'), call(150))).rejects.toMatchObject({
      kind: 'timed-out',
    });
    await web.whenLeft();
  });

  test('a body that drips is left at the limit', async () => {
    web.serve('/drip', (response) => {
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(timer));
    });

    await expect(get(web.url('/drip'), { timeoutMs: 200 })).rejects.toMatchObject({
      kind: 'timed-out',
    });
  });

  test('a cancelled request ends at once, and its connection with it', async () => {
    let arrived: () => void = silence;
    const arrival = new Promise<void>((resolve) => (arrived = resolve));
    web.serve('/cancel', (response) => {
      response.writeHead(200).write('x');
      arrived();
    });
    const controller = new AbortController();
    const client = createClient();
    const answer = client.get(web.url('/cancel'), call(10_000, controller.signal));
    const outcome = expect(answer).rejects.toMatchObject({ kind: 'cancelled' });
    await arrival;

    controller.abort();

    await outcome;
    await web.whenLeft();
  });

  test('a request that is cancelled before it begins sends nothing', async () => {
    const before = web.requests.length;

    await expect(
      createClient().get(web.url('/hello'), call(10_000, AbortSignal.abort())),
    ).rejects.toMatchObject({ kind: 'cancelled' });
    expect(web.requests.length).toBe(before);
  });
});

test('the forbidden place of these tests is open to everyone else', async () => {
  const socket = connect(web.port, CANARY_ADDRESS);
  await new Promise((resolve) => socket.on('close', resolve));
  expect(intruders).toBe(1);
  intruders = 0;
});
