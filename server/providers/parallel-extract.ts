import type { ToolSettings } from '../config.ts';
import { asList, asNumber, asRecord, asText, type JsonRecord } from './json-values.ts';
import { askParallel, LIVE_POLICY } from './parallel-client.ts';
import type { ProviderCall } from './provider-http.ts';

/** Characters from the start of a page that Parallel gives at most; there is no way to the rest. */
export const PARALLEL_MAX_CHARACTERS = 90_000;

export interface ExtractQuestion {
  /** At most 20. */
  readonly urls: readonly string[];
  /** `text` for whole pages, `highlights` for the passages that fit `focus`. */
  readonly mode: 'text' | 'highlights';
  /** Empty for highlights without one. */
  readonly focus: string;
  readonly freshness: 'default' | 'live';
}

/** What came of one URL. */
export type Extracted =
  | { readonly title: string; readonly text: string; readonly url: string }
  /** A whole sentence. */
  | { readonly error: string };

const MAX_OBJECTIVE_CHARACTERS = 5_000;
const MAX_QUERY_CHARACTERS = 200;

/**
 * Asks Parallel for the text of pages.
 *
 * @returns by requested URL, each of them with a result or an error.
 * @throws ProviderError if the request as a whole fails.
 */
export async function extractByParallel(
  settings: ToolSettings,
  question: ExtractQuestion,
  call: ProviderCall,
): Promise<ReadonlyMap<string, Extracted>> {
  const body = createBody(question);
  const answer = asRecord(await askParallel(settings, { path: '/v1/extract', body }, call));
  const results = asList(answer['results']).map(asRecord);
  const errors = asList(answer['errors']).map(asRecord);
  const { urls } = question;
  return new Map(
    urls.map((url) => [
      url,
      readOutcome({ result: find(results, url, urls), error: find(errors, url, urls) }, question),
    ]),
  );
}

function createBody({ urls, mode, focus, freshness }: ExtractQuestion): unknown {
  const settings = {
    ...(mode === 'text' ? { full_content: { max_chars_per_result: PARALLEL_MAX_CHARACTERS } } : {}),
    ...(freshness === 'live' ? { fetch_policy: LIVE_POLICY } : {}),
  };
  return {
    urls,
    ...(focus === ''
      ? {}
      : {
          objective: focus.slice(0, MAX_OBJECTIVE_CHARACTERS),
          search_queries: [focus.slice(0, MAX_QUERY_CHARACTERS)],
        }),
    ...(Object.keys(settings).length === 0 ? {} : { advanced_settings: settings }),
  };
}

/** Answers come in any order, and under an address that may be written in another way. */
function find(
  entries: readonly JsonRecord[],
  url: string,
  asked: readonly string[],
): JsonRecord | null {
  const exact = entries.find((entry) => entry['url'] === url);
  if (exact !== undefined) return exact;
  const others = entries.filter((entry) => !asked.includes(asText(entry['url'])));
  return others.find((entry) => normalise(asText(entry['url'])) === normalise(url)) ?? null;
}

/** Without what does not tell two pages apart: scheme, www, a final slash, the fragment. */
function normalise(text: string): string {
  const url = URL.parse(text);
  if (url === null) return text;
  const host = url.host.replace(/^www\./, '').replace(/:(80|443)$/, '');
  return `${host}${url.pathname.replace(/\/+$/, '')}${url.search}`;
}

function readOutcome(
  { result, error }: { readonly result: JsonRecord | null; readonly error: JsonRecord | null },
  { mode }: ExtractQuestion,
): Extracted {
  if (result === null) return { error: error === null ? MISSING : describeError(error) };
  const text =
    mode === 'text'
      ? asText(result['full_content'])
      : asList(result['excerpts']).map(asText).filter(Boolean).join('\n\n');
  if (text.trim() === '') return { error: 'Parallel found no text on the page.' };
  return { title: asText(result['title']), text, url: asText(result['url']) };
}

const MISSING = 'Parallel gave no answer for this page.';

function describeError(error: JsonRecord): string {
  const status = asNumber(error['http_status_code']);
  const type = asText(error['error_type']).replaceAll('_', ' ');
  const reason = status === null ? type : `status ${status}`;
  return `Parallel could not read the page${reason === '' ? '' : ` (${reason})`}.`;
}
