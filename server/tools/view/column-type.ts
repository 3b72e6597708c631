export type ColumnType =
  | 'integer'
  | 'decimal'
  | 'decimal with comma'
  | 'boolean'
  | 'date'
  | 'date and time'
  | 'text'
  | 'empty';

const PATTERNS: readonly (readonly [ColumnType, RegExp])[] = [
  // A number that begins with 0 is a code, such as a postal one.
  ['integer', /^[-+]?(0|[1-9]\d*)$/],
  ['decimal', /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i],
  ['decimal with comma', /^[-+]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?$/],
  ['boolean', /^(true|false|yes|no)$/i],
  ['date', /^(\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{4})$/],
  ['date and time', /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/],
];
const LEADING_ZERO = /^[-+]?0\d/;

/** What all cells of a column that are not empty have in common. */
export function inferColumnType(cells: readonly string[]): ColumnType {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  if (filled.length === 0) return 'empty';
  if (filled.some((cell) => LEADING_ZERO.test(cell) && /^[-+]?\d+$/.test(cell))) return 'text';
  const match = PATTERNS.find(([, pattern]) => filled.every((cell) => pattern.test(cell)));
  return match?.[0] ?? 'text';
}
