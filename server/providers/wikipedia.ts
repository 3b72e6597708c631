import type { ToolSettings } from '../config.ts';
import { textOfHtml } from './html-text.ts';
import { asList, asRecord, asText } from './json-values.ts';
import { ProviderError } from './provider-error.ts';
import { createWikimediaHttp, type WikimediaCall } from './wikimedia.ts';

export interface WikipediaHit {
  readonly title: string;
  /** A piece of the article around the words found; plain text. */
  readonly snippet: string;
}

export interface WikipediaSummary {
  readonly title: string;
  readonly kind: 'article' | 'disambiguation' | 'other';
  /** Empty when there is none. */
  readonly description: string;
  /** The beginning of the article as plain text; empty when there is none. */
  readonly extract: string;
  readonly url: string;
  /** Such as `Q42`; null when the article has no item. */
  readonly wikidataId: string | null;
  /** When the article was last changed, in ISO 8601; null when unknown. */
  readonly changedAt: string | null;
}

export interface Wikipedia {
  /** The best articles, best first, and the spelling that the search proposes instead, if any. */
  search(
    query: { readonly text: string; readonly limit: number },
    call: WikimediaCall,
  ): Promise<{ readonly hits: readonly WikipediaHit[]; readonly suggestion: string | null }>;
  /** The summary of one article, redirects followed; null when there is no such article. */
  findSummary(title: string, call: WikimediaCall): Promise<WikipediaSummary | null>;
  /** Where an article can be read. */
  pageUrl(title: string): string;
}

const SUMMARY_TTL_MS = 10 * 60_000;
const LANGUAGE = /^([a-z]{2,3}(-[a-z]{2,10})*|simple)$/;

/**
 * The code of a language edition in lower case; null for anything that is none. The code becomes part
 * of a host name, so nothing else may pass.
 */
export function parseLanguage(text: string): string | null {
  const code = text.trim().toLowerCase();
  return code.length <= 20 && LANGUAGE.test(code) ? code : null;
}

/** @param language - as `parseLanguage` returns it. */
export function createWikipedia(settings: ToolSettings, language: string): Wikipedia {
  const http = createWikimediaHttp('Wikipedia', settings);
  const baseUrl = settings.wikipediaBaseUrl.replaceAll('{language}', language);
  const pageUrl = (title: string): string =>
    `https://${language}.wikipedia.org/wiki/${encodeTitle(title)}`;

  async function requestSummary(
    title: string,
    call: WikimediaCall,
  ): Promise<WikipediaSummary | null> {
    const url = new URL(`${baseUrl}/api/rest_v1/page/summary/${encodeTitle(title)}`);
    try {
      return parseSummary(await http.requestJson(url, call), pageUrl);
    } catch (error) {
      if (error instanceof ProviderError && error.kind === 'not-found') return null;
      throw error;
    }
  }

  return {
    pageUrl,

    async search({ text, limit }, call) {
      const parameters = {
        action: 'query',
        list: 'search',
        srsearch: text,
        srlimit: String(limit),
        srnamespace: '0',
        srprop: 'snippet',
        formatversion: '2',
      };
      try {
        return parseSearch(await http.requestAction(baseUrl, parameters, call));
      } catch (error) {
        throw explainUnknownLanguage(error, language);
      }
    },

    async findSummary(title, call) {
      const key = `wikipedia:${language}:${title}`;
      const kept = (await call.cache.get(key)) as WikipediaSummary | null | undefined;
      if (kept) return kept;
      const summary = await requestSummary(title, call);
      if (summary !== null) await call.cache.set(key, summary, SUMMARY_TTL_MS);
      return summary;
    },
  };
}

const encodeTitle = (title: string): string => encodeURIComponent(title.replaceAll(' ', '_'));

function parseSearch(answer: unknown): {
  readonly hits: readonly WikipediaHit[];
  readonly suggestion: string | null;
} {
  const query = asRecord(asRecord(answer)['query']);
  const hits = asList(query['search']).map((entry) => {
    const hit = asRecord(entry);
    return { title: asText(hit['title']), snippet: textOfHtml(asText(hit['snippet'])) };
  });
  const suggestion = asText(asRecord(query['searchinfo'])['suggestion']);
  return { hits: hits.filter(({ title }) => title !== ''), suggestion: suggestion || null };
}

function parseSummary(answer: unknown, pageUrl: (title: string) => string): WikipediaSummary {
  const page = asRecord(answer);
  const type = asText(page['type']);
  const title = asText(page['title']);
  const desktop = asRecord(asRecord(page['content_urls'])['desktop']);
  return {
    title,
    kind: type === 'standard' ? 'article' : type === 'disambiguation' ? type : 'other',
    description: asText(page['description']),
    extract: asText(page['extract']),
    url: asText(desktop['page']) || pageUrl(title),
    wikidataId: asText(page['wikibase_item']) || null,
    changedAt: asText(page['timestamp']) || null,
  };
}

/** An edition that does not exist has no host, or answers with a redirect or a page that is no API. */
function explainUnknownLanguage(error: unknown, language: string): unknown {
  if (!(error instanceof ProviderError)) return error;
  const isUnknown =
    error.kind === 'not-found' ||
    (error.causeCode === 'ENOTFOUND' && language !== 'en') ||
    (error.status !== null && error.status >= 300 && error.status < 400);
  if (!isUnknown) return error;
  return new ProviderError(
    'not-found',
    `There seems to be no Wikipedia in the language "${language}"; en, de, fr and es are some that exist.`,
    { causeCode: error.causeCode },
  );
}
