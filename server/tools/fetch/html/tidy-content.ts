import { type HtmlDocument, type HtmlElement, TEXT_NODE, textLength, unwrap } from './dom.ts';

/** Makes what pages do with code, formulas, links and pictures plain, before it becomes Markdown. */
export function tidyContent(document: HtmlDocument, baseUrl: string): void {
  for (const number of document.querySelectorAll(LINE_NUMBERS)) number.remove();
  for (const code of document.querySelectorAll('pre')) tidyCode(document, code);
  for (const table of document.querySelectorAll('table')) tidyTable(document, table);
  for (const box of document.querySelectorAll('li input[type="checkbox"]')) {
    box.replaceWith(box.hasAttribute('checked') ? '[x] ' : '[ ] ');
  }
  for (const formula of document.querySelectorAll('math,.katex,mjx-container')) {
    tidyFormula(document, formula);
  }
  const base = document.querySelector('base[href]')?.getAttribute('href') ?? '';
  const from = URL.parse(base, baseUrl)?.href ?? baseUrl;
  for (const link of document.querySelectorAll('a')) tidyLink(link, from);
  for (const image of document.querySelectorAll('img')) tidyImage(image, from);
}

const LINE_NUMBERS =
  '.linenos,.lineno,.linenumber,.line-number,.line-numbers-rows,.blob-num,td.gutter,.hljs-ln-numbers';
const LANGUAGE = /(?:^|\s)(?:lang(?:uage)?-|highlight-source-|highlight-|brush:\s*)([\w+#.-]+)/;

/** Code in one piece, with its line breaks and language, and without what numbers its lines. */
function tidyCode(document: HtmlDocument, pre: HtmlElement): void {
  const language = findLanguage(pre);
  for (const line of pre.querySelectorAll('br')) line.replaceWith('\n');
  const lines = pre.querySelectorAll('.line,.code-line,.view-line,div,li,tr');
  for (const line of lines) {
    const next = line.nextSibling;
    const isBroken =
      next !== null && next.nodeType === TEXT_NODE && /^\s*\n/.test(next.textContent);
    if (!isBroken && !line.textContent.endsWith('\n')) line.append('\n');
  }
  const text = pre.textContent.replace(/\r\n?/g, '\n').replace(/^\n+|\s+$/g, '');
  const plain = document.createElement('pre');
  const code = document.createElement('code');
  if (language !== null) code.setAttribute('class', `language-${language}`);
  code.textContent = text;
  plain.append(code);
  const table = pre.closest(
    'table.highlighttable,table.rouge-table,.highlight table,figure.highlight table',
  );
  (table ?? pre).replaceWith(plain);
}

function findLanguage(pre: HtmlElement): string | null {
  const around = [
    pre.querySelector('code'),
    pre,
    pre.parentElement,
    pre.parentElement?.parentElement,
  ];
  for (const element of around) {
    if (element === null || element === undefined) continue;
    const told = element.getAttribute('data-lang') ?? element.getAttribute('data-language');
    if (told !== null && /^[\w+#.-]{1,20}$/.test(told)) return told;
    const found = LANGUAGE.exec(element.getAttribute('class') ?? '')?.[1];
    if (found !== undefined && !/^(default|none|text|plain\w*)$/.test(found)) return found;
  }
  return null;
}

/** Characters in a cell from which on it holds a part of the page rather than a value. */
const CELL_OF_PAGE = 600;

/** A table that only places things side by side becomes the boxes that it stands for. */
function tidyTable(document: HtmlDocument, table: HtmlElement): void {
  if (!isLayout(table)) return;
  for (const part of [...table.querySelectorAll('tbody,tr,td,th'), table]) {
    if (part.closest('table') !== table) continue;
    const box = document.createElement('div');
    for (const name of ['class', 'id', 'role']) {
      const value = part.getAttribute(name);
      if (value !== null && value !== 'presentation' && value !== 'none') {
        box.setAttribute(name, value);
      }
    }
    box.append(...part.childNodes);
    part.replaceWith(box);
  }
}

function isLayout(table: HtmlElement): boolean {
  const role = table.getAttribute('role');
  if (role === 'presentation' || role === 'none') return true;
  if (table.querySelector('table,h1,article,main') !== null) return true;
  if (table.querySelector('th,caption') !== null) return false;
  return table
    .querySelectorAll('td')
    .some(
      (cell) =>
        cell.querySelector('p,div,h2,h3,ul,pre,br') !== null && textLength(cell) > CELL_OF_PAGE,
    );
}

/** A formula as the TeX that it was made of, where the page still has it. */
function tidyFormula(document: HtmlDocument, formula: HtmlElement): void {
  const tex =
    formula.querySelector('annotation[encoding="application/x-tex"]')?.textContent ??
    formula.getAttribute('alttext');
  if (tex === null || tex.trim() === '') return;
  const code = document.createElement('code');
  code.textContent = tex.trim();
  formula.replaceWith(code);
}

function tidyLink(link: HtmlElement, base: string): void {
  const text = link.textContent.trim();
  const href = link.getAttribute('href') ?? '';
  const hasPicture = link.querySelector('img') !== null;
  // The signs that lead from a heading to itself.
  if (/^[#¶§🔗]?$/u.test(text) && !hasPicture) return link.remove();
  const target = href === '' || href.startsWith('#') ? null : URL.parse(href, base);
  if (target === null || !/^(https?|mailto):$/.test(target.protocol)) return unwrap(link);
  link.setAttribute('href', target.href);
  link.removeAttribute('title');
}

function tidyImage(image: HtmlElement, base: string): void {
  const source = [image.getAttribute('data-src'), image.getAttribute('src')].find(
    (candidate) => candidate !== null && candidate !== '' && !candidate.startsWith('data:'),
  );
  const target = source === undefined || source === null ? null : URL.parse(source, base);
  const alternative = (image.getAttribute('alt') ?? '').replace(/\s+/g, ' ').trim();
  if (target === null || !/^https?:$/.test(target.protocol) || alternative.length < 3) {
    return image.remove();
  }
  image.setAttribute('src', target.href);
  image.setAttribute('alt', alternative);
  image.removeAttribute('title');
}
