import { expect, test } from 'vitest';
import { findNearestName } from '../../../server/tools/kit/nearest-name.ts';

const NAMES = ['web_search', 'fetch_web_page', 'weather_fetch', 'view', 'wiki_lookup'];

test.each([
  ['web_serch', 'web_search'],
  ['webSearch', 'web_search'],
  ['web.search', 'web_search'],
  ['fetch_webpage', 'fetch_web_page'],
  ['veiw', null],
  ['views', 'view'],
  ['completely_different', null],
  ['', null],
  ['x'.repeat(10_000), null],
])('%s was probably meant as %s', (wrong, meant) => {
  expect(findNearestName(wrong, NAMES)).toBe(meant);
});
