import type { GuardedAnswer, GuardedClient, GuardedHead } from '../../providers/http.ts';
import type { ToolContext } from './define-tool.ts';

/** What a handler is given for one page: the context of the call, and a client that is safe for any URL. */
export interface PageContext extends ToolContext {
  readonly http: GuardedClient;
  readonly freshness: 'default' | 'live';
}

/** The whole text of a page; offsets, limits and the output budget are not the handler's concern. */
export interface PageContent {
  /** Where the text came from, after redirects. */
  readonly url: string;
  readonly title: string;
  readonly author: string | null;
  /** Plain text or Markdown. An empty one is reported as a failure. */
  readonly text: string;
  /** Whole sentences that the reader should know, e.g. that pages were left out. */
  readonly notes?: readonly string[];
}

/**
 * Reads the pages of one kind or site for fetch_web_page, in place of the ordinary way.
 *
 * Whatever `fetch` throws becomes the error of that page, so its message should be a whole sentence.
 */
export interface PageHandlerDefinition {
  /** For messages, e.g. `YouTube`. */
  readonly name: string;
  /** Judges the parsed URL: compare `hostname`, never a piece of the text. */
  matches(url: URL): boolean;
  fetch(context: PageContext, url: URL): Promise<PageContent>;
  /** What the handler can read although the URL did not tell, e.g. a PDF without its ending. */
  readonly body?: {
    accepts(head: GuardedHead, beginning: Uint8Array): boolean;
    read(context: PageContext, answer: GuardedAnswer): Promise<PageContent>;
  };
}

export interface PageHandler extends PageHandlerDefinition {
  readonly kind: 'signalbox-page-handler';
}

/** Declares a handler; in a `*.handler.ts` file of a folder that TOOLS_PATH names it joins by itself. */
export const definePageHandler = (definition: PageHandlerDefinition): PageHandler => ({
  kind: 'signalbox-page-handler',
  ...definition,
});

export const isPageHandler = (value: unknown): value is PageHandler =>
  typeof value === 'object' &&
  value !== null &&
  'kind' in value &&
  value.kind === 'signalbox-page-handler';
