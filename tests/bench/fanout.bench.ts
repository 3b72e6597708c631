// One chat, many subscribers: what it costs the server thread to bring an event to one of them.
import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import { compare, type Variant } from './bench.ts';
import {
  CHAT_ID,
  QUERY,
  startBareServer,
  startOwnServer,
  startStockServer,
  type FanoutServer,
} from './subscription-servers.ts';
import { startWsClients, type WsClients } from './ws-clients.ts';

/** Subscribers, events of a round, and the ratio to bare sockets that is to be reached. */
const SIZES = [
  { subscribers: 1, events: 6_000, most: 1.2 },
  { subscribers: 10, events: 1_200, most: 1.3 },
  { subscribers: 100, events: 200, most: 1.3 },
  { subscribers: 1_000, events: 30, most: 1.3 },
];
/** Events under way at a time: the stock server throws above 1,024 of one subscriber. */
const WINDOW = 50;

interface Ready extends Variant {
  close(): Promise<void>;
}

for (const { subscribers, events, most } of SIZES) {
  const variants: Ready[] = [];
  for (const [name, start] of [
    ['bare ws, same bytes', startBareServer],
    ['Signalbox', startOwnServer],
    ['graphql-ws and Yoga’s pub/sub', startStockServer],
  ] as const) {
    variants.push(await prepare(name, { server: await start(), subscribers, events }));
  }
  const [, own, stock] = await compare({
    title: `${subscribers} subscriber${subscribers === 1 ? '' : 's'}`,
    operation: 'delivered event',
    variants,
    reach: { Signalbox: most },
  });
  const times = (stock?.cpuUs ?? 0) / (own?.cpuUs ?? 1);
  process.stdout.write(`  ${times.toFixed(1)} × cheaper than the usual way (to reach: 3)\n\n`);
  for (const variant of variants) await variant.close();
}

async function prepare(
  name: string,
  setup: { readonly server: FanoutServer; readonly subscribers: number; readonly events: number },
): Promise<Ready> {
  const { server, subscribers, events } = setup;
  const clients = startWsClients();
  const isBare = name.startsWith('bare');
  await clients.open({
    ...{ url: server.url, count: subscribers, key: 'any' },
    ...(isBare ? {} : { subscription: { query: QUERY, variables: { chatId: CHAT_ID } } }),
  });
  while (server.subscriberCount() < subscribers) await wait(20);
  // The first look into the store is on its way.
  await wait(200);
  let sequence = 0;
  return {
    name,
    async run() {
      const last = sequence + events;
      while (sequence < last)
        sequence = await publishWindow(server, clients, { sequence, last, subscribers });
      return events * subscribers;
    },
    async close() {
      await clients.closeSockets();
      await clients.close();
      await server.close();
    },
  };
}

/** Events come one by one, each in a turn of the event loop of its own. */
async function publishWindow(
  server: FanoutServer,
  clients: WsClients,
  place: { readonly sequence: number; readonly last: number; readonly subscribers: number },
): Promise<number> {
  const end = Math.min(place.last, place.sequence + WINDOW);
  for (let sequence = place.sequence + 1; sequence <= end; sequence += 1) {
    server.publish(sequence);
    await setImmediate();
  }
  await clients.received(end * place.subscribers);
  return end;
}
