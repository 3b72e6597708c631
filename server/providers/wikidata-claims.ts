import { asNumber, asRecord, asText } from './json-values.ts';
import type { RawClaim, RawEntity, RawValue } from './wikidata-entities.ts';
import { formatWikidataTime } from './wikidata-time.ts';

export interface WikidataClaim {
  /** Such as `P31`. */
  readonly property: string;
  /** The property's name. */
  readonly label: string;
  readonly values: readonly WikidataValue[];
}

export interface WikidataValue {
  readonly text: string;
  /** Of the item that the value is; absent for dates, numbers and the like. */
  readonly id?: string;
}

const MAX_CLAIMS = 15;
const MAX_VALUES = 3;

/** What a short answer wants to know first: kind, life, place, work, size, dates, links. */
const TELLING = [
  ...['P31', 'P279', 'P569', 'P570', 'P19', 'P20', 'P27', 'P106', 'P17', 'P36', 'P1082', 'P625'],
  ...['P571', 'P112', 'P159', 'P50', 'P577', 'P856'],
];
/** Numbers of other catalogues, pictures and formulas say little in words. */
const SILENT = new Set(['external-id', 'commonsMedia', 'math', 'musical-notation', 'tabular-data']);

/** The properties worth showing: the telling ones first, in their order, then others as stored. */
function selectClaims({ claims }: RawEntity): readonly RawClaim[] {
  const telling = TELLING.flatMap((id) => claims.filter(({ property }) => property === id));
  const others = claims.filter((claim) => !telling.includes(claim) && !SILENT.has(claim.dataType));
  return [...telling, ...others].slice(0, MAX_CLAIMS);
}

const shownValues = ({ values }: RawClaim): readonly RawValue[] => values.slice(0, MAX_VALUES);

/** Ids of properties, items and units whose names the claims of the entities need, each once. */
export function collectIds(entities: readonly RawEntity[]): readonly string[] {
  const claims = entities.flatMap(selectClaims);
  const properties = claims.map(({ property }) => property);
  const items = claims.flatMap(shownValues).flatMap((value) => findItemId(value) ?? []);
  return [...new Set([...properties, ...items])];
}

/** The claims of an entity in words; an id without a name stands for itself. */
export function formatClaims(
  entity: RawEntity,
  labels: ReadonlyMap<string, string>,
): readonly WikidataClaim[] {
  const nameOf = (id: string): string => labels.get(id) || id;
  return selectClaims(entity).map((claim) => ({
    property: claim.property,
    label: nameOf(claim.property),
    values: shownValues(claim).map((value) => formatValue(value, nameOf)),
  }));
}

function formatValue(raw: RawValue, nameOf: (id: string) => string): WikidataValue {
  if (raw.snakType === 'somevalue') return { text: 'unknown' };
  if (raw.snakType === 'novalue') return { text: 'none' };
  const value = asRecord(raw.value);
  const id = findItemId(raw);
  switch (raw.type) {
    case 'wikibase-entityid':
      return id === null ? { text: 'unknown' } : { text: nameOf(id), id };
    case 'time':
      return { text: formatWikidataTime(asText(value['time']), asNumber(value['precision'])) };
    case 'quantity': {
      const amount = asText(value['amount']).replace(/^\+/, '');
      return { text: id === null ? amount : `${amount} ${nameOf(id)}` };
    }
    case 'globecoordinate':
      return { text: `${asNumber(value['latitude'])}, ${asNumber(value['longitude'])}` };
    case 'monolingualtext':
      return { text: asText(value['text']) };
    default:
      return { text: asText(raw.value) || JSON.stringify(raw.value ?? null) };
  }
}

/** The item that a value is, or the unit of a quantity; null for others. */
function findItemId({ type, value }: RawValue): string | null {
  const record = asRecord(value);
  if (type === 'wikibase-entityid') return asText(record['id']) || null;
  if (type !== 'quantity') return null;
  // A number without a unit has "1" here, others the address of the unit's item.
  return /\/(Q\d+)$/.exec(asText(record['unit']))?.[1] ?? null;
}
