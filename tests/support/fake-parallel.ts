import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What Parallel knows of a page; `status` for one that it cannot fetch. */
export type ParallelPage =
  | {
      readonly title: string | null;
      readonly content: string;
      readonly excerpts?: readonly string[];
    }
  | { readonly status: number | null };

export interface ExtractBody {
  readonly urls: readonly string[];
  readonly objective?: string;
  readonly search_queries?: readonly string[];
  readonly advanced_settings?: {
    readonly full_content?: { readonly max_chars_per_result: number };
    readonly fetch_policy?: Readonly<Record<string, unknown>>;
  };
}

export interface FakeParallel {
  readonly environment: Readonly<Record<string, string>>;
  readonly bodies: readonly ExtractBody[];
  know(url: string, page: ParallelPage): void;
  /** Answers the next request in this way. */
  misbehave(how: { readonly status: number; readonly body?: unknown } | 'silence'): void;
  close(): Promise<void>;
}

const KEY = 'parallel-test-key';
const BODY_FIELDS = ['urls', 'objective', 'search_queries', 'max_chars_total', 'session_id'];
const SETTING_FIELDS = ['full_content', 'fetch_policy', 'excerpt_settings'];

const failure = (message: string): unknown => ({
  type: 'error',
  error: { ref_id: 'err-0001', message, detail: null },
});

/** Parallel's Extract on loopback: results out of order, errors beside them, and strict about its input. */
export async function startFakeParallel(): Promise<FakeParallel> {
  const pages = new Map<string, ParallelPage>();
  const bodies: ExtractBody[] = [];
  const planned: Parameters<FakeParallel['misbehave']>[0][] = [];
  const server = createServer((message, response) => {
    void readBody(message).then((text) => {
      const plan = planned.shift();
      if (plan === 'silence') return;
      const { status, body } = plan ?? answer(message, text);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body ?? failure('Try again later')));
    });
  });

  function answer(
    { url, headers }: IncomingMessage,
    text: string,
  ): { readonly status: number; readonly body: unknown } {
    if (headers['x-api-key'] !== KEY) return { status: 401, body: failure('Invalid API key') };
    if (url !== '/v1/extract') return { status: 404, body: failure('Not found') };
    const body = JSON.parse(text) as ExtractBody;
    const problem = findProblem(body);
    if (problem !== null) return { status: 422, body: failure(problem) };
    bodies.push(body);
    return { status: 200, body: extract(body, pages) };
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    environment: { PARALLEL_BASE_URL: `http://127.0.0.1:${port}`, PARALLEL_API_KEY: KEY },
    bodies,
    know: (url, page) => void pages.set(url, page),
    misbehave: (how) => void planned.push(how),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(message: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of message) text += String(chunk);
  return text;
}

function findProblem(body: ExtractBody): string | null {
  const settings = body.advanced_settings ?? {};
  const unknown = [
    ...Object.keys(body).filter((name) => ![...BODY_FIELDS, 'advanced_settings'].includes(name)),
    ...Object.keys(settings).filter((name) => !SETTING_FIELDS.includes(name)),
  ];
  if (unknown.length > 0) return `Extra inputs are not permitted: ${unknown.join(', ')}`;
  if (body.urls.length === 0 || body.urls.length > 20) return 'urls must have 1 to 20 items';
  if (body.search_queries?.some((query) => query === '' || query.length > 200) === true) {
    return 'search_queries must have 1 to 200 characters';
  }
  const age = settings.fetch_policy?.['max_age_seconds'];
  return typeof age === 'number' && age < 600 ? 'max_age_seconds must be at least 600' : null;
}

function extract(body: ExtractBody, pages: ReadonlyMap<string, ParallelPage>): unknown {
  const limit = body.advanced_settings?.full_content?.max_chars_per_result ?? null;
  const results: unknown[] = [];
  const errors: unknown[] = [];
  for (const url of body.urls) {
    const page = pages.get(url);
    if (page === undefined) continue;
    if ('status' in page) {
      errors.push({
        ...{ url, error_type: 'fetch_error' },
        ...{ http_status_code: page.status, content: null },
      });
      continue;
    }
    results.unshift({
      url: `${url}/`.replace(/\/\/$/, '/'),
      title: page.title,
      publish_date: null,
      excerpts: page.excerpts ?? [page.content.slice(0, 200)],
      full_content: limit === null ? null : page.content.slice(0, limit),
    });
  }
  return {
    ...{ extract_id: 'extract_1', results, errors, warnings: null },
    ...{
      usage: [{ name: 'sku_extract_excerpts', count: results.length }],
      session_id: 'session_1',
    },
  };
}
