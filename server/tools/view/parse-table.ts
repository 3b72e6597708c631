export interface ParsedTable {
  readonly delimiter: string;
  readonly rows: readonly (readonly string[])[];
  /** A whole sentence when the text is not well formed; null otherwise. */
  readonly problem: string | null;
}

const DELIMITERS = [',', ';', '\t', '|'];
const GUESS_LINES = 20;

/**
 * Reads comma-separated text and its relatives.
 *
 * @param isCut - the text ends somewhere within the table: an open quote and a last, partial row are
 *   then to be expected.
 */
export async function parseTable(
  text: string,
  { fallback, isCut }: { readonly fallback: string; readonly isCut: boolean },
): Promise<ParsedTable> {
  const { delimiter, body } = findDelimiter(text, fallback);
  const rows: string[][] = [];
  const message = await collectRows(body, delimiter, rows);
  if (isCut) {
    if (message === null) rows.pop();
    return { delimiter, rows, problem: null };
  }
  const problem =
    message === null ? null : `The table is not well formed after row ${rows.length}: ${message}.`;
  return { delimiter, rows, problem };
}

/** Adds rows as long as the text is well formed; resolves with what is wrong after them. */
async function collectRows(
  text: string,
  delimiter: string,
  rows: string[][],
): Promise<string | null> {
  const { CsvError, parse } = await import('csv-parse/sync');
  const keep = (row: string[]): null => {
    rows.push(row);
    return null;
  };
  try {
    parse(text, {
      delimiter,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      on_record: keep,
    });
    return null;
  } catch (error) {
    if (error instanceof CsvError) return error.message.replace(/\.$/, '');
    throw error;
  }
}

/** Some programs write `sep=;` as the first line; otherwise the character that is in every line wins. */
function findDelimiter(
  text: string,
  fallback: string,
): { readonly delimiter: string; readonly body: string } {
  const declared = /^sep=(.)\r?\n/i.exec(text);
  if (declared?.[1] !== undefined) {
    return { delimiter: declared[1], body: text.slice(declared[0].length) };
  }
  const lines = text
    .slice(0, 100_000)
    .replace(/"(?:[^"]|"")*"/g, '""')
    .split(/\r?\n/, GUESS_LINES)
    .filter((line) => line !== '');
  const counts = DELIMITERS.map((delimiter) => {
    const perLine = lines.map((line) => line.split(delimiter).length - 1);
    return { delimiter, fewest: Math.min(...perLine), first: perLine[0] ?? 0 };
  });
  const [best] = counts.toSorted(
    (left, right) =>
      right.fewest - left.fewest ||
      right.first - left.first ||
      Number(right.delimiter === fallback) - Number(left.delimiter === fallback),
  );
  const isFound = best !== undefined && best.first > 0;
  return { delimiter: isFound ? best.delimiter : fallback, body: text };
}
