/**
 * A table as RFC 4180 writes it, with a byte order mark so that spreadsheet programs read it as UTF-8.
 * Cells stay as they are: what looks like a formula is the caller's data. Short rows are filled up.
 */
export function formatCsv(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const lines = [headers, ...rows].map((row) =>
    headers.map((_, index) => quote(row[index] ?? '')).join(','),
  );
  // A line with nothing on it would be read as no row at all.
  return `${BYTE_ORDER_MARK}${lines.map((line) => line || '""').join('\r\n')}\r\n`;
}

export const BYTE_ORDER_MARK = '\ufeff';

const quote = (cell: string): string =>
  /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
