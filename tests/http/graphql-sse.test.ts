import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  fill,
  KEY,
  PLAIN,
  sendEvent,
  startSubscriptionServer,
  type SubscriptionServer,
} from './subscription-server.ts';

const QUERY = 'subscription ($id: ID!) { chatEvents(chatId: $id) { sequence } }';

let server: SubscriptionServer;

beforeEach(async () => {
  server = await startSubscriptionServer();
});

afterEach(() => server.close());

interface Stream {
  readonly status: number;
  readonly type: string | null;
  /** Reads on until the text holds `wanted`, and returns all of it. */
  until(wanted: string): Promise<string>;
  /** Resolves with everything when the stream has ended. */
  end(): Promise<string>;
  cancel(): void;
}

async function open(init: RequestInit = {}, search = ''): Promise<Stream> {
  const abort = new AbortController();
  const response = await fetch(`${server.url}/graphql${search}`, {
    method: 'POST',
    ...(init.method === 'GET'
      ? {}
      : { body: JSON.stringify({ query: QUERY, variables: { id: 'chat' } }) }),
    ...init,
    headers: { authorization: `Bearer ${KEY}`, ...(init.headers as object) },
    signal: abort.signal,
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const readOn = async (isEnough: () => boolean): Promise<string> => {
    while (!isEnough()) {
      const { done, value } = await reader.read();
      if (done) break;
      text += value;
    }
    return text;
  };
  return {
    ...{ status: response.status, type: response.headers.get('content-type') },
    until: (wanted) => readOn(() => text.includes(wanted)),
    end: () => readOn(() => false),
    cancel: () => abort.abort(),
  };
}

test('each event has the number after it as id, and the stream ends with complete', async () => {
  const stream = await open();
  const [followed] = await server.open(1);
  sendEvent(followed!, 7);
  sendEvent(followed!, 8);
  followed!.sink.end(null);

  expect([stream.status, stream.type]).toEqual([200, 'text/event-stream; charset=utf-8']);
  expect(await stream.end()).toBe(
    [
      ':\n\n',
      'event: next\nid: 7\ndata: {"data":{"chatEvents":{"sequence":7}}}\n\n',
      'event: next\nid: 8\ndata: {"data":{"chatEvents":{"sequence":8}}}\n\n',
      'event: complete\ndata:\n\n',
    ].join(''),
  );
});

test('Last-Event-ID says where to go on, and wins over the variables', async () => {
  const stream = await open({ headers: { 'last-event-id': '41' } });
  const [followed] = await server.open(1);

  expect(followed!.afterSequence).toBe(41);
  stream.cancel();
  await server.open(0);
});

test('a stream that filled the socket is told of room when the client reads again', async () => {
  const stream = await open({ body: JSON.stringify(PLAIN) });
  const [followed] = await server.open(1);
  const sent = await fill(followed!);
  let isTold = false;
  followed!.sink.whenBelow(65_536, () => (isTold = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isTold).toBe(false);

  await stream.until(`id: ${sent}\n`);
  expect(isTold).toBe(true);
  stream.cancel();
});

test.each(['x', '-1', '1.5', '3000000000'])('the Last-Event-ID "%s" is refused', async (id) => {
  const stream = await open({ headers: { 'last-event-id': id } });

  expect(await stream.end()).toContain('"code":"BAD_INPUT"');
});

test('a GET with the document in the address opens the same stream', async () => {
  const search = new URLSearchParams({ query: QUERY, variables: '{"id":"chat"}' });
  const stream = await open({ method: 'GET' }, `?${search}`);
  const [followed] = await server.open(1);

  expect(followed!.stream).toEqual({ kind: 'chat', id: 'chat' });
  stream.cancel();
  await server.open(0);
});

test('every stream hears from the server at least every 12 s', async () => {
  const stream = await open();
  await server.open(1);
  await stream.until(':\n\n');
  for (let beat = 1; beat <= 3; beat += 1) {
    server.clock.advance(12_000);
    expect(await stream.until(':\n\n'.repeat(beat + 1))).toBe(':\n\n'.repeat(beat + 1));
  }
  stream.cancel();
});

test('errors come as the last event, with their code', async () => {
  const body = JSON.stringify({ query: QUERY, variables: { id: 'missing' } });
  const text = await (await open({ body })).end();

  expect(text).toContain('"code":"NOT_FOUND"');
  expect(text).toMatch(/event: complete\ndata:\n\n$/);
});

test.each([
  ['no JSON', 'query'],
  ['an array', '[]'],
  ['over 256 KB', JSON.stringify({ query: 'x'.repeat(300_000) })],
])('a body that is %s is refused before the stream begins', async (_what, body) => {
  const stream = await open({ body });

  expect(stream.status).toBe(400);
  expect(await stream.end()).toContain('BAD_INPUT');
});

test('nobody gets 401', async () => {
  const stream = await open({ headers: { authorization: 'Bearer wrong' } });

  expect(stream.status).toBe(401);
  expect(await stream.end()).toContain('UNAUTHENTICATED');
});

test('a credential that ended elsewhere is found out within a minute', async () => {
  const stream = await open();
  await server.open(1);
  server.keys.delete(KEY);
  server.clock.advance(60_000);

  expect(await stream.end()).toContain('"code":"UNAUTHENTICATED"');
});

test('a client that goes away frees its stream', async () => {
  const stream = await open();
  await server.open(1);
  stream.cancel();

  expect(await server.open(0)).toEqual([]);
  expect(server.clock.pendingCount).toBe(0);
});
