import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { type HtmlDocument, type HtmlElement, linkDensity, textLength } from './dom.ts';

/** A child that holds this share of its parent's text holds its content. */
const DOMINANT_SHARE = 0.75;
/** What Readability finds counts when it is at least this share of what the page has. */
const ARTICLE_SHARE = 0.7;
/** Below this Readability guesses. */
const MIN_ARTICLE_CHARACTERS = 250;
/** A page of which more than this is links is an index: its links are its content. */
const INDEX_DENSITY = 0.6;

/** Readability makes second headings of the first ones; this is how they are found again. */
const TOP_HEADING = 'data-top-heading';

/** The part of a cleaned page that is read. */
export function chooseContent(document: HtmlDocument): HtmlElement {
  const found = findContainer(document);
  // A part of a table is none without the rest of it.
  const container = found.closest('table') ?? found;
  if (linkDensity(container) < INDEX_DENSITY) pruneLinkBlocks(container);
  const article = findArticle(document, container);
  return article ?? container;
}

function findContainer(document: HtmlDocument): HtmlElement {
  const whole = textLength(document.body);
  for (const selector of ['main,[role="main"]', 'article', '[itemprop="articleBody"]']) {
    const found = document.querySelectorAll(selector);
    const [only] = found;
    if (found.length === 1 && only !== undefined && textLength(only) >= whole * 0.4) {
      return descend(only);
    }
  }
  return descend(document.body);
}

/** Goes down to the smallest element that holds nearly all that its ancestors hold. */
function descend(from: HtmlElement): HtmlElement {
  let current = from;
  for (;;) {
    const whole = textLength(current);
    const next = current.children.find(
      (child) => textLength(child) >= whole * DOMINANT_SHARE && isContainer(child),
    );
    if (next === undefined || leavesHeadingBehind(current, next)) return current;
    current = next;
  }
}

const isContainer = (element: HtmlElement): boolean =>
  /^(div|main|article|section|body|center|form|td|table|tbody|tr|font|span|[a-z]+-[a-z-]+)$/.test(
    element.localName,
  );

/** The headline of a page often stands beside what it heads. */
const leavesHeadingBehind = (parent: HtmlElement, next: HtmlElement): boolean =>
  parent.children.some(
    (child) => child !== next && (child.matches('h1,h2') || child.querySelector('h1') !== null),
  );

const BLOCKS = 'ul,ol,div,section,table,p';

/** Removes blocks that are links and little else: menus without a name, teasers, tags. */
function pruneLinkBlocks(container: HtmlElement): void {
  for (const block of container.querySelectorAll(BLOCKS)) {
    if (!container.contains(block)) continue;
    const links = block.querySelectorAll('a').length;
    if (links < 3 || block.querySelector('pre,h1,p') !== null) continue;
    const length = textLength(block);
    if (linkDensity(block) > 0.8 && length / links < 60) block.remove();
  }
}

/** The article that Readability finds, when that is most of the content; it works on a copy. */
function findArticle(document: HtmlDocument, container: HtmlElement): HtmlElement | null {
  const whole = textLength(container);
  if (whole < MIN_ARTICLE_CHARACTERS) return null;
  for (const heading of document.querySelectorAll('h1')) heading.setAttribute(TOP_HEADING, '');
  const copy = parseHTML(
    `<!doctype html><html><head></head><body>${document.body.innerHTML}</body></html>`,
  ).document as unknown as HtmlDocument;
  const found = new Readability(copy as never, {
    charThreshold: MIN_ARTICLE_CHARACTERS,
    keepClasses: true,
    disableJSONLD: true,
  }).parse();
  if (typeof found?.content !== 'string') return null;
  const article = document.createElement('article');
  article.innerHTML = found.content;
  for (const heading of article.querySelectorAll(`h2[${TOP_HEADING}]`)) {
    const top = document.createElement('h1');
    top.append(...heading.childNodes);
    heading.replaceWith(top);
  }
  return textLength(article) >= whole * ARTICLE_SHARE ? article : null;
}
