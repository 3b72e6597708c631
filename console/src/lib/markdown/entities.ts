// No DOMParser here: it is a sink of Trusted Types.
const NAMES: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', copy: '©', reg: '®' },
  ...{ trade: '™', hellip: '…', mdash: '—', ndash: '–', laquo: '«', raquo: '»', bdquo: '„' },
  ...{ ldquo: '“', rdquo: '”', lsquo: '‘', rsquo: '’', times: '×', deg: '°', euro: '€' },
  ...{ sect: '§', auml: 'ä', ouml: 'ö', uuml: 'ü', Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü' },
  ...{ szlig: 'ß', rarr: '→', larr: '←', middot: '·', bull: '•', le: '≤', ge: '≥', ne: '≠' },
  ...{ minus: '−', plusmn: '±', check: '✓' },
};
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi;

/** Writes out the HTML entities that Markdown allows in text. */
export const decodeEntities = (text: string): string =>
  text.includes('&')
    ? text.replace(ENTITY, (whole: string, ...[decimal, hex, name]: string[]) => {
        if (name !== undefined) return NAMES[name] ?? whole;
        return characterOf(
          decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal),
        );
      })
    : text;

function characterOf(code: number): string {
  const isValid = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isValid ? String.fromCodePoint(code) : '\ufffd';
}
