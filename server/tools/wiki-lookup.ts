import { parseItemId } from '../providers/wikidata.ts';
import { parseLanguage } from '../providers/wikipedia.ts';
import { defineTool } from './kit/define-tool.ts';
import { integer, object, oneOf, text } from './kit/parameters.ts';
import { failed } from './kit/tool-result.ts';
import { failedByProvider } from './outcomes/provider-failure.ts';
import { lookUpWikidata } from './wiki/look-up-wikidata.ts';
import { lookUpWikipedia } from './wiki/look-up-wikipedia.ts';
import { findWikipediaProblem } from './wiki/wikipedia-check.ts';

const MAX_QUERY_CHARACTERS = 300;

export const wikiLookup = defineTool({
  name: 'wiki_lookup',
  group: 'Scientific Research',
  description:
    'Look up what Wikipedia says about a topic in short summaries, or what Wikidata knows about an entity as structured facts. For background knowledge with a source; the summaries are beginnings of articles, not whole ones.',
  allowedByDefault: true,
  parameters: object({
    query: text({
      description: "Topic, person, place or concept, or a Wikidata id: 'CRISPR', 'Q937'.",
    }),
    source: oneOf(['wikipedia', 'wikidata', 'auto'], {
      description:
        'wikipedia for summaries, wikidata for facts about an entity; auto takes wikidata for an id such as Q937 and wikipedia for the rest.',
      default: 'wikipedia',
    }),
    language: text({
      description: "Code of the language edition: 'en', 'de', 'fr', 'es', …",
      default: 'en',
    }),
    limit: integer({
      description: 'Pages or entities to return.',
      default: 3,
      minimum: 1,
      maximum: 5,
    }),
  }),
  availabilityFix:
    'Let the server reach Wikipedia (WIKIPEDIA_BASE_URL) and name a contact in OPERATOR_CONTACT.',
  isAvailable: async (context) => (await findWikipediaProblem(context)) === null,
  availabilityReason: async (context) =>
    (await findWikipediaProblem(context)) ?? 'Wikipedia answers again.',

  async execute(input, context) {
    const query = input.query.trim();
    const language = parseLanguage(input.language);
    if (language === null) {
      return failed(
        'INVALID_ARGUMENTS',
        `language is "${input.language}", but must be the code of a Wikipedia edition such as en or de.`,
      );
    }
    if (query === '' || query.length > MAX_QUERY_CHARACTERS) {
      return failed(
        'INVALID_ARGUMENTS',
        `query has ${query.length} characters, but must have 1 to ${MAX_QUERY_CHARACTERS}.`,
      );
    }
    const isItem = input.source === 'auto' && parseItemId(query) !== null;
    const lookUp = input.source === 'wikidata' || isItem ? lookUpWikidata : lookUpWikipedia;
    try {
      return await lookUp({ query, language, limit: input.limit }, context);
    } catch (error) {
      return failedByProvider(error);
    }
  },
});
