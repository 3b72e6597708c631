import { expect, test } from 'vitest';
import { isWithin, parsePlaces } from '../../server/providers/open-meteo-places.ts';

const place = (region: string, country: string, countryCode: string) => ({
  ...{ name: 'X', latitude: 0, longitude: 0 },
  ...{ region, country, countryCode },
});

test.each([
  [place('Illinois', 'United States', 'US'), 'IL', true],
  [place('Haifa', 'Israel', 'IL'), 'IL', true],
  [place('Missouri', 'United States', 'US'), 'IL', false],
  [place('Illinois', 'United States', 'US'), 'IL, USA', true],
  [place('Ontario', 'Canada', 'CA'), 'CA', true],
  [place('California', 'United States', 'US'), 'ca', true],
  [place('England', 'United Kingdom', 'GB'), 'UK', true],
  [place('Île-de-France', 'France', 'FR'), 'ile-de-france', true],
])('$region is within %s: %s', (where, qualifier, expected) => {
  expect(isWithin(where, qualifier)).toBe(expected);
});

test('what the service leaves out counts as zero or empty', () => {
  expect(parsePlaces({ results: [{ id: 1, name: 'Nullpunkt' }] })).toEqual([
    { ...place('', '', ''), name: 'Nullpunkt' },
  ]);
  expect(parsePlaces({ generationtime_ms: 0.4 })).toEqual([]);
  expect(parsePlaces(null)).toEqual([]);
});
