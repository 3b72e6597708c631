export interface WikiArticle {
  readonly title: string;
  readonly url: string;
  readonly text: string;
}

/** The pages or entities of an answer of wiki_lookup; null for data of another form. */
export function readArticle(data: unknown): readonly WikiArticle[] | null {
  if (typeof data !== 'object' || data === null) return null;
  const { pages, entities } = data as Record<string, unknown>;
  const list = Array.isArray(pages) ? pages : Array.isArray(entities) ? entities : null;
  return list?.flatMap((item) => toArticle(item)) ?? null;
}

function toArticle(item: unknown): WikiArticle[] {
  if (typeof item !== 'object' || item === null) return [];
  const { title, label, url, wikipedia_url, extract, summary, description } = item as Record<
    string,
    unknown
  >;
  const name = title ?? label;
  const address = url ?? wikipedia_url;
  if (typeof name !== 'string' || typeof address !== 'string') return [];
  const text = [extract, summary, description].find((value) => typeof value === 'string');
  return [{ title: name, url: address, text: String(text ?? '') }];
}
