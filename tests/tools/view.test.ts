import { open, rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ToolResult } from '../../server/tools/kit/tool-result.ts';
import { view } from '../../server/tools/view.ts';
import {
  createToolContext,
  type TestToolContext,
  type ToolContextOptions,
} from '../support/tool-context.ts';

let chat: TestToolContext;
const enter = async (options: ToolContextOptions = {}) => {
  await chat.close();
  chat = await createToolContext(options);
};
beforeEach(async () => {
  chat = await createToolContext();
});
afterEach(() => chat.close());

type Input = Parameters<typeof view.execute>[0];
const DEFAULTS = { max_chars: 10_000, csv_preview_rows: 10, raw_text: false };
const show = async (filename: string, input: Partial<Input> = {}): Promise<ToolResult> =>
  view.execute({ ...DEFAULTS, ...input, filename }, chat.context);
const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');
const contentOf = (result: ToolResult): string =>
  (result as { data: { content: string } }).data.content;

describe('view of text', () => {
  test('a small file is shown whole, with size, lines and places', async () => {
    await chat.upload('notes.md', '# Head\nBody');

    expect(await show('notes.md')).toEqual({
      status: 'success',
      data: {
        mode: 'text',
        filename: 'notes.md',
        mime_type: 'application/octet-stream',
        bytes: 11,
        download_url: expect.stringMatching(/^\/generated-files\/.+\/notes\.md$/) as string,
        code_interpreter_path: '/mnt/data/notes.md',
        lines: 2,
        encoding: 'utf-8',
        encoding_note: null,
        selection: 'whole',
        content: '# Head\nBody',
        truncated: false,
      },
    });
  });

  test.each([
    [50, 100],
    [200, 200],
    [99_999, 30_000],
  ])('max_chars %i gives %i characters', async (asked, given) => {
    await chat.upload('long.txt', 'x'.repeat(40_000));

    const result = await show('long.txt', { max_chars: asked });

    expect(contentOf(result)).toHaveLength(given);
    expect(result).toMatchObject({
      data: { selection: 'start', truncated: true },
      systemHint: expect.stringContaining('tail_lines') as string,
    });
  });

  test('a cut never splits what a reader sees as one character', async () => {
    await chat.upload('family.txt', `${'x'.repeat(98)}👩‍👩‍👧 and more${'y'.repeat(50)}`);

    expect(contentOf(await show('family.txt', { max_chars: 100 }))).toBe('x'.repeat(98));
  });

  test('the first lines are shown, the last lines win over them', async () => {
    await chat.upload('app.log', lines(1_000));

    const head = await show('app.log', { head_lines: 2 });
    const tail = await show('app.log', { head_lines: 2, tail_lines: 3 });

    expect(head).toMatchObject({
      data: { content: 'line 1\nline 2\n', selection: 'head', truncated: false, lines: 1_000 },
    });
    expect(tail).toMatchObject({
      data: { content: 'line 998\nline 999\nline 1000\n', selection: 'tail' },
    });
  });

  test('lines are not bounded by max_chars', async () => {
    await chat.upload('app.log', lines(5_000));

    const result = await show('app.log', { tail_lines: 4_000, max_chars: 100 });

    expect(contentOf(result).split('\n')).toHaveLength(4_001);
  });

  test('more lines than there are show the whole file', async () => {
    await chat.upload('app.log', 'a\n\nb');

    for (const input of [{ head_lines: 99 }, { tail_lines: 99 }]) {
      expect(await show('app.log', input)).toMatchObject({
        data: { content: 'a\n\nb', selection: 'whole', truncated: false },
      });
    }
    expect(contentOf(await show('app.log', { tail_lines: 2 }))).toBe('\nb');
  });

  test('a file that is only line feeds has its last lines', async () => {
    await chat.upload('empty-lines.txt', '\n\n\n');

    expect(contentOf(await show('empty-lines.txt', { tail_lines: 1 }))).toBe('\n');
    expect(contentOf(await show('empty-lines.txt', { tail_lines: 9 }))).toBe('\n\n\n');
  });

  test('an empty file is shown as empty', async () => {
    await chat.upload('empty.txt', '');

    for (const input of [{}, { head_lines: 1 }, { tail_lines: 1 }]) {
      expect(await show('empty.txt', input)).toMatchObject({
        data: { content: '', lines: 0, selection: 'whole', truncated: false },
      });
    }
  });

  test.each(['head_lines', 'tail_lines'] as const)('%s below one is refused', async (name) => {
    await chat.upload('a.txt', 'x');

    expect(await show('a.txt', { [name]: 0 })).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: `${name} is 0, but must be at least 1.`,
    });
  });

  test('whatever is shown fits into what the call may return', async () => {
    await enter({ outputLimit: 5_000 });
    await chat.upload('quotes.txt', '"\t\u0001'.repeat(10_000));
    await chat.upload('wide.log', `${'"'.repeat(20_000)}\nthe end`);

    const start = await show('quotes.txt', { max_chars: 30_000 });
    const head = await show('wide.log', { head_lines: 1 });
    const tail = await show('wide.log', { tail_lines: 2 });

    for (const result of [start, head, tail]) {
      expect(JSON.stringify(result).length).toBeLessThanOrEqual(5_000);
      expect(result).toMatchObject({ data: { truncated: true } });
    }
    expect(contentOf(tail).endsWith('\nthe end')).toBe(true);
  });

  test('head and tail of a file of gigabytes read only their ends', async () => {
    const { path } = await chat.upload('huge.log', 'first\n');
    const file = await open(path, 'r+');
    await file.truncate(3_000_000_000);
    await file.write('\nlast line\n', 3_000_000_000 - 11);
    await file.close();
    const started = process.cpuUsage();

    const head = await show('huge.log', { head_lines: 1 });
    const tail = await show('huge.log', { tail_lines: 1 });

    const { user, system } = process.cpuUsage(started);
    expect(contentOf(head)).toBe('first\n');
    expect(tail).toMatchObject({ data: { content: 'last line\n', lines: null } });
    expect(user + system).toBeLessThan(1_000_000);
  });

  test('a cancelled call ends', async () => {
    const controller = new AbortController();
    await enter({ signal: controller.signal });
    await chat.upload('a.txt', 'x');
    controller.abort();

    expect(await show('a.txt')).toMatchObject({ status: 'error', code: 'CANCELLED' });
  });
});

describe('view of encodings', () => {
  const UMLAUTS = 'Größe;Straße\n';
  const utf16 = (text: string) => Buffer.from(text, 'utf16le');

  test.each([
    ['UTF-8 with a mark', Buffer.from(`\ufeff${UMLAUTS}`), 'utf-8'],
    ['UTF-16 with a mark', utf16(`\ufeff${UMLAUTS}`), 'utf-16le'],
    ['UTF-16 of the other order', utf16(`\ufeff${UMLAUTS}`).swap16(), 'utf-16be'],
    ['UTF-16 without a mark', utf16(UMLAUTS), 'utf-16le'],
    ['UTF-8', Buffer.from(UMLAUTS), 'utf-8'],
  ])('%s is recognised', async (_name, bytes, encoding) => {
    await chat.upload('a.txt', bytes);

    for (const input of [{}, { head_lines: 1 }, { tail_lines: 1 }]) {
      const result = await show('a.txt', input);
      expect(result).toMatchObject({ data: { encoding, lines: 1, encoding_note: null } });
      expect(contentOf(result)).toBe(UMLAUTS);
    }
  });

  test('bytes that are no UTF-8 are taken for windows-1252, and the guess is told', async () => {
    await chat.upload('a.txt', Buffer.from(UMLAUTS, 'latin1'));

    for (const input of [{}, { tail_lines: 1 }]) {
      expect(await show('a.txt', input)).toMatchObject({
        data: {
          content: UMLAUTS,
          encoding: 'windows-1252',
          encoding_note: expect.stringContaining('guess') as string,
        },
      });
    }
  });

  test('a character across two blocks of the disk stays whole', async () => {
    const text = `${'x'.repeat(65_535)}ü${'y'.repeat(65_530)}€ end`;
    await chat.upload('a.txt', text);

    const head = await show('a.txt', { head_lines: 5 });
    const tail = await show('a.txt', { tail_lines: 5 });

    expect(head).toMatchObject({ data: { encoding: 'utf-8' } });
    expect(contentOf(head)).toBe(text.slice(0, contentOf(head).length));
    expect(contentOf(head).length).toBeGreaterThan(100_000);
    expect(contentOf(tail).endsWith('y€ end')).toBe(true);
  });

  test('binary data under the name of a text is refused', async () => {
    await chat.upload('a.txt', Buffer.from([0x89, 0x50, 0xff, 0x00, 0x1a, 0x0a, 0xfe]));

    expect(await show('a.txt')).toMatchObject({
      status: 'error',
      message: 'a.txt holds binary data, not text.',
    });
  });
});

describe('view of tables', () => {
  const CSV =
    'id,name,price,zip,active,since,note\r\n1,"Smith, ""J""",1.5,01234,true,2026-01-31,\r\n2,Ö,2,99999,no,2026-02-01,\r\n';

  test('headers, types and sample rows are shown', async () => {
    await chat.upload('data.csv', CSV);

    expect(await show('data.csv')).toMatchObject({
      data: {
        mode: 'table',
        delimiter: ',',
        columns: [
          { name: 'id', type: 'integer', empty: 0 },
          { name: 'name', type: 'text' },
          { name: 'price', type: 'decimal' },
          { name: 'zip', type: 'text' },
          { name: 'active', type: 'boolean' },
          { name: 'since', type: 'date' },
          { name: 'note', type: 'empty', empty: 2 },
        ],
        rows: [
          ['1', 'Smith, "J"', '1.5', '01234', 'true', '2026-01-31', ''],
          ['2', 'Ö', '2', '99999', 'no', '2026-02-01', ''],
        ],
        row_count: 2,
        lines: 3,
        notes: [],
        truncated: false,
      },
    });
  });

  test.each([
    {
      what: 'semicolons',
      file: 'a.csv',
      text: 'x;y\n1,5;2\n',
      delimiter: ';',
      type: 'decimal with comma',
    },
    {
      what: 'a declared delimiter',
      file: 'a.csv',
      text: 'sep=|\nx|y\n1|2\n',
      delimiter: '|',
      type: 'integer',
    },
    { what: 'tabs', file: 'a.tsv', text: 'x\ty\n1\t2,3\n', delimiter: '\t', type: 'integer' },
    {
      what: 'quoted delimiters',
      file: 'a.csv',
      text: '"x;;;",y\n"1;2;3;4",2\n',
      delimiter: ',',
      type: 'text',
    },
  ])('$what are recognised', async ({ file, text, delimiter, type }) => {
    await chat.upload(file, text);

    expect(await show(file)).toMatchObject({ data: { delimiter, columns: [{ type }, {}] } });
  });

  test('a table from Excel in windows-1252 is readable', async () => {
    await chat.upload('a.csv', Buffer.from('Größe;Maß\r\nklein;1\r\n', 'latin1'));

    expect(await show('a.csv')).toMatchObject({
      data: { encoding: 'windows-1252', columns: [{ name: 'Größe' }, { name: 'Maß' }] },
    });
  });

  test('csv_preview_rows says how many rows are shown', async () => {
    await chat.upload('a.csv', `n\n${lines(50)}`);

    const result = await show('a.csv', { csv_preview_rows: 3 });

    expect(result).toMatchObject({
      data: { rows: [['line 1'], ['line 2'], ['line 3']], row_count: 50, truncated: false },
    });
  });

  test.each([
    ['raw_text', { raw_text: true }],
    ['csv_preview false', { csv_preview: false }],
    ['head_lines', { head_lines: 1 }],
    ['tail_lines', { tail_lines: 2 }],
  ])('%s shows text in place of the preview', async (_name, input) => {
    await chat.upload('data.csv', CSV);

    expect(await show('data.csv', input)).toMatchObject({ data: { mode: 'text' } });
  });

  test('rows of uneven length are told, and an open quote is', async () => {
    await chat.upload('uneven.csv', 'a,b\n1\n1,2,3\n1,2\n');
    await chat.upload('open.csv', 'a,b\n1,2\n"never closed,3\n');

    expect(await show('uneven.csv')).toMatchObject({
      data: {
        rows: [
          ['1', ''],
          ['1', '2'],
          ['1', '2'],
        ],
        notes: ['2 rows have more or fewer cells than there are headers.'],
      },
    });
    expect(await show('open.csv')).toMatchObject({
      data: {
        rows: [['1', '2']],
        row_count: null,
        notes: [expect.stringContaining('not well formed after row 2')],
      },
    });
  });

  test('a table larger than the sample is previewed without a count of rows', async () => {
    await chat.upload('big.csv', `a,b\n${'1,"two\nlines"\n'.repeat(200_000)}`);

    const result = await show('big.csv', { csv_preview_rows: 1 });

    expect(result).toMatchObject({
      data: { row_count: null, rows: [['1', 'two\nlines']], notes: [], lines: 400_001 },
    });
  });

  test('a wide table with long cells fits into what the call may return', async () => {
    await enter({ outputLimit: 20_000 });
    const row = Array.from({ length: 500 }, () => '"'.repeat(2) + 'x'.repeat(1_000)).join(';');
    await chat.upload('wide.csv', `${row}\n${`${row}\n`.repeat(20)}`);

    const result = await show('wide.csv', { csv_preview_rows: 20 });

    expect(JSON.stringify(result).length).toBeLessThan(20_000);
    expect(result).toMatchObject({ data: { mode: 'table', truncated: true } });
  });
});

describe('view of other files', () => {
  test.each(['report.xlsx', 'letter.DOCX', 'paper.pdf'])(
    '%s is told by size, place and citation',
    async (filename) => {
      await chat.upload(filename, 'PK');

      expect(await show(filename)).toEqual({
        status: 'success',
        data: {
          mode: 'reference',
          filename,
          mime_type: 'application/octet-stream',
          bytes: 2,
          download_url: expect.any(String) as string,
          code_interpreter_path: `/mnt/data/${filename}`,
          citation: expect.stringMatching(/^\[.+\]\(\/generated-files\/.+\)$/) as string,
        },
      });
      expect(view.systemHints).toHaveProperty('reference');
    },
  );

  test('a file of another kind is refused with the kinds that are shown', async () => {
    await chat.upload('photo.png', 'x');

    expect(await show('photo.png')).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining('.txt, .md') as string,
    });
  });

  test('a file that is not there is answered with those that are', async () => {
    expect(await show('data.csv')).toMatchObject({
      code: 'NOT_FOUND',
      message: 'There is no file "data.csv": this chat has no files.',
    });
    await chat.upload('a.txt', 'x');
    await chat.upload('b.txt', 'x');
    expect(await show('../a.txt')).toMatchObject({
      code: 'NOT_FOUND',
      message: 'There is no file "../a.txt" in this chat. It has: a.txt, b.txt.',
    });
  });

  test('a generated file is found by its label, its path in Python and its address', async () => {
    const file = await chat.context.files.create({
      label: 'Call-output.json',
      mimeType: 'application/json',
      content: '{}',
    });

    for (const name of [
      file.label,
      'call-output.JSON',
      file.codeInterpreterPath,
      file.downloadUrl,
    ]) {
      expect(await show(name)).toMatchObject({ data: { filename: file.label, content: '{}' } });
    }
  });

  test('a file that is gone from the disk is not found', async () => {
    const { path } = await chat.upload('a.txt', 'x');
    await rm(path);

    expect(await show('a.txt')).toMatchObject({ code: 'NOT_FOUND' });
  });
});
