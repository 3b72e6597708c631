// From the bytes of a model to those of a subscriber, with the event stored in between.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { request } from 'undici';
import { WebSocketServer } from 'ws';
import { systemClock } from '../../server/clock.ts';
import { createDeltaWriter, type DeltaWriter } from '../../server/events/delta-writer.ts';
import type { ChatStream } from '../../server/events/stream.ts';
import { createOpenAIChatAdapter } from '../../server/models/openai-chat.ts';
import { openEventPlace, type EventPlace } from '../events/support.ts';
import { compare, median, percentile, print } from './bench.ts';
import { QUERY, serveHub } from './subscription-servers.ts';
import { startTokenProvider, TOKENS, type TokenProvider } from './token-provider.ts';
import { startWsClients, type WsClients } from './ws-clients.ts';

const TURNS_A_ROUND = 4;
const PACED_PIECES = 100;
/** Above the 50 ms within which pieces are merged: each goes out by itself. */
const PACE_MS = 60;

interface Path {
  /** Runs a turn. @returns how many events the subscriber has been sent in all. */
  runTurn(): Promise<number>;
  readonly clients: WsClients;
  close(): Promise<void>;
}

interface OwnPath extends Path {
  /** Each turn has one of its own. */
  createWriter(): DeltaWriter;
  piece(text: string): Parameters<DeltaWriter['write']>[0];
}

const provider = await startTokenProvider();
const place = await openEventPlace();
const relay = await openRelay(provider);
const own = await openOwn(provider, place);

const firstAfterMs = new Map<Path, number[]>([
  [relay, []],
  [own, []],
]);
const round = async (path: Path): Promise<number> => {
  for (let turn = 0; turn < TURNS_A_ROUND; turn += 1) {
    await path.clients.received(await path.runTurn());
    const [first] = await path.clients.arrivals();
    const [start] = await provider.starts();
    firstAfterMs.get(path)?.push((first ?? 0) - (start ?? 0));
  }
  return TURNS_A_ROUND * TOKENS;
};

await compare({
  title: `An answer of ${TOKENS} tokens at full speed`,
  operation: 'token',
  variants: [
    { name: 'undici to ws, nothing stored', run: () => round(relay) },
    { name: 'Signalbox', run: () => round(own) },
  ],
  reach: { Signalbox: 1.5 },
});
const [ofRelay, ofOwn] = [relay, own].map((path) => median(firstAfterMs.get(path) ?? []));
print(
  `  first token after ${ofRelay?.toFixed(1)} ms and ${ofOwn?.toFixed(1)} ms: ${((ofOwn ?? 0) - (ofRelay ?? 0)).toFixed(1)} ms later (to reach: 5)`,
);
print('  the embedded database works in a thread of its own, which is not counted');
await measurePaced(own);
for (const path of [relay, own]) await path.close();
await place.close();
await provider.close();

/** Single pieces, as a slow model sends them: from `write` to the arrival at the subscriber. */
async function measurePaced({ createWriter, clients, piece }: OwnPath): Promise<void> {
  await clients.arrivals();
  const writer = createWriter();
  const written: number[] = [];
  for (let index = 0; index < PACED_PIECES; index += 1) {
    written.push(performance.timeOrigin + performance.now());
    writer.write(piece(`piece ${index}`));
    await wait(PACE_MS);
  }
  await writer.flush();
  const arrivals = await clients.arrivals();
  const laterMs = arrivals.map((at, index) => at - (written[index] ?? 0));
  print(
    `  a piece reaches its subscriber, stored, after ${median(laterMs).toFixed(1)} ms (p50) and ${percentile(laterMs, 99).toFixed(1)} ms (p99), ${laterMs.length} pieces`,
  );
}

async function openRelay({ url }: TokenProvider): Promise<Path> {
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const clients = startWsClients();
  const { port } = server.address() as AddressInfo;
  await clients.open({ url: `ws://127.0.0.1:${port}`, count: 1 });
  let sent = 0;
  return {
    clients,
    async runTurn() {
      const { body } = await request(url, { method: 'POST', body: '{}' });
      for await (const line of createInterface({ input: body })) {
        if (!line.startsWith('data: {')) continue;
        const chunk = JSON.parse(line.slice(6)) as { choices: { delta: { content?: string } }[] };
        const text = chunk.choices[0]?.delta.content;
        if (text === undefined) continue;
        sent += 1;
        for (const socket of sockets.clients) socket.send(JSON.stringify({ text }));
      }
      return sent;
    },
    async close() {
      await clients.close();
      for (const socket of sockets.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function openOwn(
  { url }: TokenProvider,
  { events, createChat }: EventPlace,
): Promise<OwnPath> {
  const chat: ChatStream = await createChat();
  const served = await serveHub(events.hub);
  const clients = startWsClients();
  const variables = { chatId: chat.id };
  await clients.open({
    url: served.url,
    count: 1,
    key: 'any',
    subscription: { query: QUERY, variables },
  });
  const adapter = createOpenAIChatAdapter({
    ...{ provider: 'Bench', family: 'bench', apiKey: 'any', idleTimeoutMs: 10_000 },
    baseUrl: `${url}/v1`,
  });
  const order = {
    ...{ model: 'bench', system: 'Answer.', tools: [], maxOutputTokens: 1_000, cacheKey: 'bench' },
    history: [{ type: 'user', text: 'Tell me a story.' }],
  } as const;
  let last = 0;
  const createWriter = (): DeltaWriter =>
    createDeltaWriter({
      clock: systemClock,
      append: async (deltas) => (last = await events.log.append(chat, deltas)),
    });
  const piece: OwnPath['piece'] = (text) => ({
    ...{ type: 'text-delta', turnId: 'turn', messageId: 'message', stepIndex: 0, text },
  });
  return {
    ...{ clients, createWriter, piece },
    async runTurn() {
      const writer = createWriter();
      for await (const part of adapter.stream(order, AbortSignal.timeout(60_000))) {
        if (part.type === 'text-delta') writer.write(piece(part.text));
      }
      await writer.flush();
      return last;
    },
    async close() {
      await clients.close();
      await served.close();
    },
  };
}
