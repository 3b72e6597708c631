import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { createPubSub } from 'graphql-yoga';
import { WebSocketServer } from 'ws';
import { systemClock } from '../../server/clock.ts';
import type { Database } from '../../server/db/client.ts';
import { createLocalBus } from '../../server/events/bus.ts';
import type { ChatEvent } from '../../server/events/chat-event.ts';
import { createEntry } from '../../server/events/event-store.ts';
import type { Events } from '../../server/events/events.ts';
import { createHub, type Hub } from '../../server/events/hub.ts';
import { chatStream } from '../../server/events/stream.ts';
import { createSubscriptions } from '../../server/http/subscriptions.ts';
import { createLog } from '../../server/log.ts';
import type { Auth } from '../../server/services/auth.ts';
import type { Services } from '../../server/services/services.ts';

/** A server that tells all its WebSocket clients of events. */
export interface FanoutServer {
  readonly url: string;
  /** Subscribers that would be sent an event now. */
  subscriberCount(): number;
  /** Sends the event with this number to everybody. */
  publish(sequence: number): void;
  close(): Promise<void>;
}

export const QUERY = `subscription ($chatId: ID!, $after: Int) {
  chatEvents(chatId: $chatId, afterSequence: $after) {
    __typename sequence previousSequence
    ... on TextDelta { turnId messageId stepIndex text }
    ... on ToolCallStart { callId toolName argumentsText }
    ... on ToolCallEnd { callId status message result }
    ... on TurnEnd { turnId endReason endMessage }
  }
}`;

export const CHAT_ID = '01890000-0000-7000-8000-000000000001';
const TURN_ID = '01890000-0000-7000-8000-000000000002';
const MESSAGE_ID = '01890000-0000-7000-8000-000000000003';
const createdAt = '2026-01-01T00:00:00.000Z';

const eventOf = (sequence: number): ChatEvent => ({
  ...{ type: 'text-delta', turnId: TURN_ID, messageId: MESSAGE_ID, stepIndex: 0 },
  text: ` some words of the answer, number ${sequence}`,
});

/** What a client is sent for an event, as an object. */
function lineOf(sequence: number) {
  const { type: _, ...fields } = eventOf(sequence);
  return { __typename: 'TextDelta', sequence, previousSequence: sequence - 1, ...fields };
}

/** The limit: the same bytes, ready made, to bare sockets. */
export async function startBareServer(): Promise<FanoutServer> {
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  return {
    url: await listen(server),
    subscriberCount: () => sockets.clients.size,
    publish(sequence) {
      const payload = { data: { chatEvents: lineOf(sequence) } };
      const frame = JSON.stringify({ id: '1', type: 'next', payload });
      for (const socket of sockets.clients) socket.send(frame);
    },
    close: () => stop(server, sockets),
  };
}

/** Ours, from the hub on; nothing is stored. */
export async function startOwnServer(): Promise<FanoutServer> {
  const log = createLog({ level: 'silent' });
  const bus = createLocalBus();
  let head = 0;
  const database = {
    query: () => Promise.resolve([{ head, pruned: 0, sequence: null }]),
  } as unknown as Database;
  const hub = createHub({ database, bus, clock: systemClock, log });
  const stream = chatStream(CHAT_ID);
  const served = await serveHub(hub);
  return {
    url: served.url,
    subscriberCount: () => hub.subscriptionCount(),
    publish(sequence) {
      const previousSequence = head;
      head = sequence;
      const event = eventOf(sequence);
      const entry = createEntry({ sequence, previousSequence, createdAt, event });
      hub.publish([{ stream, entries: [entry], isGone: false }]);
    },
    async close() {
      await served.close();
      hub.close();
    },
  };
}

/** Our transports over a hub, open to everybody. */
export async function serveHub(
  hub: Hub,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const viewer = { id: 'u', role: 'USER', email: '', name: '', credentialId: 'c' };
  const toolEvents = { subscriptionCount: () => 0 } as unknown as Events['toolEvents'];
  const subscriptions = createSubscriptions({
    services: { chats: { get: () => Promise.resolve({}) } } as unknown as Services,
    events: { hub, toolEvents, bus: createLocalBus() },
    auth: { authenticate: () => Promise.resolve(viewer) } as unknown as Auth,
    origins: { allowedOrigins: () => [] },
    clock: systemClock,
    log: createLog({ level: 'silent' }),
    maxStreamsOfAPerson: 10_000,
  });
  const server = createServer();
  subscriptions.attach(server);
  return {
    url: await listen(server),
    async close() {
      await subscriptions.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The usual way: an async iterator and an execution for each subscriber and event. */
export async function startStockServer(): Promise<FanoutServer> {
  const pubSub = createPubSub<{ event: [payload: object] }>();
  const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
  let subscribers = 0;
  useStream(schema, () => {
    subscribers += 1;
    return pubSub.subscribe('event');
  });
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  const { dispose } = useServer({ schema }, sockets);
  return {
    url: await listen(server),
    subscriberCount: () => subscribers,
    publish: (sequence) => pubSub.publish('event', { chatEvents: lineOf(sequence) }),
    async close() {
      await dispose();
      await stop(server, sockets);
    },
  };
}

function useStream(schema: GraphQLSchema, subscribe: () => AsyncIterable<object>): void {
  Object.assign(schema.getSubscriptionType()!.getFields()['chatEvents']!, { subscribe });
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
}

async function stop(server: Server, sockets: WebSocketServer): Promise<void> {
  for (const socket of sockets.clients) socket.terminate();
  sockets.close();
  await new Promise((resolve) => server.close(resolve));
}
