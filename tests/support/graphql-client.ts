import { createClient } from 'graphql-ws';
import WebSocket from 'ws';

export interface GraphQLAnswer {
  readonly data: Record<string, unknown> | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions?: Readonly<Record<string, unknown>>;
  }[];
}

export interface Following<Line> extends AsyncIterable<Line> {
  /** Everything that has come so far. */
  readonly lines: readonly Line[];
  /** Resolves with the first line, seen or to come, that `isWanted`. */
  until(isWanted: (line: Line) => boolean): Promise<Line>;
  close(): void;
}

/** A program that speaks with the API under one key. */
export interface GraphQLClient {
  /** Whatever the server answers. */
  ask(document: string, variables?: Readonly<Record<string, unknown>>): Promise<GraphQLAnswer>;
  /** The data; throws the first error as `CODE: message`. */
  query<Data = Record<string, never>>(
    document: string,
    variables?: Readonly<Record<string, unknown>>,
  ): Promise<Data>;
  /** Follows a subscription over WebSocket; each line is the value of its only field. */
  follow<Line>(document: string, variables: Readonly<Record<string, unknown>>): Following<Line>;
}

export function createGraphQLClient(url: string, key: string): GraphQLClient {
  const ask: GraphQLClient['ask'] = async (query, variables = {}) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    return (await response.json()) as GraphQLAnswer;
  };
  return {
    ask,
    async query<Data>(document: string, variables?: Readonly<Record<string, unknown>>) {
      const { data, errors } = await ask(document, variables);
      const [error] = errors ?? [];
      if (error) throw new Error(`${String(error.extensions?.['code'])}: ${error.message}`);
      return data as Data;
    },
    follow: (document, variables) => follow({ url, key, document, variables }),
  };
}

function follow<Line>(options: {
  readonly url: string;
  readonly key: string;
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
}): Following<Line> {
  const client = createClient({
    url: `${options.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${options.key}` },
    retryAttempts: 0,
  });
  const lines: Line[] = [];
  let wake = (): void => undefined;
  let end: { readonly error: unknown } | null = null;
  const finish = (error: unknown): void => {
    end ??= { error };
    wake();
  };
  client.subscribe<Record<string, Line>>(
    { query: options.document, variables: { ...options.variables } },
    {
      next({ data, errors }) {
        if (errors) return finish(new Error(errors[0]?.message));
        lines.push(Object.values(data ?? {})[0] as Line);
        wake();
      },
      error: finish,
      complete: () => finish(null),
    },
  );

  async function* read(): AsyncGenerator<Line, void, undefined> {
    for (let index = 0; ; index += 1) {
      while (index >= lines.length) {
        if (end?.error) throw toError(end.error);
        if (end) return;
        await new Promise<void>((resolve) => {
          const before = wake;
          wake = () => {
            before();
            resolve();
          };
        });
      }
      yield lines[index] as Line;
    }
  }
  return {
    lines,
    [Symbol.asyncIterator]: read,
    async until(isWanted) {
      for await (const line of read()) if (isWanted(line)) return line;
      throw new Error(`The subscription ended after ${lines.length} lines without the wanted one.`);
    },
    close: () => void client.dispose(),
  };
}

const toError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(JSON.stringify(error));
