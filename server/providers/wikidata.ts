import type { ToolSettings } from '../config.ts';
import { asList, asRecord, asText } from './json-values.ts';
import { ProviderError } from './provider-error.ts';
import { parseEntities, type RawEntity } from './wikidata-entities.ts';
import { collectIds, formatClaims, type WikidataClaim } from './wikidata-claims.ts';
import { createWikimediaHttp, type WikimediaCall } from './wikimedia.ts';

export interface WikidataEntity {
  readonly id: string;
  /** Empty when it has none in the language, nor in those that stand in for it. */
  readonly label: string;
  readonly description: string;
  readonly aliases: readonly string[];
  readonly claims: readonly WikidataClaim[];
  readonly url: string;
  /** The article of the language's Wikipedia, else of the English one; null without either. */
  readonly wikipediaUrl: string | null;
}

export interface Wikidata {
  /** Ids of the items that the words fit, best first. */
  search(
    query: { readonly text: string; readonly limit: number },
    call: WikimediaCall,
  ): Promise<readonly string[]>;
  /** The items that exist of those asked for, in that order; a merged one appears as what it became. */
  findEntities(ids: readonly string[], call: WikimediaCall): Promise<readonly WikidataEntity[]>;
}

const IDS_PER_REQUEST = 50;
const LABEL_REQUESTS = 3;
const MAX_ALIASES = 8;

/** `q42` becomes `Q42`; null for what is no id of an item. */
export function parseItemId(text: string): string | null {
  return /^q[1-9]\d{0,14}$/i.test(text.trim()) ? text.trim().toUpperCase() : null;
}

/** @param language - as `parseLanguage` returns it. */
export function createWikidata(settings: ToolSettings, language: string): Wikidata {
  const http = createWikimediaHttp('Wikidata', settings);
  // Simple English is an edition of Wikipedia, not a language that labels are written in.
  const labelLanguage = language === 'simple' ? 'en' : language;
  const languages = [...new Set([labelLanguage, 'en'])];
  const sites = [...new Set([siteOf(language), 'enwiki'])];
  const request = (parameters: Readonly<Record<string, string>>, call: WikimediaCall) =>
    http.requestAction(settings.wikidataBaseUrl, parameters, call);

  async function requestEntities(
    ids: readonly string[],
    call: WikimediaCall,
  ): Promise<readonly RawEntity[]> {
    const parameters = {
      action: 'wbgetentities',
      ids: ids.join('|'),
      props: 'labels|descriptions|aliases|claims|sitelinks/urls',
      languages: languages.join('|'),
      languagefallback: '1',
      sitefilter: sites.join('|'),
    };
    try {
      return parseEntities(await request(parameters, call), languages);
    } catch (error) {
      if (error instanceof ProviderError && error.causeCode === 'no-such-entity') return [];
      throw error;
    }
  }

  async function requestLabels(
    ids: readonly string[],
    call: WikimediaCall,
  ): Promise<ReadonlyMap<string, string>> {
    const labels = new Map<string, string>();
    const end = Math.min(ids.length, IDS_PER_REQUEST * LABEL_REQUESTS);
    for (let start = 0; start < end; start += IDS_PER_REQUEST) {
      const parameters = {
        action: 'wbgetentities',
        ids: ids.slice(start, start + IDS_PER_REQUEST).join('|'),
        props: 'labels',
        languages: languages.join('|'),
        languagefallback: '1',
      };
      const entities = parseEntities(await request(parameters, call), languages);
      for (const { askedId, label } of entities) labels.set(askedId, label);
    }
    return labels;
  }

  return {
    async search({ text, limit }, call) {
      const answer = await request(
        {
          action: 'wbsearchentities',
          search: text,
          language: labelLanguage,
          uselang: labelLanguage,
          type: 'item',
          limit: String(limit),
        },
        call,
      );
      const ids = asList(asRecord(answer)['search']).map((hit) => asText(asRecord(hit)['id']));
      return ids.filter((id) => parseItemId(id) !== null);
    },

    async findEntities(ids, call) {
      if (ids.length === 0) return [];
      const answered = await requestEntities(ids, call);
      // Two ids may have become one item.
      const found = [...new Map(answered.map((entity) => [entity.id, entity])).values()];
      const labels = await requestLabels(collectIds(found), call);
      return found.map((entity) => ({
        id: entity.id,
        label: entity.label,
        description: entity.description,
        aliases: entity.aliases.slice(0, MAX_ALIASES),
        claims: formatClaims(entity, labels),
        url: `https://www.wikidata.org/wiki/${entity.id}`,
        wikipediaUrl: sites.map((site) => entity.siteUrls.get(site)).find(Boolean) ?? null,
      }));
    },
  };
}

/** The name of a Wikipedia among Wikidata's sites: `zh-yue` is `zh_yuewiki`. */
const siteOf = (language: string): string => `${language.replaceAll('-', '_')}wiki`;
