import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { answerOpenMeteo } from './fake-provider-server-open-meteo.ts';
import { answerWikidata } from './fake-provider-server-wikidata.ts';
import { answerWikipedia } from './fake-provider-server-wikipedia.ts';

/** What a provider answers; a text is sent as it is, anything else as JSON. */
export interface FakeAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface FakeRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly userAgent: string;
}

export type FakeProvider = (request: FakeRequest) => FakeAnswer;

export type Misbehaviour =
  | FakeAnswer
  /** The right answer with an error text in the middle of its body, and status 200. */
  | 'broken-tail'
  /** A small compressed body that unpacks to 50 MB. */
  | 'gzip-bomb'
  /** Headers and a first byte, then nothing. */
  | 'stall'
  /** No answer at all. */
  | 'silence'
  /** The connection is closed. */
  | 'hang-up';

export interface FakeProviderServer {
  /** Settings that lead to it, by name in the environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly origin: string;
  readonly requests: readonly FakeRequest[];
  /** Does this once, with the next request whose path contains `part`. */
  misbehave(part: string, misbehaviour: Misbehaviour): void;
  close(): Promise<void>;
}

const PROVIDERS: readonly (readonly [string, FakeProvider])[] = [
  ['/open-meteo', answerOpenMeteo],
  ['/wikipedia/', answerWikipedia],
  ['/wikidata', answerWikidata],
];

/** All fixed providers on one loopback port; they answer as the real ones do, oddities included. */
export async function startFakeProviders(): Promise<FakeProviderServer> {
  const requests: FakeRequest[] = [];
  const planned: { readonly part: string; readonly misbehaviour: Misbehaviour }[] = [];
  const server = createServer((message, response) => {
    const request = toFakeRequest(message);
    requests.push(request);
    const index = planned.findIndex(({ part }) => request.path.includes(part));
    const [plan] = index < 0 ? [] : planned.splice(index, 1);
    const right = answer(request);
    if (plan === undefined) send(response, right);
    else misbehave(response, plan.misbehaviour, right);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    requests,
    environment: {
      OPEN_METEO_BASE_URL: `${origin}/open-meteo`,
      OPEN_METEO_GEOCODING_BASE_URL: `${origin}/open-meteo-geocoding`,
      WIKIPEDIA_BASE_URL: `${origin}/wikipedia/{language}`,
      WIKIDATA_BASE_URL: `${origin}/wikidata`,
      OPERATOR_CONTACT: 'ops@signalbox.example',
    },
    misbehave: (part, misbehaviour) => void planned.push({ part, misbehaviour }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function toFakeRequest(message: IncomingMessage): FakeRequest {
  const url = new URL(message.url ?? '/', 'http://fake');
  return {
    path: url.pathname,
    query: url.searchParams,
    userAgent: message.headers['user-agent'] ?? '',
  };
}

function answer(request: FakeRequest): FakeAnswer {
  const provider = PROVIDERS.find(([prefix]) => request.path.startsWith(prefix));
  return provider?.[1](request) ?? { status: 404, body: 'There is nothing here.' };
}

const toText = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));

function send(response: ServerResponse, { status = 200, headers = {}, body }: FakeAnswer): void {
  const type = typeof body === 'string' ? 'text/plain' : 'application/json';
  response.writeHead(status, { 'content-type': type, ...headers }).end(toText(body));
}

function misbehave(response: ServerResponse, how: Misbehaviour, right: FakeAnswer): void {
  const json = { 'content-type': 'application/json' };
  switch (how) {
    case 'broken-tail': {
      const half = toText(right.body).slice(0, 60);
      response.writeHead(200, json).end(`${half}Unexpected error while streaming data: timeout`);
      break;
    }
    case 'gzip-bomb':
      response
        .writeHead(200, { ...json, 'content-encoding': 'gzip' })
        .end(gzipSync(Buffer.alloc(50_000_000, ' ')));
      break;
    case 'stall':
      response.writeHead(200, json).write('{');
      break;
    case 'silence':
      break;
    case 'hang-up':
      response.destroy();
      break;
    default:
      send(response, how);
  }
}
