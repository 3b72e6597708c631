import { ApiError } from './api-error.ts';
import type { ResultOf, TadaDocumentNode, VariablesOf } from './graphql.ts';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a document of any shape
export type Document = TadaDocumentNode<any, any, any>;

interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions?: Readonly<Record<string, unknown>>;
  }[];
}

/**
 * Runs a query or mutation.
 *
 * @throws ApiError with the server's code; `OFFLINE` when it cannot be reached.
 */
export async function request<Of extends Document>(
  document: Of,
  variables: VariablesOf<Of>,
): Promise<ResultOf<Of>> {
  const response = await send('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query: document as unknown as string, variables }),
  });
  const { data, errors } = (await readJson(response)) as Answer;
  const [error] = errors ?? [];
  if (error !== undefined) {
    const { code = 'INTERNAL', ...details } = error.extensions ?? {};
    throw new ApiError(String(code), error.message, details);
  }
  return data as ResultOf<Of>;
}

/** Fetches from the own server, with the header that only the own pages can send. */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(path, { ...init, headers: { ...init.headers, 'x-signalbox': '1' } });
  } catch (error) {
    throw new ApiError('OFFLINE', 'The server cannot be reached.', { cause: error });
  }
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    throw new ApiError('OFFLINE', `The server answered ${response.status}, and nothing readable.`);
  }
}

/** Reads the answer of a route that is not GraphQL. @throws ApiError */
export async function readAnswer<Value>(response: Response): Promise<Value> {
  const body = (await readJson(response)) as {
    readonly error?: { readonly code: string; readonly message: string };
    readonly message?: string;
  };
  if (response.ok) return body as Value;
  const { code = String(response.status), message = body.message } = body.error ?? {};
  throw new ApiError(code, message ?? `The server answered ${response.status}.`);
}
