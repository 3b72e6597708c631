import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import type { TargetRule } from '../../server/providers/address-rule.ts';

export interface FakePage {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
}

export interface WebRequest {
  readonly method: string;
  readonly path: string;
  readonly host: string;
  readonly headers: IncomingHttpHeaders;
}

/** What a path answers: a page, or whatever is done with the response. */
export type FakeRoute = FakePage | ((response: ServerResponse, request: WebRequest) => void);

/** Web sites of strangers: one loopback server that answers to every name under `.example`. */
export interface FakeWeb {
  readonly port: number;
  readonly requests: readonly WebRequest[];
  /** Lets a client reach this server, and no other address. */
  readonly rule: TargetRule;
  /** Every name is here. */
  readonly lookup: LookupFunction;
  serve(path: string, route: FakeRoute): void;
  url(path: string, host?: string): string;
  /** Resolves as soon as nobody is connected. */
  whenLeft(): Promise<void>;
  close(): Promise<void>;
}

const ADDRESS = '127.0.0.1';

export async function startFakeWeb(): Promise<FakeWeb> {
  const routes = new Map<string, FakeRoute>();
  const requests: WebRequest[] = [];
  const server = createServer((message, response) => {
    const request: WebRequest = {
      method: message.method ?? '',
      path: message.url ?? '/',
      host: message.headers.host ?? '',
      headers: message.headers,
    };
    requests.push(request);
    const route = routes.get(request.path) ?? { status: 404, body: 'There is no such page.' };
    if (typeof route === 'function') route(response, request);
    else send(response, route);
  });
  await new Promise<void>((resolve) => server.listen(0, ADDRESS, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    requests,
    rule: {
      isAllowedAddress: (address) => address === ADDRESS,
      isAllowedPort: (candidate) => [80, 443, port].includes(candidate),
    },
    lookup: createLookup(() => [ADDRESS]),
    serve: (path, route) => void routes.set(path, route),
    url: (path, host = 'site.example') => `http://${host}:${port}${path}`,
    async whenLeft() {
      const count = () =>
        new Promise<number>((resolve) => server.getConnections((_error, open) => resolve(open)));
      while ((await count()) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A resolver whose answer depends on how often it was asked. */
export function createLookup(
  answer: (hostname: string, count: number) => readonly string[],
): LookupFunction {
  let count = 0;
  return (hostname, options, callback) => {
    count += 1;
    const found = answer(hostname, count).map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }));
    setImmediate(() => {
      if (options.all === true) callback(null, found);
      else callback(null, found[0]?.address ?? '', found[0]?.family);
    });
  };
}

function send(response: ServerResponse, { status = 200, headers = {}, body = '' }: FakePage): void {
  for (const [name, value] of Object.entries(headers)) {
    response.setHeader(name, typeof value === 'string' ? value : [...value]);
  }
  if (!response.hasHeader('content-type')) {
    response.setHeader('content-type', 'text/html; charset=utf-8');
  }
  response.writeHead(status).end(body);
}
