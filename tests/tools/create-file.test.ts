import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'csv-parse/sync';
import { createFile } from '../../server/tools/create-file.ts';
import type { ToolResult } from '../../server/tools/kit/tool-result.ts';
import { view } from '../../server/tools/view.ts';
import { createToolContext, type TestToolContext } from '../support/tool-context.ts';

let chat: TestToolContext;
beforeEach(async () => {
  chat = await createToolContext();
});
afterEach(() => chat.close());

type Input = Parameters<typeof createFile.execute>[0];
const create = async (input: Input): Promise<ToolResult> => createFile.execute(input, chat.context);
const stored = async (label: string): Promise<string> =>
  readFile((await chat.context.files.locate(label))?.path ?? '', 'utf8');

describe('create_file', () => {
  test('a text becomes a file with address and path', async () => {
    expect(await create({ filename: 'report.md', content: '# Größe' })).toEqual({
      status: 'success',
      data: {
        action: 'created',
        filename: 'report.md',
        mime_type: 'text/markdown',
        bytes: 9,
        download_url: expect.stringMatching(/^\/generated-files\/.+\/report\.md$/) as string,
        code_interpreter_path: '/mnt/data/generated/report.md',
      },
    });
    expect(await stored('report.md')).toBe('# Größe');
  });

  test('a table is quoted so that every cell comes back as it was', async () => {
    const headers = ['name', 'note, with comma', '=1+1'];
    const rows = [['Smith, "J"', 'two\nlines', '=cmd()'], [' padded ', '', 'Ö'], ['short']];

    await create({ filename: 'data.csv', csv_headers: headers, csv_rows: rows });

    const text = await stored('data.csv');
    expect(text.startsWith('\ufeff')).toBe(true);
    expect(text.replaceAll('two\nlines', '')).not.toMatch(/[^\r]\n/);
    expect(parse(text, { bom: true })).toEqual([headers, rows[0], rows[1], ['short', '', '']]);
  });

  test('a table of one column keeps its empty cells', async () => {
    await create({ filename: 'a.csv', csv_headers: ['x'], csv_rows: [[''], ['1']] });

    expect(parse(await stored('a.csv'), { bom: true, skip_empty_lines: true })).toEqual([
      ['x'],
      [''],
      ['1'],
    ]);
  });

  test('headers alone make a table', async () => {
    await create({ filename: 'a.csv', csv_headers: ['x', 'y'] });

    expect(await stored('a.csv')).toBe('\ufeffx,y\r\n');
  });

  test('written CSV gets a mark when spreadsheet programs need one', async () => {
    await create({ filename: 'plain.csv', content: 'a,b\n' });
    await create({ filename: 'umlauts.csv', content: 'Größe\n' });

    expect(await stored('plain.csv')).toBe('a,b\n');
    expect(await stored('umlauts.csv')).toBe('\ufeffGröße\n');
  });

  test('the name of a file that exists is numbered', async () => {
    await create({ filename: 'a.txt', content: '1' });

    expect(await create({ filename: 'a.txt', content: '2' })).toMatchObject({
      data: { filename: 'a (2).txt' },
    });
  });

  test('what was created can be viewed', async () => {
    await create({ filename: 'a.csv', csv_headers: ['x'], csv_rows: [['1']] });

    const input = { filename: 'a.csv', max_chars: 100, csv_preview_rows: 1, raw_text: false };
    expect(await view.execute(input, chat.context)).toMatchObject({
      data: { columns: [{ name: 'x', type: 'integer' }], rows: [['1']] },
    });
  });

  test('empty fields beside a table count as absent', async () => {
    const table = { filename: 'a.csv', csv_headers: ['x'], csv_rows: [] };

    expect(await create({ ...table, content: '' })).toMatchObject({ status: 'success' });
    expect(
      await create({ filename: 'a.txt', content: 'x', csv_headers: [], csv_rows: [] }),
    ).toMatchObject({ status: 'success' });
  });

  test('half of a surrogate pair does not break the file', async () => {
    await create({ filename: 'a.txt', content: 'x\ud83d' });

    expect(await stored('a.txt')).toBe('x\ufffd');
  });

  test.each([
    ['../a.txt', 'without folders'],
    ['a/b.txt', 'without folders'],
    ['a\\b.txt', 'without folders'],
    ['..', 'without folders'],
    ['a\u0000.txt', 'control characters'],
    [`${'x'.repeat(250)}.txt`, 'at most 200'],
    ['a.exe', 'must end in one of .txt'],
    ['noextension', 'must end in one of .txt'],
    ['.md', 'must end in one of .txt'],
    ['book.xlsx', 'code_interpreter'],
  ])('the name %j is refused', async (filename, message) => {
    expect(await create({ filename, content: 'x' })).toMatchObject({
      status: 'error',
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining(message) as string,
    });
  });

  test.each([
    [{ filename: 'a.txt' }, 'Nothing to write'],
    [{ filename: 'a.csv', content: 'x', csv_headers: ['y'] }, 'one or the other'],
    [{ filename: 'a.csv', csv_rows: [['1']] }, 'without csv_headers'],
    [{ filename: 'a.tsv', csv_headers: ['x'] }, 'make a .csv file'],
    [{ filename: 'a.csv', csv_headers: ['x'], csv_rows: [['1'], ['1', '2']] }, 'Row 2'],
    [{ filename: 'too-large.txt', content: 'x' }, 'The file is too large.'],
  ])('%j is refused', async (input, message) => {
    expect(await create(input)).toMatchObject({
      status: 'error',
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining(message) as string,
    });
  });

  test('content is limited, a table is not', async () => {
    const long = 'x'.repeat(500_001);

    expect(await create({ filename: 'a.txt', content: long })).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining('500001 characters') as string,
    });
    expect(await create({ filename: 'b.txt', content: long.slice(1) })).toMatchObject({
      status: 'success',
    });
    expect(await create({ filename: 'c.csv', csv_headers: [long] })).toMatchObject({
      status: 'success',
    });
  });
});
