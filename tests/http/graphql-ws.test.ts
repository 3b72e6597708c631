import { afterEach, beforeEach, expect, test } from 'vitest';
import WebSocket from 'ws';
import {
  fill,
  KEY,
  PLAIN,
  sendEvent,
  startSubscriptionServer,
  type SubscriptionServer,
} from './subscription-server.ts';

const QUERY = 'subscription ($id: ID!) { chatEvents(chatId: $id) { sequence } }';
const payload = { query: QUERY, variables: { id: 'chat' } };

let server: SubscriptionServer;
let sockets: WebSocket[];

beforeEach(async () => {
  sockets = [];
  server = await startSubscriptionServer();
});

afterEach(async () => {
  for (const socket of sockets) socket.terminate();
  await server.close();
});

interface Peer {
  readonly socket: WebSocket;
  send(message: unknown): void;
  /** The next message that was not read yet. */
  read(): Promise<Record<string, unknown>>;
  closed(): Promise<number>;
}

async function connect(protocol = 'graphql-transport-ws', options = {}): Promise<Peer> {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/graphql`, protocol, options);
  sockets.push(socket);
  const messages: Record<string, unknown>[] = [];
  let wake = (): void => undefined;
  socket.on('message', (data: Buffer) => {
    messages.push(JSON.parse(data.toString()) as Record<string, unknown>);
    wake();
  });
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return {
    socket,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    async read() {
      while (messages.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return messages.shift() ?? {};
    },
    closed: () => closed,
  };
}

async function signIn(): Promise<Peer> {
  const peer = await connect();
  peer.send({ type: 'connection_init', payload: { Authorization: `Bearer ${KEY}` } });
  expect(await peer.read()).toEqual({ type: 'connection_ack' });
  return peer;
}

test('a stream sends its events under the id of the client, until either side completes it', async () => {
  const peer = await signIn();
  peer.send({ type: 'subscribe', id: 'one', payload });
  peer.send({ type: 'subscribe', id: 'two', payload });
  const [one, two] = await server.open(2);
  sendEvent(one!, 1);
  expect(await peer.read()).toEqual({
    ...{ type: 'next', id: 'one' },
    payload: { data: { chatEvents: { sequence: 1 } } },
  });

  peer.send({ type: 'complete', id: 'one' });
  expect(await server.open(1)).toEqual([two]);
  two!.sink.end(null);
  expect(await peer.read()).toEqual({ type: 'complete', id: 'two' });
});

test('streams of one person that ask the same are one group; another cursor changes nothing, other fields do', async () => {
  const query = `subscription ($id: ID!, $n: Int) {
    chatEvents(chatId: $id, afterSequence: $n) { sequence }
  }`;
  const peer = await signIn();
  const subscribe = (id: string, variables: object, document = query): void =>
    peer.send({ type: 'subscribe', id, payload: { query: document, variables } });
  subscribe('1', { id: 'chat', n: 1 });
  subscribe('2', { id: 'chat', n: 7 });
  subscribe('3', { id: 'chat', n: 1 }, query.replace('sequence }', 'sequence createdAt }'));
  subscribe('4', { id: 'other', n: 1 });
  const [first, second, third, fourth] = await server.open(4);

  expect(first!.encode).toBe(second!.encode);
  expect([first!.afterSequence, second!.afterSequence]).toEqual([1, 7]);
  expect(new Set([first!.encode, third!.encode, fourth!.encode]).size).toBe(3);
});

test('errors of one stream leave the connection open', async () => {
  const peer = await signIn();
  peer.send({ type: 'subscribe', id: '1', payload: { ...payload, variables: { id: 'missing' } } });
  expect(await peer.read()).toMatchObject({
    ...{ type: 'error', id: '1' },
    payload: [{ extensions: { code: 'NOT_FOUND' } }],
  });

  peer.send({ type: 'subscribe', id: '1', payload });
  await server.open(1);
  peer.send({ type: 'ping' });
  expect(await peer.read()).toEqual({ type: 'pong' });
});

test('an unexpected error reaches the client without its words', async () => {
  const peer = await signIn();
  peer.send({ type: 'subscribe', id: '1', payload });
  const [stream] = await server.open(1);
  stream!.sink.end(new Error('password=secret'));
  const message = await peer.read();

  expect(message).toMatchObject({ type: 'error', payload: [{ extensions: { code: 'INTERNAL' } }] });
  expect(JSON.stringify(message)).not.toContain('secret');
});

test.each([
  ['a text that is no JSON', 'hello', 4400],
  ['a message of no known type', { type: 'start' }, 4400],
  ['a subscription without an id', { type: 'subscribe', payload }, 4400],
  ['a second connection_init', { type: 'connection_init' }, 4429],
  ['a message above 256 KB', { type: 'ping', payload: 'x'.repeat(300_000) }, 1009],
])('%s closes the connection', async (_what, message, code) => {
  const peer = await signIn();
  peer.send(message);

  expect(await peer.closed()).toBe(code);
});

test('an id that is in use closes the connection', async () => {
  const peer = await signIn();
  for (let round = 0; round < 2; round += 1) peer.send({ type: 'subscribe', id: '1', payload });

  expect(await peer.closed()).toBe(4409);
  await server.open(0);
});

test('who subscribes before connection_init, or sends none in 10 s, is sent away', async () => {
  const [hasty, silent] = [await connect(), await connect()];
  hasty.send({ type: 'subscribe', id: '1', payload });
  expect(await hasty.closed()).toBe(4401);

  server.clock.advance(10_000);
  expect(await silent.closed()).toBe(4408);
});

test('upgrades with another protocol, address or origin are refused', async () => {
  await expect(connect('graphql-ws')).rejects.toThrow('400');
  await expect(connect(undefined, { origin: 'https://elsewhere.example' })).rejects.toThrow('403');
  const elsewhere = new WebSocket(
    `${server.url.replace('http', 'ws')}/other`,
    'graphql-transport-ws',
  );
  const failed = new Promise<Error>((resolve) => elsewhere.once('error', resolve));
  expect((await failed).message).toContain('404');
});

test('every connection hears from the server at least every 12 s, and one that does not answer is cut off', async () => {
  const [peer, mute] = [await signIn(), await signIn()];
  for (let beat = 0; beat < 3; beat += 1) {
    server.clock.advance(12_000);
    expect(await peer.read()).toEqual({ type: 'ping' });
    peer.send({ type: 'pong' });
    peer.send({ type: 'ping' });
    expect(await peer.read()).toEqual({ type: 'pong' });
    if (beat === 0) await mute.read();
  }

  expect(await mute.closed()).toBe(1006);
  expect(peer.socket.readyState).toBe(WebSocket.OPEN);
});

test('a credential that ended elsewhere, or has another role now, is found out within a minute', async () => {
  const peer = await signIn();
  server.keys.delete(KEY);
  for (let beat = 0; beat < 5; beat += 1) {
    server.clock.advance(12_000);
    await peer.read();
    peer.send({ type: 'ping' });
    if (beat < 4) await peer.read();
  }

  expect(await peer.closed()).toBe(4403);
});

test('a socket that closes frees its streams', async () => {
  const peer = await signIn();
  peer.send({ type: 'subscribe', id: '1', payload });
  await server.open(1);
  peer.socket.terminate();

  expect(await server.open(0)).toEqual([]);
});

test('a stream that filled the socket is told of room when the client reads again, and so are the others', async () => {
  const peer = await signIn();
  for (const id of ['busy', 'other']) peer.send({ type: 'subscribe', id, payload: PLAIN });
  const [busy, other] = await server.open(2);
  peer.socket.pause();
  const sent = await fill(busy!);
  const told: string[] = [];
  busy!.sink.whenBelow(65_536, () => told.push('busy'));
  other!.sink.whenBelow(65_536, () => told.push('other'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(told).toEqual([]);

  peer.socket.resume();
  for (let index = 0; index < sent; index += 1) await peer.read();
  expect(told).toEqual(['busy', 'other']);
});

test('a person may follow 200 streams; closing one makes room', async () => {
  const peer = await signIn();
  for (let id = 1; id <= 201; id += 1) peer.send({ type: 'subscribe', id: `${id}`, payload });
  expect(await peer.read()).toMatchObject({
    ...{ type: 'error', id: '201' },
    payload: [{ extensions: { code: 'OVERLOADED' } }],
  });
  await server.open(200);

  peer.send({ type: 'complete', id: '1' });
  await server.open(199);
  peer.send({ type: 'subscribe', id: '201', payload });
  expect(await server.open(200)).toHaveLength(200);
});

test('a server that stops sends clients away to come back', async () => {
  const peer = await signIn();
  await server.subscriptions.close();

  expect(await peer.closed()).toBe(1001);
});
