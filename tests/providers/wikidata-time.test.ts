import { expect, test } from 'vitest';
import { formatWikidataTime } from '../../server/providers/wikidata-time.ts';

test.each([
  ['+1758-00-00T00:00:00Z', 9, '1758'],
  ['+1758-03-00T00:00:00Z', 10, '1758-03'],
  ['+1879-03-14T00:00:00Z', 11, '1879-03-14'],
  ['+0800-12-25T00:00:00Z', 11, '0800-12-25'],
  ['-0044-03-15T00:00:00Z', 11, '44-03-15 BCE'],
  ['-0384-00-00T00:00:00Z', 9, '384 BCE'],
  ['+1950-00-00T00:00:00Z', 8, '1950s'],
  ['+1700-00-00T00:00:00Z', 7, '17th century'],
  ['+2001-00-00T00:00:00Z', 7, '21st century'],
  ['-13798000000-00-00T00:00:00Z', 3, 'about 13798000000 BCE'],
  ['never', 9, 'never'],
])('%s with precision %i reads %s', (time, precision, expected) => {
  expect(formatWikidataTime(time, precision)).toBe(expected);
});
