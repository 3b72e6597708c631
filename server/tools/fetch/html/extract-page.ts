import { parseHTML } from 'linkedom';
import { chooseContent } from './choose-content.ts';
import { cleanPage } from './clean-page.ts';
import type { HtmlDocument } from './dom.ts';
import { toMarkdown } from './markdown.ts';
import { readMetadata } from './metadata.ts';
import { tidyContent } from './tidy-content.ts';
import { trimHtml } from './trim-html.ts';

export interface ExtractedPage {
  /** Empty when the page names none. */
  readonly title: string;
  readonly author: string | null;
  /** Markdown; empty when the page has no readable text. */
  readonly text: string;
  /** Whether so little text was found on so large a page that a script may write the rest. */
  readonly isThin: boolean;
}

const THIN_CHARACTERS = 250;
const LARGE_PAGE_CHARACTERS = 20_000;
const ASKS_FOR_SCRIPT = /(enable|activate|requires?|turn on|aktivieren)[^.]{0,40}javascript/i;

/**
 * The readable text of an HTML page as Markdown.
 *
 * @param url - what relative links are relative to.
 */
export function extractPage(html: string, url: string): ExtractedPage {
  const trimmed = trimHtml(html);
  const document = parseDocument(trimmed.html);
  const metadata = readMetadata(document, trimmed.jsonLd);
  tidyContent(document, url);
  cleanPage(document);
  const content = chooseContent(document);
  const hasHeading = content.querySelector('h1') !== null;
  const markdown = toMarkdown(document, content);
  const text = hasHeading ? markdown : withHeading(markdown, metadata.title);
  return { ...metadata, text, isThin: isThin(text, html) };
}

/** A fragment becomes a page: whoever reads it further relies on head and body. */
function parseDocument(html: string): HtmlDocument {
  const hasBody = /<body[\s>]/i.test(html) || /<frameset[\s>]/i.test(html);
  const whole = hasBody ? html : `<html><body>${html}</body></html>`;
  const { document } = parseHTML(whole) as unknown as { document: HtmlDocument };
  return document;
}

/** The headline again, when it was left outside of what was chosen. */
function withHeading(text: string, title: string): string {
  if (text === '' || title === '') return text;
  const isThere = text.slice(0, 2_000).toLowerCase().includes(title.toLowerCase());
  return isThere ? text : `# ${title}\n\n${text}`;
}

const isThin = (text: string, html: string): boolean =>
  text.length < THIN_CHARACTERS &&
  (html.length > LARGE_PAGE_CHARACTERS || ASKS_FOR_SCRIPT.test(text) || text === '');
