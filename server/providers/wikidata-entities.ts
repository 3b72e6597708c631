import { asList, asRecord, asText, type JsonRecord } from './json-values.ts';

/** What one statement says, not yet in words. */
export interface RawValue {
  /** `somevalue`: there is one, but nobody knows it. `novalue`: there is none. */
  readonly snakType: 'value' | 'somevalue' | 'novalue';
  /** The type of `value`, e.g. `time`; empty without a value. */
  readonly type: string;
  readonly value: unknown;
}

export interface RawClaim {
  /** Such as `P31`. */
  readonly property: string;
  /** What the property holds, e.g. `external-id`. */
  readonly dataType: string;
  /** Of the best rank only. */
  readonly values: readonly RawValue[];
}

export interface RawEntity {
  /** The id that was asked for; differs from `id` when the item was merged into another. */
  readonly askedId: string;
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly aliases: readonly string[];
  readonly claims: readonly RawClaim[];
  /** Addresses by site, e.g. `enwiki`. */
  readonly siteUrls: ReadonlyMap<string, string>;
}

/** Reads an answer of `wbgetentities`; what does not exist is left out. Languages: the preferred one first. */
export function parseEntities(answer: unknown, languages: readonly string[]): readonly RawEntity[] {
  return Object.entries(asRecord(asRecord(answer)['entities']))
    .map(([askedId, value]) => ({ askedId, entity: asRecord(value) }))
    .filter(({ entity }) => !('missing' in entity))
    .map(({ askedId, entity }) => ({
      askedId,
      id: asText(entity['id']),
      label: pick(entity['labels'], languages),
      description: pick(entity['descriptions'], languages),
      aliases: parseAliases(entity['aliases'], languages),
      claims: Object.entries(asRecord(entity['claims'])).flatMap(parseClaim),
      siteUrls: parseSiteUrls(asRecord(entity['sitelinks'])),
    }));
}

function pick(byLanguage: unknown, languages: readonly string[]): string {
  const texts = asRecord(byLanguage);
  const found = languages.map((language) => asText(asRecord(texts[language])['value']));
  return found.find((text) => text !== '') ?? '';
}

function parseAliases(byLanguage: unknown, languages: readonly string[]): readonly string[] {
  const aliases = asRecord(byLanguage);
  const lists = languages.map((language) =>
    asList(aliases[language]).map((alias) => asText(asRecord(alias)['value'])),
  );
  return lists.find((list) => list.length > 0) ?? [];
}

function parseClaim([property, statements]: [string, unknown]): readonly RawClaim[] {
  const all = asList(statements).map(asRecord);
  const preferred = all.filter(({ rank }) => rank === 'preferred');
  const shown = preferred.length > 0 ? preferred : all.filter(({ rank }) => rank === 'normal');
  const snaks = shown.map(({ mainsnak }) => asRecord(mainsnak));
  const [first] = snaks;
  if (first === undefined) return [];
  return [{ property, dataType: asText(first['datatype']), values: snaks.map(parseValue) }];
}

function parseValue(snak: JsonRecord): RawValue {
  const value = asRecord(snak['datavalue']);
  const snakType = asText(snak['snaktype']);
  return {
    snakType: snakType === 'somevalue' || snakType === 'novalue' ? snakType : 'value',
    type: asText(value['type']),
    value: value['value'],
  };
}

const parseSiteUrls = (sites: JsonRecord): ReadonlyMap<string, string> =>
  new Map(Object.entries(sites).map(([site, link]) => [site, asText(asRecord(link)['url'])]));
