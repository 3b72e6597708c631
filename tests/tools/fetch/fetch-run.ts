import type { PageReport, PageResult } from '../../../server/tools/fetch/page-report.ts';
import { createFetchWebPage } from '../../../server/tools/fetch-web-page.ts';
import type { ToolResult } from '../../../server/tools/kit/tool-result.ts';
import { type FakeParallel, startFakeParallel } from '../../support/fake-parallel.ts';
import { type FakeWeb, startFakeWeb } from '../../support/fake-web.ts';
import {
  createToolContext,
  type TestToolContext,
  type ToolContextOptions,
} from '../../support/tool-context.ts';

export type FetchInput = Parameters<ReturnType<typeof createFetchWebPage>['execute']>[0];

const DEFAULTS = {
  mode: 'text',
  offset: 0,
  max_characters: 16_000,
  read_full: false,
  freshness: 'default',
} as const;

export interface FetchRunOptions extends ToolContextOptions {
  /** Whether pages are read directly; default true. */
  readonly direct?: boolean;
  /** Whether the key of Parallel is set; default false. */
  readonly parallel?: boolean;
  /** A chat that was called before; default one of its own. */
  readonly chat?: TestToolContext;
}

export interface FetchTests {
  readonly web: FakeWeb;
  readonly parallel: FakeParallel;
  /** Calls the tool as the executor does, defaults filled in. */
  fetch(
    input: Partial<FetchInput> & { urls: string[] },
    options?: FetchRunOptions,
  ): Promise<ToolResult>;
  /** The report of a call that must succeed. */
  read(
    input: Partial<FetchInput> & { urls: string[] },
    options?: FetchRunOptions,
  ): Promise<PageReport>;
  /** The only result of a call for one URL, failed ones too. */
  readOne(url: string, input?: Partial<FetchInput>, options?: FetchRunOptions): Promise<PageResult>;
  createChat(options?: FetchRunOptions): Promise<TestToolContext>;
  close(): Promise<void>;
}

export async function startFetchTests(): Promise<FetchTests> {
  const web = await startFakeWeb();
  const parallel = await startFakeParallel();
  const tool = createFetchWebPage({ rule: web.rule, lookup: web.lookup });

  const createChat = (options: FetchRunOptions = {}): Promise<TestToolContext> =>
    createToolContext({
      ...options,
      environment: {
        DIRECT_WEB_FETCH_ENABLED: String(options.direct ?? true),
        ...(options.parallel === true ? parallel.environment : {}),
        ...options.environment,
      },
    });

  const fetch: FetchTests['fetch'] = async (input, options = {}) => {
    const chat = options.chat ?? (await createChat(options));
    try {
      return await tool.execute({ ...DEFAULTS, ...input }, chat.context);
    } finally {
      if (options.chat === undefined) await chat.close();
    }
  };
  const read: FetchTests['read'] = async (input, options) => {
    const result = await fetch(input, options);
    if (result.status !== 'success') throw new Error(JSON.stringify(result));
    return result.data as PageReport;
  };
  return {
    web,
    parallel,
    fetch,
    read,
    createChat,
    async readOne(url, input = {}, options = {}) {
      const result = await fetch({ ...input, urls: [url] }, options);
      const [page] = (result as { data?: PageReport }).data?.results ?? [];
      if (page === undefined) throw new Error(JSON.stringify(result));
      return page;
    },
    async close() {
      await web.close();
      await parallel.close();
    },
  };
}

export const paragraphs = (count: number, word = 'harbour'): string =>
  Array.from(
    { length: count },
    (_, at) =>
      `<p>Sentence ${at + 1} tells of the ${word}, of its boats, and of what the tide brought in that day.</p>`,
  ).join('\n');

export const article = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body><main><h1>${title}</h1>${body}</main></body></html>`;
