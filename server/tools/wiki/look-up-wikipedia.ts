import { ProviderError } from '../../providers/provider-error.ts';
import {
  createWikipedia,
  type Wikipedia,
  type WikipediaHit,
  type WikipediaSummary,
} from '../../providers/wikipedia.ts';
import type { ToolContext } from '../kit/define-tool.ts';
import { noop, ok, type ToolResult } from '../kit/tool-result.ts';
import type { WikiQuestion } from './wiki-question.ts';

interface WikiPage {
  readonly title: string;
  readonly kind: WikipediaSummary['kind'];
  readonly description: string;
  readonly extract: string;
  readonly url: string;
  readonly wikidata_id: string | null;
  readonly changed_at: string | null;
  /** Why only the search's snippet is shown; absent for a whole summary. */
  readonly incomplete?: string;
}

const AMBIGUOUS_HINT =
  'A page of kind "disambiguation" only lists meanings: pick another page, or look the meaning up by its own title.';

/** Summaries of the articles that the search finds, one after the other. */
export async function lookUpWikipedia(
  { query, language, limit }: WikiQuestion,
  context: ToolContext,
): Promise<ToolResult> {
  const wikipedia = createWikipedia(context.settings, language);
  const { hits, suggestion } = await wikipedia.search({ text: query, limit }, context);
  const pages =
    hits.length > 0
      ? await readPages(wikipedia, hits, context)
      : await readExactTitle(wikipedia, query, context);
  if (pages.length === 0) {
    const proposal = suggestion === null ? '' : ` Its search proposes "${suggestion}".`;
    return noop(`Nothing was found in the ${language} Wikipedia for "${query}".${proposal}`);
  }
  return ok(
    {
      source: 'wikipedia',
      language,
      query,
      pages,
      suggestion,
      attribution: 'Text from Wikipedia, CC BY-SA 4.0; name the page address with it',
    },
    pages.some(({ kind }) => kind === 'disambiguation') ? { systemHint: AMBIGUOUS_HINT } : {},
  );
}

async function readPages(
  wikipedia: Wikipedia,
  hits: readonly WikipediaHit[],
  context: ToolContext,
): Promise<readonly WikiPage[]> {
  const pages = new Map<string, WikiPage>();
  for (const hit of hits) {
    const page = await readPage(wikipedia, hit, context);
    // Two hits may lead to one article.
    if (!pages.has(page.url)) pages.set(page.url, page);
  }
  return [...pages.values()];
}

/** A summary that fails costs its own page only: the snippet of the search stands in for it. */
async function readPage(
  wikipedia: Wikipedia,
  hit: WikipediaHit,
  context: ToolContext,
): Promise<WikiPage> {
  try {
    const summary = await wikipedia.findSummary(hit.title, context);
    if (summary !== null && summary.extract !== '') return toPage(summary);
    return snippetPage(wikipedia, hit, 'Wikipedia has no summary of this page.');
  } catch (error) {
    if (context.signal.aborted || !(error instanceof ProviderError)) throw error;
    return snippetPage(wikipedia, hit, error.message);
  }
}

async function readExactTitle(
  wikipedia: Wikipedia,
  title: string,
  context: ToolContext,
): Promise<readonly WikiPage[]> {
  const summary = await wikipedia.findSummary(title, context);
  return summary === null || summary.extract === '' ? [] : [toPage(summary)];
}

const toPage = ({ wikidataId, changedAt, ...summary }: WikipediaSummary): WikiPage => ({
  ...summary,
  wikidata_id: wikidataId,
  changed_at: changedAt,
});

const snippetPage = (wikipedia: Wikipedia, hit: WikipediaHit, incomplete: string): WikiPage => ({
  title: hit.title,
  kind: 'other',
  description: '',
  extract: hit.snippet,
  url: wikipedia.pageUrl(hit.title),
  wikidata_id: null,
  changed_at: null,
  incomplete,
});
