import { createWikidata, parseItemId } from '../../providers/wikidata.ts';
import type { ToolContext } from '../kit/define-tool.ts';
import { noop, ok, type ToolResult } from '../kit/tool-result.ts';
import type { WikiQuestion } from './wiki-question.ts';

/** Facts about the item of an id, or about the items that the words fit best. */
export async function lookUpWikidata(
  { query, language, limit }: WikiQuestion,
  context: ToolContext,
): Promise<ToolResult> {
  const wikidata = createWikidata(context.settings, language);
  const id = parseItemId(query);
  const ids = id === null ? await wikidata.search({ text: query, limit }, context) : [id];
  const entities = await wikidata.findEntities(ids, context);
  if (entities.length === 0) {
    return noop(
      id === null
        ? `Nothing was found in Wikidata for "${query}" (language ${language}).`
        : `Wikidata has no item ${id}.`,
    );
  }
  return ok({
    source: 'wikidata',
    language,
    query,
    entities: entities.map(({ wikipediaUrl, ...entity }) => ({
      ...entity,
      wikipedia_url: wikipediaUrl,
    })),
    attribution: 'Data from Wikidata, CC0',
  });
}
