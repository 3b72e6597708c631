import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLocalBus } from '../../server/events/bus.ts';
import type { Events } from '../../server/events/events.ts';
import type { Subscription } from '../../server/events/hub.ts';
import { AppError } from '../../server/errors.ts';
import { sendError } from '../../server/http/json-answer.ts';
import { createSubscriptions, type Subscriptions } from '../../server/http/subscriptions.ts';
import { createLog } from '../../server/log.ts';
import type { Auth } from '../../server/services/auth.ts';
import type { Services } from '../../server/services/services.ts';
import type { Viewer } from '../../server/services/viewer.ts';
import { createManualClock, type ManualClock } from '../support/clock.ts';

/** Both transports over real sockets; streams, people and time are in the hands of the test. */
export interface SubscriptionServer {
  readonly url: string;
  readonly clock: ManualClock;
  readonly subscriptions: Subscriptions;
  /** Streams that are followed now. */
  readonly followed: ReadonlySet<Subscription>;
  /** Keys that count, and whose they are. */
  readonly keys: Map<string, Viewer>;
  /** Resolves when so many streams are followed. */
  open(count: number): Promise<readonly Subscription[]>;
  close(): Promise<void>;
}

export const KEY = 'sbx_test';
const ADA: Viewer = {
  ...{ id: 'ada', role: 'USER', email: 'ada@example.org', name: 'Ada', credentialId: 'key-1' },
};

export async function startSubscriptionServer(): Promise<SubscriptionServer> {
  const clock = createManualClock();
  const log = createLog({ level: 'silent' });
  const keys = new Map([[KEY, ADA]]);
  const followed = new Set<Subscription>();
  let watchers: (() => void)[] = [];
  const hub = {
    subscribe(subscription: Subscription) {
      followed.add(subscription);
      for (const watcher of watchers) watcher();
      return () => {
        followed.delete(subscription);
        for (const watcher of watchers) watcher();
      };
    },
    subscriptionCount: () => followed.size,
  };
  const auth = {
    authenticate: ({ authorization }: { authorization: string | undefined }) =>
      Promise.resolve(keys.get(authorization?.replace('Bearer ', '') ?? '') ?? null),
    forget: () => undefined,
  };
  const chats = {
    get: (_viewer: Viewer, chatId: string) =>
      chatId === 'missing'
        ? Promise.reject(new AppError('NOT_FOUND', 'There is no chat with this id.'))
        : Promise.resolve({ id: chatId }),
  };
  const subscriptions = createSubscriptions({
    services: { chats } as unknown as Services,
    events: {
      hub: hub as unknown as Events['hub'],
      toolEvents: { subscriptionCount: () => 0 } as unknown as Events['toolEvents'],
      bus: createLocalBus(),
    },
    auth: auth as unknown as Auth,
    origins: { allowedOrigins: () => [] },
    ...{ clock, log },
  });
  const server = createServer((request, response) => {
    subscriptions.sse(request, response).catch((error: unknown) => sendError(response, error, log));
  });
  subscriptions.attach(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ clock, subscriptions, followed, keys },
    async open(count) {
      while (followed.size !== count) {
        await new Promise<void>((resolve) => {
          watchers = [resolve];
        });
      }
      return [...followed];
    },
    async close() {
      await subscriptions.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A subscription that shows the whole of what {@link sendEvent} sends. */
export const PLAIN = {
  query:
    'subscription ($id: ID!) { chatEvents(chatId: $id) { sequence ... on ChatUpdate { title } } }',
  variables: { id: 'chat' },
};

/** Sends events until more than 256 KB wait in this process. @returns how many. */
export async function fill(stream: Subscription): Promise<number> {
  const text = 'x'.repeat(100_000);
  let sent = 0;
  while (stream.sink.bufferedBytes() <= 256 * 1_024) {
    sent += 1;
    sendEvent(stream, sent, text);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return sent;
}

/** Sends an event down a stream, as the hub does. */
export function sendEvent({ sink, encode }: Subscription, sequence: number, title = 't'): void {
  const event = { type: 'chat-update', title } as const;
  const line = { sequence, previousSequence: sequence - 1, createdAt: '2026-01-01T00:00:00Z' };
  sink.send({ position: String(sequence), payload: encode({ ...line, event }) });
}
