const CENTURY = 7;
const DECADE = 8;
const YEAR = 9;
const MONTH = 10;

/**
 * A time of Wikidata in words: `1758`, `1758-03`, `1758-03-02`, `1750s`, `18th century`, `44 BCE`.
 *
 * @param time - such as `+1758-00-00T00:00:00Z`: months and days may be 00 and years negative, so
 *   `Date` cannot read it.
 * @param precision - 11 for a day, 10 month, 9 year, 8 decade, 7 century, fewer for longer spans.
 */
export function formatWikidataTime(time: string, precision: number | null): string {
  const parts = /^([+-])(\d+)-(\d{2})-(\d{2})T/.exec(time);
  if (parts === null) return time;
  const [, sign, digits = '', month = '00', day = '00'] = parts;
  const year = Number(digits);
  const era = sign === '-' ? ' BCE' : '';
  const exactness = precision ?? YEAR;
  if (exactness < CENTURY) return `about ${year}${era}`;
  if (exactness === CENTURY) return `${formatOrdinal(Math.ceil(year / 100))} century${era}`;
  if (exactness === DECADE) return `${Math.floor(year / 10) * 10}s${era}`;
  const yearText = sign === '-' ? String(year) : digits.padStart(4, '0');
  if (exactness === YEAR || month === '00') return `${year}${era}`;
  if (exactness === MONTH || day === '00') return `${yearText}-${month}${era}`;
  return `${yearText}-${month}-${day}${era}`;
}

function formatOrdinal(value: number): string {
  const suffix = new Intl.PluralRules('en', { type: 'ordinal' }).select(value);
  const endings: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' };
  return `${value}${endings[suffix] ?? 'th'}`;
}
