/** What remains of a page once its scripts, styles and excesses are gone; safe to build a tree of. */
export interface TrimmedHtml {
  readonly html: string;
  /** Contents of the page's JSON-LD scripts. */
  readonly jsonLd: readonly string[];
}

/** Trees deeper than this make what walks them slow or overflow; real pages stay far below. */
const MAX_DEPTH = 100;
const MAX_ELEMENTS = 60_000;
const MAX_TAG_CHARACTERS = 8_000;
const MAX_JSON_LD_SCRIPTS = 8;
const MAX_JSON_LD_CHARACTERS = 300_000;

const VOID = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
);
/** Dropped together with what they hold. */
const DROPPED = new Set(
  'script style noscript svg iframe object textarea select template canvas audio video noframes noembed'.split(
    ' ',
  ),
);
/** An opening tag of the key ends an open element of these names, as HTML allows to leave their ends out. */
const ENDED_BY: Readonly<Record<string, readonly string[]>> = {
  li: ['li', 'p'],
  dt: ['dt', 'dd', 'p'],
  dd: ['dt', 'dd', 'p'],
  p: ['p'],
  tr: ['tr', 'td', 'th', 'p'],
  td: ['td', 'th', 'p'],
  th: ['td', 'th', 'p'],
  thead: ['tr', 'td', 'th', 'tbody'],
  tbody: ['tr', 'td', 'th', 'thead', 'tbody'],
  option: ['option'],
};

/**
 * Reads HTML once, from front to back, in time that grows with its length alone, and writes what a
 * reader could want of it. Elements below `MAX_DEPTH` lose their tags but not their text.
 */
export function trimHtml(html: string): TrimmedHtml {
  const trimmer = new Trimmer(html);
  return trimmer.run();
}

class Trimmer {
  readonly #html: string;
  readonly #pieces: string[] = [];
  readonly #jsonLd: string[] = [];
  /** Names of the open elements; those whose tag is not written have a leading "-". */
  readonly #open: string[] = [];
  readonly #openCount = new Map<string, number>();
  /** What does not occur any further: it need not be searched for again. */
  readonly #exhausted = new Set<string>();
  #at = 0;
  #elements = 0;

  constructor(html: string) {
    this.#html = html;
  }

  run(): TrimmedHtml {
    const html = this.#html;
    while (this.#at < html.length) {
      const start = this.#find('<', this.#at);
      if (start < 0) {
        this.#pieces.push(html.slice(this.#at));
        break;
      }
      if (start > this.#at) this.#pieces.push(html.slice(this.#at, start));
      this.#at = this.#readMarkup(start);
    }
    return { html: this.#pieces.join(''), jsonLd: this.#jsonLd };
  }

  /** Handles what begins with "<" and tells where to go on. */
  #readMarkup(start: number): number {
    const html = this.#html;
    if (html.startsWith('<!--', start)) return this.#after('-->', start + 4, start);
    const next = html.charCodeAt(start + 1);
    if (next === 0x21 || next === 0x3f) return this.#after('>', start + 2, start);
    const isEnd = next === 0x2f;
    const nameStart = isEnd ? start + 2 : start + 1;
    const name = readName(html, nameStart);
    if (name === '') {
      this.#pieces.push('&lt;');
      return start + 1;
    }
    const end = this.#findTagEnd(nameStart + name.length);
    if (end < 0) return html.length;
    if (isEnd) this.#close(name);
    else return this.#openElement(name, html.slice(start, end), end);
    return end;
  }

  #openElement(name: string, tag: string, end: number): number {
    if (DROPPED.has(name) && !/\sshadowrootmode\s*=/i.test(tag)) return this.#drop(name, tag, end);
    this.#elements += 1;
    const ended = ENDED_BY[name] ?? [];
    while (ended.includes(nameOfOpen(this.#open.at(-1)))) this.#pop();
    const isWritten = this.#elements <= MAX_ELEMENTS && this.#open.length < MAX_DEPTH;
    if (isWritten) {
      this.#pieces.push(tag.length > MAX_TAG_CHARACTERS ? `<${name}>` : tag);
    } else {
      this.#pieces.push(' ');
    }
    if (!VOID.has(name)) {
      this.#open.push(isWritten ? name : `-${name}`);
      this.#openCount.set(name, (this.#openCount.get(name) ?? 0) + 1);
    }
    return end;
  }

  #close(name: string): void {
    if ((this.#openCount.get(name) ?? 0) === 0) return;
    while (this.#open.length > 0) {
      if (this.#pop() === name) return;
    }
  }

  #pop(): string {
    const top = this.#open.pop() ?? '';
    const name = nameOfOpen(top);
    this.#openCount.set(name, (this.#openCount.get(name) ?? 1) - 1);
    this.#pieces.push(name === top ? `</${name}>` : ' ');
    return name;
  }

  /** Leaves out an element with all that is in it, and keeps the few contents that mean something. */
  #drop(name: string, tag: string, end: number): number {
    const close = this.#find(`</${name}`, end);
    if (close < 0) return end;
    const content = this.#html.slice(end, close);
    if (name === 'script' && /type\s*=\s*["']?application\/ld\+json/i.test(tag)) {
      const isKept =
        this.#jsonLd.length < MAX_JSON_LD_SCRIPTS && content.length <= MAX_JSON_LD_CHARACTERS;
      if (isKept) this.#jsonLd.push(content);
    } else if (name === 'script' && /type\s*=\s*["']?math\/tex/i.test(tag)) {
      this.#pieces.push(`<code>${content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</code>`);
    }
    return this.#after('>', close, close);
  }

  /** Where the tag whose attributes begin at `from` ends; a ">" within quotes does not count. */
  #findTagEnd(from: number): number {
    const html = this.#html;
    let at = from;
    while (at < html.length) {
      const code = html.charCodeAt(at);
      if (code === 0x3e) return at + 1;
      const isQuote = code === 0x22 || code === 0x27;
      if (isQuote && /=\s*$/.test(html.slice(Math.max(from, at - 3), at))) {
        const close = this.#find(html.charAt(at), at + 1);
        // A quote that is never closed is none; otherwise it would swallow the page.
        at = close < 0 ? at + 1 : close + 1;
      } else {
        at += 1;
      }
    }
    return -1;
  }

  /** The place after `mark`; without one the markup that began at `start` ends with its first ">". */
  #after(mark: string, from: number, start: number): number {
    const found = this.#find(mark, from);
    if (found >= 0) return found + mark.length;
    const end = this.#find('>', start);
    return end < 0 ? this.#html.length : end + 1;
  }

  #find(mark: string, from: number): number {
    if (this.#exhausted.has(mark)) return -1;
    const found = mark.startsWith('</') ? this.#findIgnoringCase(mark, from) : -2;
    const at = found === -2 ? this.#html.indexOf(mark, from) : found;
    if (at < 0) this.#exhausted.add(mark);
    return at;
  }

  #findIgnoringCase(mark: string, from: number): number {
    const pattern = new RegExp(mark, 'gi');
    pattern.lastIndex = from;
    return pattern.exec(this.#html)?.index ?? -1;
  }
}

const nameOfOpen = (entry = ''): string => (entry.startsWith('-') ? entry.slice(1) : entry);

function readName(html: string, from: number): string {
  let at = from;
  while (at < html.length && at - from < 40 && isNameCharacter(html.charCodeAt(at), at > from)) {
    at += 1;
  }
  return html.slice(from, at).toLowerCase();
}

const isNameCharacter = (code: number, isLater: boolean): boolean =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  (isLater && ((code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x3a));
