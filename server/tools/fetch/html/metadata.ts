import type { HtmlDocument } from './dom.ts';

export interface PageMetadata {
  readonly title: string;
  readonly author: string | null;
}

const MAX_CHARACTERS = 300;
const ARTICLE_TYPE =
  /article|posting|report|recipe|product|page|question|book|review|course|event/i;

/** Title and author as the page declares them, the more deliberate declaration first. */
export function readMetadata(document: HtmlDocument, jsonLd: readonly string[]): PageMetadata {
  const records = jsonLd.flatMap(parseRecords);
  const meta = (...names: string[]): string | null => {
    for (const name of names) {
      const element = document.querySelector(`meta[property="${name}"],meta[name="${name}"]`);
      const value = clean(element?.getAttribute('content'));
      if (value !== null) return value;
    }
    return null;
  };
  const heading = onlyHeading(document);
  const shown = clean(document.querySelector('title')?.textContent);
  const title =
    meta('og:title', 'twitter:title', 'citation_title', 'dc.title', 'DC.title') ??
    firstText(records, 'headline') ??
    withoutSiteName(shown, heading) ??
    heading ??
    '';
  const author =
    namesOfAuthors(records) ??
    meta(
      'author',
      'citation_author',
      'article:author',
      'dc.creator',
      'DC.creator',
      'parsely-author',
    ) ??
    clean(
      document.querySelector('[rel="author"],[itemprop="author"],.byline .author')?.textContent,
    );
  return { title, author: author === null || /^https?:/.test(author) ? null : author };
}

function onlyHeading(document: HtmlDocument): string | null {
  const headings = document.querySelectorAll('h1');
  return headings.length === 1 ? clean(headings[0]?.textContent) : null;
}

/** "Headline | Site" is the headline when the page's heading says so. */
function withoutSiteName(shown: string | null, heading: string | null): string | null {
  if (shown === null || heading === null || heading.length < 4) return shown;
  return shown.toLowerCase().includes(heading.toLowerCase()) ? heading : shown;
}

function clean(text: string | null | undefined): string | null {
  const value = (text ?? '').replace(/\s+/g, ' ').trim();
  if (value === '') return null;
  return value.length <= MAX_CHARACTERS ? value : `${value.slice(0, MAX_CHARACTERS - 1)}…`;
}

type JsonRecord = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The things that a JSON-LD script describes, one level of `@graph` included; none if it is broken. */
function parseRecords(text: string): readonly JsonRecord[] {
  try {
    const parsed = JSON.parse(text.replace(/^\s*<!\[CDATA\[|\]\]>\s*$/g, '')) as unknown;
    const listed = Array.isArray(parsed) ? (parsed as unknown[]) : [parsed];
    return listed
      .flatMap((item) => {
        const graph = isRecord(item) ? item['@graph'] : undefined;
        return Array.isArray(graph) ? (graph as unknown[]) : [item];
      })
      .filter(isRecord)
      .filter((record) => ARTICLE_TYPE.test(JSON.stringify(record['@type'] ?? '')));
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

const firstText = (records: readonly JsonRecord[], name: string): string | null =>
  records
    .map((record) => record[name])
    .map((value) => (typeof value === 'string' ? clean(value) : null))
    .find((value) => value !== null) ?? null;

function namesOfAuthors(records: readonly JsonRecord[]): string | null {
  for (const { author } of records) {
    const names = (Array.isArray(author) ? (author as unknown[]) : [author])
      .map((person) => (isRecord(person) ? person['name'] : person))
      .filter((name) => typeof name === 'string');
    if (names.length > 0) return clean(names.slice(0, 10).join(', '));
  }
  return null;
}
