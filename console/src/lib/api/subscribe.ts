import { createClient, type Client } from 'graphql-ws';
import { ApiError } from './api-error.ts';
import type { Document } from './client.ts';
import { connection } from './connection.svelte.ts';
import type { ResultOf, VariablesOf } from './graphql.ts';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 10_000;
const KEEP_ALIVE_MS = 15_000;
const PONG_PATIENCE_MS = 8_000;
/** The session has ended. */
const FORBIDDEN = 4403;

let client: Client | null = null;

/** One socket for everything that the page follows. */
function socket(): Client {
  let pongTimer: ReturnType<typeof setTimeout> | undefined;
  client ??= createClient({
    url: () => `${location.origin.replace(/^http/, 'ws')}/graphql`,
    lazy: true,
    lazyCloseTimeout: 5_000,
    keepAlive: KEEP_ALIVE_MS,
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: (event) => !(event instanceof CloseEvent && event.code === FORBIDDEN),
    retryWait: (retries) =>
      new Promise((resolve) => {
        const waitMs = Math.min(FIRST_WAIT_MS * 2 ** retries, LONGEST_WAIT_MS);
        const timer = setTimeout(resolve, waitMs * (0.5 + Math.random()));
        // Coming back online is worth a try at once.
        addEventListener('online', () => (clearTimeout(timer), resolve()), { once: true });
      }),
    on: {
      connected: () => connection.set('open'),
      closed: (event) => {
        clearTimeout(pongTimer);
        const isRefused = event instanceof CloseEvent && event.code === FORBIDDEN;
        connection.set(isRefused ? 'refused' : 'closed');
      },
      ping: (received) => {
        if (received) return;
        // A network that is gone closes nothing: silence has to be noticed.
        pongTimer = setTimeout(() => client?.terminate(), PONG_PATIENCE_MS);
      },
      pong: (received) => {
        if (received) clearTimeout(pongTimer);
      },
    },
  });
  return client;
}

export interface Follower<Data> {
  onData(data: Data): void;
  onError(error: Error): void;
  onEnd?(): void;
  /** Where the stream stands after an event; a reconnect goes on behind it. Null for one that is no step of it. */
  placeOf(data: Data): number | string | null;
}

export interface FollowOptions<Of extends Document> {
  readonly document: Of;
  readonly variables: VariablesOf<Of>;
  /** The variable that says where to begin. */
  readonly cursor: keyof VariablesOf<Of> & string;
}

/**
 * Follows a subscription over as many connections as it takes, without gap or repeat.
 *
 * @returns a function that ends it.
 */
export function follow<Of extends Document>(
  { document, variables, cursor }: FollowOptions<Of>,
  follower: Follower<ResultOf<Of>>,
): () => void {
  // The client sends this very object again after a reconnect.
  const live: Record<string, unknown> = { ...(variables as Record<string, unknown>) };
  return socket().subscribe<ResultOf<Of>>(
    { query: document as unknown as string, variables: live },
    {
      next({ data, errors }) {
        if (errors !== undefined) return follower.onError(toError(errors));
        if (data == null) return;
        const place = follower.placeOf(data);
        const isSeen = typeof place === 'number' && place <= Number(live[cursor]);
        if (isSeen) return;
        if (place !== null) live[cursor] = place;
        follower.onData(data);
      },
      error: (error) => follower.onError(toError(error)),
      complete: () => follower.onEnd?.(),
    },
  );
}

function toError(error: unknown): Error {
  if (error instanceof Error) return error;
  const [first] = Array.isArray(error) ? (error as { message: string; extensions?: object }[]) : [];
  if (first !== undefined) {
    const { code = 'INTERNAL' } = (first.extensions ?? {}) as { code?: string };
    return new ApiError(code, first.message);
  }
  return new ApiError('OFFLINE', 'The connection to the server is lost.');
}

/** Lets go of the socket, e.g. because somebody else signs in. */
export function disconnect(): void {
  void client?.dispose();
  client = null;
}
