import { extname } from 'node:path';
import { shorten } from '../kit/cut-text.ts';
import type { LocatedFile } from '../kit/tool-host.ts';
import { type ColumnType, inferColumnType } from './column-type.ts';
import { fitItems, mainPartLimit } from './fit-json.ts';
import { parseTable } from './parse-table.ts';
import { readBeginning, type TextPiece } from './read-text.ts';

export interface TableColumn {
  readonly name: string;
  readonly type: ColumnType;
  /** Cells without text among the rows read. */
  readonly empty: number;
}

export interface TableView {
  readonly piece: TextPiece;
  readonly delimiter: string;
  readonly columns: readonly TableColumn[];
  /** The first rows below the headers, a text for each column. */
  readonly rows: readonly (readonly string[])[];
  /** Without the headers; null when the table is larger than what was read of it. */
  readonly rowCount: number | null;
  /** Rows that the types were inferred from. */
  readonly rowsRead: number;
  /** Rows, columns or cells were left out or shortened. */
  readonly truncated: boolean;
  readonly notes: readonly string[];
}

/** Enough to infer types, and to count the rows of most tables exactly. */
const SAMPLE_CHARACTERS = 2_000_000;
const MAX_COLUMNS = 100;
const MAX_CELL_CHARACTERS = 300;

/** The headers, inferred types and first rows of a table. */
export async function viewTable(
  file: LocatedFile,
  rowLimit: number,
  { outputLimit, signal }: { readonly outputLimit: number; readonly signal: AbortSignal },
): Promise<TableView> {
  const piece = await readBeginning(file.path, (text) => text.length > SAMPLE_CHARACTERS, signal);
  const fallback = extname(file.label).toLowerCase() === '.tsv' ? '\t' : ',';
  const table = await parseTable(piece.text, { fallback, isCut: !piece.isWhole });
  const [headers = [], ...body] = table.rows;
  const allColumns = describeColumns(headers, body);
  const limit = mainPartLimit(outputLimit);
  const columns = fitItems(allColumns.slice(0, MAX_COLUMNS), limit / 2);
  const wanted = body.slice(0, rowLimit).map((row) => formatRow(row, columns.length));
  const rows = fitItems(wanted, limit / 2);
  const isShortened = body
    .slice(0, rowLimit)
    .some((row) => row.some((cell) => cell.length > MAX_CELL_CHARACTERS));
  const uneven = body.filter((row) => row.length !== headers.length).length;
  const notes = [
    table.problem,
    uneven === 0 ? null : `${uneven} rows have more or fewer cells than there are headers.`,
    columns.length === allColumns.length
      ? null
      : `Only the first ${columns.length} of ${allColumns.length} columns are shown.`,
  ];
  return {
    piece,
    delimiter: table.delimiter,
    columns,
    rows,
    rowCount: piece.isWhole && table.problem === null ? body.length : null,
    rowsRead: body.length,
    truncated: rows.length < wanted.length || columns.length < allColumns.length || isShortened,
    notes: notes.filter((note) => note !== null),
  };
}

function describeColumns(
  headers: readonly string[],
  body: readonly (readonly string[])[],
): readonly TableColumn[] {
  return headers.map((header, index) => {
    const cells = body.map((row) => row[index] ?? '');
    return {
      name: shorten(header.trim(), MAX_CELL_CHARACTERS) || `column ${index + 1}`,
      type: inferColumnType(cells),
      empty: cells.filter((cell) => cell.trim() === '').length,
    };
  });
}

const formatRow = (row: readonly string[], columns: number): readonly string[] =>
  Array.from({ length: columns }, (_, index) => shorten(row[index] ?? '', MAX_CELL_CHARACTERS));
