import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import WebSocket from 'ws';

export interface Caller {
  readonly url: string;
  readonly key?: string;
  readonly cookie?: string;
  readonly origin?: string;
}

export interface Result {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions?: Readonly<Record<string, unknown>>;
  }[];
}

export type Line = Readonly<Record<string, unknown>>;

export interface Followed {
  /** The values of the only field, as they came. */
  readonly lines: readonly Line[];
  /** Resolves when so many lines have come. */
  count(lines: number): Promise<readonly Line[]>;
  /** Resolves with the first line that is wanted. */
  until(isWanted: (line: Line) => boolean): Promise<Line>;
  /** Resolves with what ended it: a code of an error, a status, a close code; null if it completed. */
  end(): Promise<string | number | null>;
  stop(): void;
}

export type Follow = (
  caller: Caller,
  document: string,
  variables?: Readonly<Record<string, unknown>>,
) => Followed;

interface Ears {
  next(result: Result): void;
  error(error: unknown): void;
  complete(): void;
}

/** With the client that console and programs use. */
export const followByWebSocket: Follow = (caller, query, variables = {}) =>
  listen((ears) => {
    const headers = headersOf({ ...caller, key: undefined });
    const client = createWsClient({
      url: `${caller.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: class extends WebSocket {
        constructor(address: string, protocol: string) {
          super(address, protocol, { headers });
        }
      },
      ...(caller.key === undefined
        ? {}
        : { connectionParams: { authorization: `Bearer ${caller.key}` } }),
      retryAttempts: 0,
    });
    client.subscribe<Record<string, unknown>>({ query, variables }, ears);
    return () => void client.dispose();
  });

export const followBySse: Follow = (caller, query, variables = {}) =>
  listen((ears) => {
    const client = createSseClient({
      url: `${caller.url}/graphql`,
      headers: { ...headersOf(caller), 'x-signalbox': '1' },
      retryAttempts: 0,
    });
    client.subscribe<Record<string, unknown>>({ query, variables }, ears as never);
    return () => client.dispose();
  });

function headersOf({
  key,
  cookie,
  origin,
}: {
  readonly key?: string | undefined;
  readonly cookie?: string;
  readonly origin?: string;
}): Record<string, string> {
  return {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(cookie === undefined ? {} : { cookie }),
    ...(origin === undefined ? {} : { origin }),
  };
}

function listen(open: (ears: Ears) => () => void): Followed {
  const lines: Line[] = [];
  let ended: { readonly by: string | number | null } | null = null;
  let watchers: (() => void)[] = [];
  const notify = (): void => {
    const told = watchers;
    watchers = [];
    for (const watcher of told) watcher();
  };
  const changed = (): Promise<void> => new Promise((resolve) => watchers.push(resolve));
  const finish = (by: string | number | null): void => {
    ended ??= { by };
    notify();
  };
  const stop = open({
    next({ data, errors }) {
      if (errors) return finish(String(errors[0]?.extensions?.['code']));
      lines.push(Object.values(data ?? {})[0] as Line);
      notify();
    },
    error: (error) => finish(causeOf(error)),
    complete: () => finish(null),
  });
  const followed: Followed = {
    lines,
    stop,
    async count(wanted) {
      while (lines.length < wanted) {
        if (ended) throw new Error(`It ended by ${ended.by} after ${lines.length} lines.`);
        await changed();
      }
      return lines;
    },
    async until(isWanted) {
      for (let at = 0; ; at += 1) {
        const line = (await followed.count(at + 1))[at];
        if (line !== undefined && isWanted(line)) return line;
      }
    },
    async end() {
      while (!ended) await changed();
      return ended.by;
    },
  };
  return followed;
}

/** What the clients hand over: errors of GraphQL, a close of the socket, or a refused response. */
function causeOf(error: unknown): string | number {
  if (Array.isArray(error)) {
    const [first] = error as { extensions?: { code?: string } }[];
    return String(first?.extensions?.code);
  }
  const { code, response, message } = error as {
    code?: number;
    response?: Response;
    message?: string;
  };
  return code ?? response?.status ?? String(message);
}
