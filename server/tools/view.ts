import { defineTool, type ToolContext } from './kit/define-tool.ts';
import { flag, integer, object, optional, text } from './kit/parameters.ts';
import type { FilesHost, LocatedFile } from './kit/tool-host.ts';
import { failed, ok, type ToolResult } from './kit/tool-result.ts';
import { findFileKind, VIEWABLE_EXTENSIONS } from './view/file-kinds.ts';
import { findFile } from './view/find-file.ts';
import { countLines, type TextPiece } from './view/read-text.ts';
import { viewTable } from './view/view-table.ts';
import { type TextSelection, viewText } from './view/view-text.ts';

const MIN_CHARACTERS = 100;
const MAX_CHARACTERS = 30_000;
const COUNTED_BYTES = 64_000_000;
const LISTED_FILES = 50;

export const view = defineTool({
  name: 'view',
  description:
    'Read a file of this chat, uploaded or generated, without running code: text from its beginning, its first or last lines, or a preview of a CSV/TSV table with headers, types and sample rows. Of XLSX, DOCX and PDF it tells size and place; their contents take code_interpreter.',
  allowedByDefault: true,
  needs: ['files'],
  systemHints: {
    reference: 'Read the contents with code_interpreter, from code_interpreter_path.',
  },
  parameters: object({
    filename: text({ description: "Name of the file as the chat shows it, e.g. 'data.csv'." }),
    max_chars: integer({
      description: 'Characters to return at most (100 to 30000).',
      default: 10_000,
    }),
    head_lines: optional(integer({ description: 'Only the first N lines.' })),
    tail_lines: optional(integer({ description: 'Only the last N lines; wins over head_lines.' })),
    csv_preview: optional(
      flag({ description: 'For CSV/TSV: headers, types and sample rows (on unless false).' }),
    ),
    csv_preview_rows: integer({ description: 'Sample rows of that preview.', default: 10 }),
    raw_text: flag({ description: 'For CSV/TSV: plain text and no preview.', default: false }),
  }),

  async execute(input, context) {
    const { files, signal } = context;
    const file = await findFile(files, input.filename);
    if (file === null) return reportMissing(input.filename, files);
    const kind = findFileKind(file.label);
    if (kind === null) return reportUnsupported(file.label);
    if (kind === 'interpreter') return describeReference(file);
    const problem = findLinesProblem(input);
    if (problem !== null) return failed('INVALID_ARGUMENTS', problem);
    const hasLines = input.head_lines !== undefined || input.tail_lines !== undefined;
    const isTable = kind === 'table' && !hasLines && !input.raw_text && (input.csv_preview ?? true);
    try {
      return isTable
        ? await showTable(file, Math.max(1, input.csv_preview_rows), context)
        : await showText(file, selectText(input), context);
    } catch (error) {
      if (signal.aborted) return failed('CANCELLED', `Reading ${file.label} was cancelled.`);
      if (isGone(error)) return failed('NOT_FOUND', `${file.label} is no longer on the disk.`);
      throw error;
    }
  },
});

interface Selection {
  readonly max_chars: number;
  readonly head_lines?: number;
  readonly tail_lines?: number;
}

function selectText({ max_chars, head_lines, tail_lines }: Selection): TextSelection {
  if (tail_lines !== undefined) return { from: 'tail', lines: tail_lines };
  if (head_lines !== undefined) return { from: 'head', lines: head_lines };
  const maxCharacters = Math.min(Math.max(max_chars, MIN_CHARACTERS), MAX_CHARACTERS);
  return { from: 'start', maxCharacters };
}

function findLinesProblem({ head_lines, tail_lines }: Selection): string | null {
  const lines = tail_lines ?? head_lines;
  if (lines === undefined || lines >= 1) return null;
  const name = tail_lines === undefined ? 'head_lines' : 'tail_lines';
  return `${name} is ${lines}, but must be at least 1.`;
}

async function showText(
  file: LocatedFile,
  selection: TextSelection,
  context: ToolContext,
): Promise<ToolResult> {
  const { piece, ...shown } = await viewText(file, selection, context);
  if (piece.isGuessed && shown.content.includes('\0')) {
    return failed('FAILED', `${file.label} holds binary data, not text.`);
  }
  return ok(
    { mode: 'text', ...(await describeFile(file, piece, context.signal)), ...shown },
    shown.truncated
      ? {
          systemHint:
            'More text is there: ask for head_lines or tail_lines, or read it with code_interpreter from code_interpreter_path.',
        }
      : {},
  );
}

async function showTable(
  file: LocatedFile,
  rowLimit: number,
  context: ToolContext,
): Promise<ToolResult> {
  const { piece, rowCount, rowsRead, ...shown } = await viewTable(file, rowLimit, context);
  return ok({
    mode: 'table',
    ...(await describeFile(file, piece, context.signal)),
    ...shown,
    row_count: rowCount,
    rows_read: rowsRead,
  });
}

async function describeFile(file: LocatedFile, piece: TextPiece, signal: AbortSignal) {
  const { encoding } = piece;
  return {
    ...locationOf(file),
    lines: await countLines(file.path, { encoding, maxBytes: COUNTED_BYTES }, signal),
    encoding,
    encoding_note: piece.isGuessed
      ? 'The file does not tell its encoding and is no UTF-8; windows-1252 is a guess, so letters beyond ASCII may be wrong.'
      : null,
  };
}

const locationOf = ({ label, mimeType, bytes, downloadUrl, codeInterpreterPath }: LocatedFile) => ({
  filename: label,
  mime_type: mimeType,
  bytes,
  download_url: downloadUrl,
  code_interpreter_path: codeInterpreterPath,
});

/** The citation is a Markdown link, as the answer may show it. */
function describeReference(file: LocatedFile): ToolResult {
  const label = file.label.replace(/[\\[\]]/g, '\\$&');
  return ok({
    mode: 'reference',
    ...locationOf(file),
    citation: `[${label}](${file.downloadUrl})`,
  });
}

async function reportMissing(name: string, files: FilesHost): Promise<ToolResult> {
  const labels = (await files.list()).map(({ label }) => label);
  const listed = labels.slice(0, LISTED_FILES).join(', ');
  const more = labels.length > LISTED_FILES ? ` and ${labels.length - LISTED_FILES} more` : '';
  return failed(
    'NOT_FOUND',
    labels.length === 0
      ? `There is no file "${name}": this chat has no files.`
      : `There is no file "${name}" in this chat. It has: ${listed}${more}.`,
  );
}

const reportUnsupported = (label: string): ToolResult =>
  failed(
    'INVALID_ARGUMENTS',
    `${label} is of a kind that view cannot show. It shows ${VIEWABLE_EXTENSIONS.join(', ')}.`,
  );

const isGone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';
