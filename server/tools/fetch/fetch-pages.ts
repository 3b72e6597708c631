import { systemClock } from '../../clock.ts';
import { limitTime } from '../../providers/limit-time.ts';
import { extractByParallel, PARALLEL_MAX_CHARACTERS } from '../../providers/parallel-extract.ts';
import { ProviderError } from '../../providers/provider-error.ts';
import { ForbiddenTargetError } from '../../providers/target-url.ts';
import type { PageContext, PageHandler } from '../kit/page-handler.ts';
import { readDirectly } from './direct-page.ts';
import { failedPage, type PageOutcome } from './page-outcome.ts';

export interface PageQuestion {
  readonly mode: 'text' | 'highlights';
  /** Empty without a focus. */
  readonly query: string;
  readonly freshness: 'default' | 'live';
}

/** What the rest of the call needs after the last page: a page that hangs costs only itself. */
const RESERVED_MS = 3_000;

/**
 * Reads pages by the way that is right for each: a handler that knows the address, else directly
 * where that is enabled and whole texts are asked for, else by Parallel, which all that are left share.
 *
 * @returns an outcome for each URL, in their order.
 */
export async function fetchPages(
  urls: readonly URL[],
  question: PageQuestion,
  {
    context,
    handlers,
  }: { readonly context: PageContext; readonly handlers: readonly PageHandler[] },
): Promise<readonly PageOutcome[]> {
  const limited = limitTime(
    context.signal,
    context.deadlineAt - systemClock.now() - RESERVED_MS,
    systemClock,
  );
  const deadlineAt = context.deadlineAt - RESERVED_MS;
  const pageContext: PageContext = { ...context, signal: limited.signal, deadlineAt };
  try {
    const outcomes = new Map<URL, PageOutcome>();
    const keep = (url: URL, outcome: PageOutcome): void => void outcomes.set(url, outcome);
    const handled = urls.filter((url) => findHandler(handlers, url) !== null);
    const ordinary = urls.filter((url) => !handled.includes(url));
    const reader: Reader = { question, context: pageContext, handlers, keep };
    await Promise.all([
      ...handled.map((url) => readByHandler(url, reader)),
      readOrdinaryPages(ordinary, reader),
    ]);
    return urls.map(
      (url) => outcomes.get(url) ?? failedPage(url.href, new Error('no outcome'), url.host),
    );
  } finally {
    limited.release();
  }
}

interface Reader {
  readonly question: PageQuestion;
  readonly context: PageContext;
  readonly handlers: readonly PageHandler[];
  keep(url: URL, outcome: PageOutcome): void;
}

const findHandler = (handlers: readonly PageHandler[], url: URL): PageHandler | null =>
  handlers.find((handler) => handler.matches(url)) ?? null;

async function readByHandler(
  url: URL,
  { question, context, handlers, keep }: Reader,
): Promise<void> {
  const handler = findHandler(handlers, url);
  if (handler === null) return;
  if (question.mode === 'highlights') {
    const error = `${handler.name} pages have no highlights; ask for them with mode "text".`;
    return keep(url, { url: url.href, error });
  }
  try {
    const content = await orEnd(handler.fetch(context, url), context, url);
    const isEmpty = content.text.trim() === '';
    const error = `${handler.name} found no text at this address.`;
    keep(url, isEmpty ? { url: url.href, error } : { url: url.href, content });
  } catch (error) {
    keep(url, failedPage(url.href, error, `The handler ${handler.name}`));
  }
}

async function readOrdinaryPages(urls: readonly URL[], reader: Reader): Promise<void> {
  const { question, context, keep } = reader;
  const isDirect = context.settings.directWebFetchEnabled && question.mode === 'text';
  const direct = isDirect ? await Promise.all(urls.map((url) => tryDirectly(url, reader))) : [];
  const left = urls.filter((url, at) => {
    const outcome = direct[at];
    if (outcome !== undefined) keep(url, outcome.outcome);
    return outcome?.isSettled !== true;
  });
  if (left.length === 0) return;
  if (context.settings.parallelApiKey === null) {
    for (const url of left) {
      // What was tried and failed has told why.
      if (direct.length === 0) keep(url, { url: url.href, error: explainMissingKey(question) });
    }
    return;
  }
  await readByParallel(
    left,
    reader,
    direct.length > 0 ? new Map(urls.map((url, at) => [url, direct[at]?.outcome])) : null,
  );
}

interface DirectOutcome {
  readonly outcome: PageOutcome;
  /** Whether Parallel need not be asked. */
  readonly isSettled: boolean;
}

async function tryDirectly(url: URL, { context, handlers }: Reader): Promise<DirectOutcome> {
  try {
    const { isThin, ...content } = await orEnd(readDirectly(url, context, handlers), context, url);
    return { outcome: { url: url.href, content }, isSettled: !isThin };
  } catch (error) {
    // An address that is forbidden here is nobody else's business either.
    const isSettled = error instanceof ForbiddenTargetError || context.signal.aborted;
    return { outcome: failedPage(url.href, error, 'The reading of the page'), isSettled };
  }
}

async function readByParallel(
  urls: readonly URL[],
  { question, context, keep }: Reader,
  direct: ReadonlyMap<URL, PageOutcome | undefined> | null,
): Promise<void> {
  const { mode, query: focus, freshness } = question;
  const fail = (url: URL, error: string): void => {
    const before = direct?.get(url);
    // A thin text is better than none, and the first reason belongs to the second.
    if (before !== undefined && 'content' in before) return;
    const reason = before === undefined ? error : `${before.error} ${error}`;
    keep(url, { url: url.href, error: reason });
  };
  try {
    const hrefs = urls.map(({ href }) => href);
    const extracted = await extractByParallel(
      context.settings,
      { urls: hrefs, mode, focus, freshness },
      context,
    );
    for (const url of urls) {
      const page = extracted.get(url.href) ?? { error: 'Parallel gave no answer for this page.' };
      if ('error' in page) fail(url, page.error);
      else keep(url, { url: url.href, content: toContent(page, mode) });
    }
  } catch (error) {
    for (const url of urls) {
      const outcome = failedPage(url.href, error, 'Parallel');
      if ('error' in outcome) fail(url, outcome.error);
    }
  }
}

function toContent(
  { title, text, url }: { readonly title: string; readonly text: string; readonly url: string },
  mode: 'text' | 'highlights',
) {
  const isCut = mode === 'text' && text.length >= PARALLEL_MAX_CHARACTERS;
  const notes = [
    `Parallel gives the first ${PARALLEL_MAX_CHARACTERS} characters of a page; there is no way to the rest.`,
  ];
  return { url, title, author: null, text, ...(isCut ? { notes } : {}) };
}

const explainMissingKey = ({ mode }: PageQuestion): string =>
  mode === 'highlights'
    ? 'Highlights come from Parallel, and PARALLEL_API_KEY is not set on this server; ask for mode "text".'
    : 'Ordinary pages cannot be read on this server: its operator can set DIRECT_WEB_FETCH_ENABLED=true or PARALLEL_API_KEY.';

/** A handler that does not heed its signal is left behind when the time is over. */
async function orEnd<Value>(
  work: Promise<Value>,
  { signal }: PageContext,
  url: URL,
): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const end = (): void => reject(new ProviderError('timed-out', `${url.hostname} took too long.`));
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}
