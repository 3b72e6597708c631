import type { LookupFunction } from 'node:net';
import type { Static } from 'typebox';
import { PUBLIC_WEB, type TargetRule } from '../providers/address-rule.ts';
import { createGuardedClient } from '../providers/http.ts';
import { ForbiddenTargetError, parseTargetUrl } from '../providers/target-url.ts';
import { createUserAgent } from '../providers/user-agent.ts';
import { fetchPages } from './fetch/fetch-pages.ts';
import { findKeptPage, keepPage } from './fetch/kept-pages.ts';
import { loadPageHandlers, type LoadedHandlers } from './fetch/page-handlers.ts';
import type { PageOutcome } from './fetch/page-outcome.ts';
import { pageReport, reportPages } from './fetch/page-report.ts';
import { defineTool, type ToolContext } from './kit/define-tool.ts';
import { flag, integer, list, object, oneOf, optional, text } from './kit/parameters.ts';
import { failed, ok, type ToolResult } from './kit/tool-result.ts';

const parameters = object({
  urls: list(text({ minLength: 1 }), {
    description:
      'Complete addresses that the user gave or a search found: web pages, PDF files, arXiv papers, YouTube videos.',
    minItems: 1,
    maxItems: 10,
  }),
  mode: oneOf(['highlights', 'text'], {
    description:
      'text: the content from the offset on; no query. highlights: passages of web pages that fit the query; no offset and no read_full.',
    default: 'text',
  }),
  query: optional(text({ description: 'What the highlights should be about; only with them.' })),
  offset: integer({
    description: 'Character of the text to begin with; 0 for highlights.',
    default: 0,
    minimum: 0,
  }),
  max_characters: integer({
    description: 'Characters of each page to return at most.',
    default: 16_000,
    minimum: 500,
    maximum: 90_000,
  }),
  read_full: flag({
    description:
      'Only for text: everything from the offset on, past max_characters, as far as one result can hold it. If it is cut, the text ends with the offset to go on with.',
    default: false,
  }),
  freshness: oneOf(['default', 'live'], {
    description: 'live: no stored copy older than ten minutes.',
    default: 'default',
  }),
});

const NOT_OFFERED = (name: string, instead: string): string =>
  `${name} is no longer offered by fetch_web_page; ${instead}`;
const CRAWLING = 'give each page in urls, up to 10 at a time.';
const LINKS = 'links stand as Markdown in the text of the page.';
const SUMMARY = 'fetch the text, or highlights with a query, and summarise it yourself.';
const STORED = 'freshness is "default" or "live", and there is no way to read stored copies alone.';

const retiredParameters = {
  livecrawl: NOT_OFFERED('livecrawl', STORED),
  livecrawl_timeout: NOT_OFFERED('livecrawl_timeout', STORED),
  max_age_hours: NOT_OFFERED('max_age_hours', STORED),
  cache_only: NOT_OFFERED('cache_only', STORED),
  crawl: NOT_OFFERED('crawl', CRAWLING),
  subpages: NOT_OFFERED('subpages', CRAWLING),
  subpage_target: NOT_OFFERED('subpage_target', CRAWLING),
  links: NOT_OFFERED('links', LINKS),
  extract_links: NOT_OFFERED('extract_links', LINKS),
  image_links: NOT_OFFERED('image_links', LINKS),
  extras: NOT_OFFERED('extras', LINKS),
  summary: NOT_OFFERED('summary', SUMMARY),
  summary_query: NOT_OFFERED('summary_query', SUMMARY),
} as const;

export interface FetchWebPageOptions {
  /** Where direct requests may go; default the public web. Tests alone give another. */
  readonly rule?: Partial<TargetRule>;
  readonly lookup?: LookupFunction;
}

export const createFetchWebPage = (options: FetchWebPageOptions = {}) =>
  defineTool({
    name: 'fetch_web_page',
    description:
      'Read pages whose addresses are known, several at once: web pages, PDF files, arXiv papers and YouTube transcripts as text. Long texts come in pieces that an offset continues.',
    allowedByDefault: true,
    timeoutMs: 120_000,
    parameters,
    retiredParameters,
    result: pageReport,

    async execute(input, context) {
      const problem = findProblem(input);
      if (problem !== null) return failed('INVALID_ARGUMENTS', problem);
      const loaded = await loadPageHandlers(context.settings.toolsPath);
      const outcomes = await readPages(input, { context, loaded, options });
      return report(input, outcomes, { context, loaded });
    },
  });

export const fetchWebPage = createFetchWebPage();

type Input = Static<typeof parameters>;

function findProblem({ mode, query = '', offset, read_full: readFull }: Input): string | null {
  if (mode === 'text') {
    return query.trim() === ''
      ? null
      : 'query goes with mode "highlights" only; leave it out, or ask for highlights.';
  }
  if (offset !== 0) return `offset is ${offset}, but highlights have no offset; use 0.`;
  return readFull ? 'read_full is true, but highlights are never whole pages; use false.' : null;
}

interface Reading {
  readonly context: ToolContext;
  readonly loaded: LoadedHandlers;
}

async function readPages(
  { urls, mode, query = '', offset, freshness }: Input,
  { context, loaded, options }: Reading & { readonly options: FetchWebPageOptions },
): Promise<readonly PageOutcome[]> {
  const rule: TargetRule = { ...PUBLIC_WEB, ...options.rule };
  const http = createGuardedClient({
    ...options,
    userAgent: createUserAgent(context.settings.operatorContact),
  });
  const wanted = [...new Set(urls.map((url) => url.trim()))];
  context.reportProgress({
    message: `Reading ${wanted.length === 1 ? '1 page' : `${wanted.length} pages`}.`,
  });
  try {
    const outcomes = new Map<string, PageOutcome>();
    const parsed = new Map<string, URL>();
    for (const url of wanted) {
      const target = parse(url, rule);
      if ('error' in target) outcomes.set(url, target);
      else parsed.set(url, target.url);
    }
    if (offset > 0) {
      for (const [url, { href }] of parsed) {
        const content = await findKeptPage(href, context);
        if (content !== null) outcomes.set(url, { url: href, content });
      }
    }
    const missing = [...parsed].filter(([url]) => !outcomes.has(url));
    const fetched = await fetchPages(
      missing.map(([, url]) => url),
      { mode, query: query.trim(), freshness },
      { context: { ...context, http, freshness }, handlers: loaded.handlers },
    );
    missing.forEach(([url], at) => void (fetched[at] && outcomes.set(url, fetched[at])));
    return wanted.flatMap((url) => outcomes.get(url) ?? []);
  } finally {
    await http.close();
  }
}

function parse(
  url: string,
  rule: TargetRule,
): { readonly url: URL } | { url: string; error: string } {
  try {
    return { url: parseTargetUrl(url, rule) };
  } catch (error) {
    if (!(error instanceof ForbiddenTargetError)) throw error;
    return { url: url.slice(0, 300), error: error.message };
  }
}

async function report(
  { mode, offset, max_characters: maxCharacters, read_full: readFull }: Input,
  outcomes: readonly PageOutcome[],
  { context, loaded }: Reading,
): Promise<ToolResult> {
  const { outputLimit } = context;
  const data = reportPages(outcomes, {
    ...{ mode, offset, outputLimit, warnings: loaded.problems },
    maxCharacters: readFull ? null : maxCharacters,
  });
  for (const [at, outcome] of outcomes.entries()) {
    const isContinued = mode === 'text' && data.results[at]?.truncated === true;
    if (isContinued && 'content' in outcome) await keepPage(outcome.url, outcome.content, context);
  }
  const errors = data.results.flatMap(({ error }) => error ?? []);
  if (errors.length < data.results.length) return ok(data);
  const which = errors.length === 1 ? 'The page' : `None of the ${errors.length} pages`;
  const verb = errors.length === 1 ? 'could not be read' : 'could be read';
  return failed('FAILED', `${which} ${verb}: ${errors[0]}`, { data });
}
