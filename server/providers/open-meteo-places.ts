import { asList, asNumber, asRecord, asText } from './json-values.ts';
import { findStateName } from './us-states.ts';

/** A place that carries a name. */
export interface Place {
  readonly name: string;
  /** State, province or the like; empty when unknown. */
  readonly region: string;
  readonly country: string;
  readonly countryCode: string;
  readonly latitude: number;
  readonly longitude: number;
}

/**
 * Reads an answer of the place search. The service leaves out whatever is 0 or empty, so an absent
 * coordinate is 0 and an answer without `results` means that nothing was found.
 */
export function parsePlaces(answer: unknown): readonly Place[] {
  return asList(asRecord(answer)['results']).map((result) => {
    const place = asRecord(result);
    return {
      name: asText(place['name']),
      region: asText(place['admin1']),
      country: asText(place['country']),
      countryCode: asText(place['country_code']),
      latitude: asNumber(place['latitude']) ?? 0,
      longitude: asNumber(place['longitude']) ?? 0,
    };
  });
}

/** "Springfield, IL" as its name and what qualifies it; the qualifier is empty without a comma. */
export function splitPlaceName(text: string): {
  readonly name: string;
  readonly qualifier: string;
} {
  const [name = '', ...rest] = text.split(',').map((part) => part.trim());
  return { name, qualifier: rest.filter(Boolean).join(', ') };
}

/** Whether a place lies in the state or country that the qualifier names, written out or as a code. */
export function isWithin(place: Place, qualifier: string): boolean {
  const names = [place.region, place.country, place.countryCode].map(fold);
  return qualifier
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .every((part) => isNamed(place, part) || names.includes(fold(part)));
}

/** "IL" is Illinois within the United States before it is Israel. */
function isNamed(place: Place, part: string): boolean {
  if (/^(usa|u\.s\.a?\.?)$/i.test(part)) return place.countryCode === 'US';
  if (/^uk$/i.test(part)) return place.countryCode === 'GB';
  return place.countryCode === 'US' && fold(place.region) === fold(findStateName(part) ?? '-');
}

const fold = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase();

/** A place as a person writes it. */
export const describePlace = ({ name, region, country }: Place): string =>
  [name, region, country].filter(Boolean).join(', ');
