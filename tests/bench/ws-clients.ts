import { parentPort, Worker } from 'node:worker_threads';
import WebSocket from 'ws';

/** WebSocket clients in a thread of their own, which count what they are sent. */
export interface WsClients {
  /** Opens sockets to an address; with a query, each subscribes to it. */
  open(order: OpenOrder): Promise<void>;
  /** Resolves when all sockets together have been sent so many events since they were opened. */
  received(total: number): Promise<void>;
  /** When each event since then came, in milliseconds since 1970, with fractions. */
  arrivals(): Promise<readonly number[]>;
  /** Closes the sockets. */
  closeSockets(): Promise<void>;
  close(): Promise<void>;
}

export interface OpenOrder {
  readonly url: string;
  readonly count: number;
  /** Without it, everything that comes is an event. */
  readonly subscription?: { readonly query: string; readonly variables: object };
  readonly key?: string;
}

type Order =
  | ({ readonly type: 'open' } & OpenOrder)
  | { readonly type: 'received'; readonly total: number }
  | { readonly type: 'arrivals' }
  | { readonly type: 'close-sockets' };

export function startWsClients(): WsClients {
  const worker = new Worker(new URL(import.meta.url));
  const ask = (order: Order): Promise<unknown> =>
    new Promise((resolve, reject) => {
      worker.once('error', reject);
      worker.once('message', (answer: unknown) => {
        worker.off('error', reject);
        resolve(answer);
      });
      worker.postMessage(order);
    });
  return {
    open: async (order) => void (await ask({ type: 'open', ...order })),
    received: async (total) => void (await ask({ type: 'received', total })),
    arrivals: async () => (await ask({ type: 'arrivals' })) as readonly number[],
    closeSockets: async () => void (await ask({ type: 'close-sockets' })),
    close: async () => void (await worker.terminate()),
  };
}

if (parentPort) serve(parentPort);

function serve(port: NonNullable<typeof parentPort>): void {
  let sockets: WebSocket[] = [];
  let arrivals: number[] = [];
  let count = 0;
  let waiting: { readonly total: number; resolve(): void } | null = null;

  const hear = (): void => {
    count += 1;
    if (arrivals.length < 100_000) arrivals.push(performance.timeOrigin + performance.now());
    if (waiting === null || count < waiting.total) return;
    waiting.resolve();
    waiting = null;
  };

  async function open({ url, count: wanted, subscription, key }: OpenOrder): Promise<void> {
    arrivals = [];
    count = 0;
    sockets = Array.from({ length: wanted }, () => new WebSocket(url, 'graphql-transport-ws'));
    await Promise.all(
      sockets.map(async (socket) => {
        await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
        if (subscription === undefined) return void socket.on('message', hear);
        socket.send(
          JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${key}` } }),
        );
        await new Promise((resolve) => socket.once('message', resolve));
        socket.on('message', (data: Buffer) => {
          // Events begin with their id; pings do not.
          if (data[2] === 'i'.charCodeAt(0)) hear();
          else socket.send('{"type":"pong"}');
        });
        socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: subscription }));
      }),
    );
  }

  const received = (total: number): Promise<void> =>
    new Promise((resolve) => {
      if (count >= total) resolve();
      else waiting = { total, resolve };
    });

  function closeSockets(): void {
    for (const socket of sockets) socket.terminate();
    sockets = [];
  }

  port.on('message', (order: Order) => {
    const answer = (value: unknown = null): void => port.postMessage(value);
    if (order.type === 'open') void open(order).then(() => answer());
    else if (order.type === 'received') void received(order.total).then(() => answer());
    else if (order.type === 'arrivals') answer(arrivals.splice(0));
    else {
      closeSockets();
      answer();
    }
  });
}
