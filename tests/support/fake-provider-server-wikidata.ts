import type { FakeAnswer, FakeProvider, FakeRequest } from './fake-provider-server.ts';
import { refuseWithoutContact } from './fake-provider-server-wikipedia.ts';

const inEnglish = (value: string) => ({ en: { language: 'en', value } });

const statement = (
  property: string,
  [datatype, type, value]: readonly [string, string, unknown],
  rank = 'normal',
) => ({
  mainsnak: { snaktype: 'value', property, datatype, datavalue: { type, value } },
  type: 'statement',
  rank,
});

const without = (property: string, snaktype: 'somevalue' | 'novalue') => ({
  mainsnak: { snaktype, property, datatype: 'wikibase-item' },
  type: 'statement',
  rank: 'normal',
});

const item = (id: string) =>
  ['wikibase-item', 'wikibase-entityid', { 'entity-type': 'item', id }] as const;
const time = (text: string, precision: number) =>
  ['time', 'time', { time: text, precision, timezone: 0 }] as const;
const quantity = (amount: string, unit: string) =>
  ['quantity', 'quantity', { amount, unit }] as const;

const SEAL = {
  ns: 0,
  type: 'item',
  id: 'Q99000001',
  labels: inEnglish('harbour seal'),
  descriptions: inEnglish('species of seal'),
  aliases: { en: [{ language: 'en', value: 'common seal' }] },
  claims: {
    P846: [statement('P846', ['external-id', 'string', '2434793'])],
    P2067: [statement('P2067', quantity('+85.5', 'http://www.wikidata.org/entity/Q11570'))],
    P1082: [statement('P1082', quantity('+400000', '1'))],
    P31: [statement('P31', item('Q1'), 'deprecated'), statement('P31', item('Q16521'))],
    P569: [
      statement('P569', time('+1600-00-00T00:00:00Z', 9)),
      statement('P569', time('+1758-00-00T00:00:00Z', 9), 'preferred'),
    ],
    P112: [without('P112', 'somevalue')],
    P50: [without('P50', 'novalue')],
  },
  sitelinks: {
    enwiki: {
      site: 'enwiki',
      title: 'Harbour seal',
      url: 'https://en.wikipedia.org/wiki/Harbour_seal',
    },
  },
};

const BARE = {
  ns: 0,
  type: 'item',
  id: 'Q99000003',
  labels: [],
  descriptions: [],
  aliases: [],
  claims: [],
  sitelinks: [],
};

const NAMES: Readonly<Record<string, string>> = {
  Q16521: 'taxon',
  Q11570: 'kilogram',
  P31: 'instance of',
  P569: 'date of birth',
  P112: 'founded by',
  P50: 'author',
  P1082: 'population',
};

export const answerWikidata: FakeProvider = (request) => {
  const refusal = refuseWithoutContact(request);
  if (refusal !== null) return refusal;
  return request.query.get('action') === 'wbsearchentities' ? search(request) : entities(request);
};

function search({ query }: FakeRequest): FakeAnswer {
  if (query.get('language') === null) {
    return {
      body: { error: { code: 'missingparam', info: 'The "language" parameter must be set.' } },
    };
  }
  const words = (query.get('search') ?? '').toLowerCase();
  const isFound = ['harbour seal', 'common seal'].some((name) => name.includes(words));
  return {
    body: {
      searchinfo: { search: words },
      search: isFound
        ? [{ id: 'Q99000001', title: 'Q99000001', url: '//www.wikidata.org/wiki/Q99000001' }]
        : [],
      success: 1,
    },
  };
}

function entities({ query }: FakeRequest): FakeAnswer {
  const ids = (query.get('ids') ?? '').split('|');
  if (ids.length > 50)
    return { body: { error: { code: 'toomanyvalues', info: 'Too many values.' } } };
  if (ids.includes('Q999999999999999')) {
    return { body: { error: { code: 'no-such-entity', info: 'Could not find an entity.' } } };
  }
  return { body: { entities: Object.fromEntries(ids.map((id) => [id, entity(id)])), success: 1 } };
}

/** Q99000002 was merged into the seal; its entry carries the id of what it became. */
function entity(id: string): unknown {
  if (id === SEAL.id || id === 'Q99000002') return SEAL;
  if (id === BARE.id) return BARE;
  const name = NAMES[id];
  return name === undefined ? { id, missing: '' } : { type: 'item', id, labels: inEnglish(name) };
}
