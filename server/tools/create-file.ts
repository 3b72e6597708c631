import { AppError } from '../errors.ts';
import { BYTE_ORDER_MARK, formatCsv } from './create/csv-text.ts';
import { extensionOf, findNameProblem, mimeTypeOf } from './create/file-name.ts';
import { defineTool } from './kit/define-tool.ts';
import { list, object, optional, text } from './kit/parameters.ts';
import { failed, ok } from './kit/tool-result.ts';

const MAX_CHARACTERS = 500_000;

export const createFile = defineTool({
  name: 'create_file',
  description:
    'Make a file that the user can download, from text written here or from rows of a CSV table. For XLSX, PDF, pictures and whatever Python computes use code_interpreter instead.',
  allowedByDefault: true,
  needs: ['files'],
  systemHints: {
    '*': 'Offer the file to the user as a link to download_url; code_interpreter_path is for later Python only.',
  },
  parameters: object({
    filename: text({ description: "Plain name with extension, e.g. 'report.md' or 'data.csv'." }),
    content: optional(
      text({
        description: 'The text of the file, at most 500000 characters; not with csv_headers.',
      }),
    ),
    csv_headers: optional(
      list(text(), { description: 'Column names of a .csv file, in place of content.' }),
    ),
    csv_rows: optional(
      list(list(text()), { description: 'Rows of that table, one text for each column.' }),
    ),
  }),

  async execute(input, { files }) {
    const filename = input.filename.trim();
    const body = composeBody({ ...input, filename });
    if ('problem' in body) return failed('INVALID_ARGUMENTS', body.problem);
    try {
      const mimeType = mimeTypeOf(filename);
      const file = await files.create({ label: filename, mimeType, content: body.content });
      return ok({
        action: 'created',
        filename: file.label,
        mime_type: file.mimeType,
        bytes: file.bytes,
        download_url: file.downloadUrl,
        code_interpreter_path: file.codeInterpreterPath,
      });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'BAD_INPUT') throw error;
      return failed('INVALID_ARGUMENTS', error.message);
    }
  },
});

interface FileInput {
  readonly filename: string;
  readonly content?: string;
  readonly csv_headers?: readonly string[];
  readonly csv_rows?: readonly (readonly string[])[];
}

type Body = { readonly content: string } | { readonly problem: string };

function composeBody(input: FileInput): Body {
  const nameProblem = findNameProblem(input.filename);
  if (nameProblem !== null) return { problem: nameProblem };
  const headers = input.csv_headers ?? [];
  const rows = input.csv_rows ?? [];
  // Models that must fill every field send an empty text or list for "none".
  const hasTable = headers.length > 0 || rows.length > 0;
  const hasContent = input.content !== undefined && (input.content !== '' || !hasTable);
  if (hasContent && hasTable) {
    return { problem: 'Both content and CSV columns are given; a file has one or the other.' };
  }
  if (hasTable) return composeTable(input.filename, headers, rows);
  if (input.content === undefined) {
    return { problem: 'Nothing to write: give content, or csv_headers for a .csv file.' };
  }
  return composeText(input.filename, input.content);
}

function composeTable(
  filename: string,
  headers: readonly string[],
  rows: readonly (readonly string[])[],
): Body {
  if (extensionOf(filename) !== '.csv') {
    return { problem: `csv_headers and csv_rows make a .csv file, but filename is "${filename}".` };
  }
  if (headers.length === 0) return { problem: 'csv_rows are given without csv_headers.' };
  const tooLong = rows.findIndex((row) => row.length > headers.length);
  if (tooLong >= 0) {
    return {
      problem: `Row ${tooLong + 1} of csv_rows has ${rows[tooLong]?.length} cells, but there are ${headers.length} headers.`,
    };
  }
  return { content: formatCsv(headers, rows).toWellFormed() };
}

function composeText(filename: string, content: string): Body {
  if (content.length > MAX_CHARACTERS) {
    return {
      problem: `content has ${content.length} characters, but may have at most ${MAX_CHARACTERS}. Split it, or use code_interpreter.`,
    };
  }
  const isMarked = content.startsWith(BYTE_ORDER_MARK);
  // Spreadsheet programs take a CSV file without the mark for a national code page.
  const needsMark = extensionOf(filename) === '.csv' && !isMarked && /[^\0-\x7f]/.test(content);
  return { content: `${needsMark ? BYTE_ORDER_MARK : ''}${content}`.toWellFormed() };
}
