import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Clock } from '../../server/clock.ts';
import { parseRetryAfter } from '../../server/providers/provider-exchange.ts';
import {
  createProviderHttp,
  type ProviderHttpOptions,
} from '../../server/providers/provider-http.ts';
import { createUserAgent } from '../../server/providers/user-agent.ts';
import { type FakeProviderServer, startFakeProviders } from '../support/fake-provider-server.ts';

let server: FakeProviderServer;
/** Delays that the client asked its clock for. */
let delays: number[] = [];

beforeAll(async () => {
  server = await startFakeProviders();
});
afterAll(() => server.close());

const NOW = Date.parse('2026-07-01T12:00:00Z');

/** For one request: its limit of time comes as said, the waits after that are over at once. */
function createClock(limit: 'never' | 'soon' = 'never'): Clock {
  delays = [];
  return {
    now: () => NOW,
    after(delayMs, run) {
      delays.push(delayMs);
      if (delays.length === 1 && limit === 'never') return () => undefined;
      const timer = setTimeout(run, delays.length === 1 ? 100 : 0);
      return () => clearTimeout(timer);
    },
    every: () => () => undefined,
  };
}

const createClient = (options: Partial<ProviderHttpOptions> = {}) =>
  createProviderHttp({
    provider: 'Example',
    userAgent: createUserAgent('ops@signalbox.example'),
    clock: createClock(),
    ...options,
  });

const call = (deadlineMs = 60_000, signal = new AbortController().signal) => ({
  signal,
  deadlineAt: NOW + deadlineMs,
});

const url = () => `${server.origin}/open-meteo-geocoding/v1/search?name=Seestadt`;
const countRequests = async (run: () => Promise<unknown>): Promise<number> => {
  const before = server.requests.length;
  await run();
  return server.requests.length - before;
};

describe('provider http', () => {
  test('a request names the product, its version and the contact of the operator', async () => {
    await createClient().requestJson(url(), call());

    expect(server.requests.at(-1)?.userAgent).toMatch(
      /^Signalbox\/\d+\.\d+\.\d+ \(ops@signalbox\.example\)$/,
    );
  });

  test('a contact cannot break out of the header', () => {
    expect(createUserAgent('a@b.example) evil\r\nX-Bad: 1 (é')).not.toMatch(/[\r\né]|\) evil/);
    expect(createUserAgent(null)).toContain('no contact given');
  });

  test('a lost connection is tried again', async () => {
    server.misbehave('/v1/search', 'hang-up');

    const count = await countRequests(() => createClient().requestJson(url(), call()));

    expect(count).toBe(2);
  });

  test('a POST whose connection is lost is not sent twice', async () => {
    server.misbehave('/v1/search', 'hang-up');

    const count = await countRequests(() =>
      expect(
        createClient().requestJson(url(), call(), { method: 'POST', body: '{}' }),
      ).rejects.toMatchObject({ kind: 'unreachable' }),
    );

    expect(count).toBe(1);
  });

  test('a broken tail of an answer with status 200 is asked for once more', async () => {
    server.misbehave('/v1/search', 'broken-tail');

    const answer = await createClient().requestJson(url(), call());

    expect(answer).toMatchObject({ results: [{ name: 'Seestadt' }] });
  });

  test('an answer that stays broken is an error after two attempts', async () => {
    server.misbehave('/v1/search', 'broken-tail');
    server.misbehave('/v1/search', 'broken-tail');

    const count = await countRequests(() =>
      expect(createClient().requestJson(url(), call())).rejects.toMatchObject({
        kind: 'malformed',
        message: 'Example sent an answer that is no complete JSON.',
      }),
    );

    expect(count).toBe(2);
  });

  test('Retry-After is obeyed when the deadline allows it', async () => {
    const tooMany = { status: 429, headers: { 'retry-after': '7' }, body: 'Slow down.' };
    server.misbehave('/v1/search', tooMany);

    await createClient().requestJson(url(), call());

    expect(delays).toContain(7_000);
  });

  test('a Retry-After beyond the deadline ends the request at once and tells how long to wait', async () => {
    const tooMany = { status: 429, headers: { 'retry-after': '20' }, body: 'Slow down.' };
    server.misbehave('/v1/search', tooMany);

    const count = await countRequests(() =>
      expect(createClient().requestJson(url(), call(10_000))).rejects.toMatchObject({
        kind: 'rate-limited',
        status: 429,
        retryAfterMs: 20_000,
        message: 'Example answered with status 429: Slow down. It asks to wait 20 seconds.',
      }),
    );

    expect(count).toBe(1);
  });

  test('a limit without a time is tried once more and no oftener', async () => {
    for (let index = 0; index < 2; index += 1) {
      server.misbehave('/v1/search', { status: 429, body: 'Too many.' });
    }

    const count = await countRequests(() =>
      expect(createClient().requestJson(url(), call())).rejects.toMatchObject({
        kind: 'rate-limited',
      }),
    );

    expect(count).toBe(2);
  });

  test('a refusal is not repeated', async () => {
    server.misbehave('/v1/search', { status: 400, body: '<b>Wrong</b> &amp; useless' });

    const count = await countRequests(() =>
      expect(createClient().requestJson(url(), call())).rejects.toMatchObject({
        kind: 'refused',
        message: 'Example answered with status 400: Wrong & useless.',
      }),
    );

    expect(count).toBe(1);
  });

  test('a small answer that unpacks to a huge one ends at the limit', async () => {
    server.misbehave('/v1/search', 'gzip-bomb');
    const before = process.memoryUsage().arrayBuffers;

    await expect(
      createClient({ maxBytes: 100_000 }).requestJson(url(), call()),
    ).rejects.toMatchObject({ kind: 'too-large' });

    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
  });

  test('a body that stalls ends when the time is over', async () => {
    server.misbehave('/v1/search', 'stall');
    const client = createClient({ timeoutMs: 5_000, clock: createClock('soon') });

    await expect(client.requestJson(url(), call())).rejects.toMatchObject({
      kind: 'timed-out',
      message: 'Example did not answer in time.',
    });
  });

  test('an abort ends a request that waits for its answer', async () => {
    server.misbehave('/v1/search', 'silence');
    const controller = new AbortController();
    const before = server.requests.length;
    const request = createClient().requestJson(url(), call(60_000, controller.signal));
    const outcome = expect(request).rejects.toMatchObject({ kind: 'cancelled' });
    await expect.poll(() => server.requests.length).toBe(before + 1);

    controller.abort();

    await outcome;
  });

  test('an abort ends the wait for another attempt', async () => {
    const controller = new AbortController();
    server.misbehave('/v1/search', { status: 429, headers: { 'retry-after': '3600' }, body: '' });
    const clock: Clock = { ...createClock(), after: () => () => undefined };
    const client = createClient({ clock, timeoutMs: 9_999_999 });
    const before = server.requests.length;
    const request = client.requestJson(url(), call(9_999_999, controller.signal));
    const outcome = expect(request).rejects.toMatchObject({ kind: 'cancelled' });
    await expect.poll(() => server.requests.length).toBe(before + 1);

    controller.abort();

    await outcome;
    expect(server.requests.length).toBe(before + 1);
  });

  test('a redirect is followed within the host only, and as often as allowed', async () => {
    const page = (title: string) =>
      `${server.origin}/wikipedia/en/api/rest_v1/page/summary/${title}`;

    const answer = await createClient().requestText(page('Common_seal'), call(), {
      maxRedirects: 2,
    });

    expect(answer.url).toBe(page('Harbour_seal'));
    for (const [title, maxRedirects] of [
      ['Common_seal', 0],
      ['Elsewhere', 2],
      ['Circle', 2],
    ] as const) {
      await expect(
        createClient().requestText(page(title), call(), { maxRedirects }),
      ).rejects.toMatchObject({
        kind: 'refused',
        status: 302,
      });
    }
  });

  test('a host that is not there is unreachable, with the code of the system', async () => {
    const gone = await startFakeProviders();
    await gone.close();
    const client = createClient({ maxAttempts: 1 });

    await expect(client.requestText(gone.origin, call())).rejects.toMatchObject({
      kind: 'unreachable',
      causeCode: 'ECONNREFUSED',
    });
  });

  test('Retry-After is read as seconds and as a date', () => {
    expect(parseRetryAfter('18', NOW)).toBe(18_000);
    expect(parseRetryAfter('Wed, 01 Jul 2026 12:00:30 GMT', NOW)).toBe(30_000);
    expect(parseRetryAfter('Wed, 01 Jul 2026 11:00:00 GMT', NOW)).toBe(0);
    expect(parseRetryAfter('soon', NOW)).toBeNull();
    expect(parseRetryAfter(null, NOW)).toBeNull();
  });
});
