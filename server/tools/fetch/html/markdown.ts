import TurndownService from 'turndown';
import { strikethrough } from '@joplin/turndown-plugin-gfm';
import type { HtmlDocument, HtmlElement } from './dom.ts';

/** Marks that stand for the borders of a table until all of it is known; no page has them. */
const CELL = '\ue000';
const ROW = '\ue001';
const CAPTION = '\ue002';
const MARKS = /[\ue000-\ue003]/g;
const SPAN_END = '\ue003';
const MAX_SPAN = 30;

/** Markdown (GFM) of an element: headings, lists, tables, links, code, quotes. */
export function toMarkdown(document: HtmlDocument, element: HtmlElement): string {
  // What is handed over is taken for a mere container, so the element itself needs one.
  const container = document.createElement('div');
  container.append(element);
  return createService()
    .turndown(container)
    .replace(MARKS, ' ')
    .replace(/[\u200b\u00ad\ufeff]/g, '')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function createService(): TurndownService {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    hr: '---',
    br: '',
  });
  service.use(strikethrough);
  // Only what Markdown would take for its own is escaped: a model reads "snake_case" as it stands.
  service.escape = (text) =>
    text.replace(/([\\`*])/g, '\\$1').replace(/^(\s*)([-+>#]|\d+\.)(?=\s)/gm, '$1\\$2');
  addTableRules(service);
  addBlockRules(service);
  return service;
}

function addTableRules(service: TurndownService): void {
  service.addRule('cell', {
    filter: ['td', 'th'],
    replacement: (content, node: HtmlElement) => {
      const columns = spanOf(node, 'colspan');
      return `${CELL}${spanOf(node, 'rowspan')}${SPAN_END}${flatten(content)}${`${CELL}1${SPAN_END}`.repeat(columns - 1)}`;
    },
  });
  service.addRule('row', { filter: 'tr', replacement: (content) => `${ROW}${content}` });
  service.addRule('tablePart', {
    filter: ['thead', 'tbody', 'tfoot', 'colgroup', 'col'],
    replacement: (content) => content,
  });
  service.addRule('caption', {
    filter: 'caption',
    replacement: (content) => `${CAPTION}${flatten(content)}${CAPTION}`,
  });
  service.addRule('table', {
    filter: 'table',
    replacement: (content) => `\n\n${formatTable(content)}\n\n`,
  });
}

function addBlockRules(service: TurndownService): void {
  const numbers = new Map<HtmlElement, number>();
  service.addRule('item', {
    filter: 'li',
    replacement(content, node: HtmlElement) {
      const text = content
        .trim()
        .replace(/\n/g, '\n  ')
        .replace(/\n {2}\n/g, '\n\n');
      return `${markerOf(node, numbers)} ${text}\n`;
    },
  });
  service.addRule('term', {
    filter: 'dt',
    replacement: (content) => (content.trim() === '' ? '' : `\n\n**${flatten(content)}**\n`),
  });
  service.addRule('description', {
    filter: 'dd',
    replacement: (content) => `\n${content.trim()}\n`,
  });
  service.addRule('highlighted', {
    filter: ['mark', 'u', 'ins'],
    replacement: (content) => content,
  });
}

/** Items come in order, so counting them is enough. */
function markerOf(item: HtmlElement, numbers: Map<HtmlElement, number>): string {
  const list = item.parentElement;
  if (list?.localName !== 'ol') return '-';
  const first = Number.parseInt(list.getAttribute('start') ?? '1', 10);
  const number = numbers.get(list) ?? (Number.isNaN(first) ? 1 : first);
  numbers.set(list, number + 1);
  return `${number}.`;
}

const spanOf = (cell: HtmlElement, name: string): number =>
  Math.min(MAX_SPAN, Math.max(1, Number.parseInt(cell.getAttribute(name) ?? '1', 10) || 1));

/** A cell, caption or term is one line. */
const flatten = (content: string): string =>
  content
    .replace(/```\w*\n?/g, '`')
    .replace(/\s*\n\s*/g, ' ')
    .trim();

interface Cell {
  readonly rows: number;
  readonly text: string;
}

function formatTable(content: string): string {
  const [beforeRows = '', ...rest] = markRows(content).split(ROW);
  const caption = beforeRows.replaceAll(CAPTION, '').trim();
  const grid = fillSpans(rest.map(parseRow)).filter((row) => row.some((text) => text !== ''));
  const width = Math.max(0, ...grid.map((row) => row.length));
  const heading = caption === '' ? '' : `**${caption}**\n\n`;
  if (width === 0) return heading;
  // One column is a list of paragraphs, whatever it was drawn with.
  if (width === 1) return heading + grid.map(([text]) => text).join('\n\n');
  const lines = grid.map((row) => {
    const cells = Array.from({ length: width }, (_, at) => (row[at] ?? '').replace(/\|/g, '\\|'));
    return `| ${cells.join(' | ')} |`;
  });
  lines.splice(1, 0, `|${' --- |'.repeat(width)}`);
  return heading + lines.join('\n');
}

/** Cells that stand in no row are one. */
const markRows = (content: string): string =>
  content.includes(ROW) ? content : content.replace(CELL, `${ROW}${CELL}`);

function parseRow(row: string): readonly Cell[] {
  const [outside = '', ...cells] = row.replaceAll(CAPTION, ' ').split(CELL);
  const parsed = cells.map((cell) => {
    const [rows = '1', text = ''] = cell.split(SPAN_END);
    return { rows: Number(rows), text };
  });
  const text = flatten(outside);
  return text === '' ? parsed : [{ rows: 1, text }, ...parsed];
}

/** Rows of texts; a cell that reaches over several rows fills its first place alone, but keeps the others free. */
function fillSpans(rows: readonly (readonly Cell[])[]): readonly (readonly string[])[] {
  const taken: number[] = [];
  return rows.map((row) => {
    const texts: string[] = [];
    for (const cell of row) {
      while ((taken[texts.length] ?? 0) > 0) {
        taken[texts.length]! -= 1;
        texts.push('');
      }
      taken[texts.length] = cell.rows - 1;
      texts.push(cell.text);
    }
    return texts;
  });
}
