import { tick } from 'svelte';
import { lex, type Token } from './lex.ts';

export interface Block {
  readonly id: number;
  readonly token: Token;
  /** More may come to it. */
  readonly isOpen: boolean;
}

const isShown = ({ type }: Token): boolean => type !== 'space' && type !== 'def';
const REFERENCE_LINK = /^ {0,3}\[[^\]\n]+\]:/m;
/** Milliseconds of one frame at 60 Hz. */
const FRAME_MS = 16;

type Nested = Token & {
  loose?: boolean;
  items?: Nested[];
  tokens?: Nested[];
  rows?: { readonly text: string }[][];
};

/** Parts of the open block that did not change keep their object, so that they are not drawn again. */
function share(before: Nested | undefined, now: Nested): Nested {
  if (before === undefined || before.type !== now.type) return now;
  if (before.raw === now.raw && before.loose === now.loose) return before;
  for (const key of ['items', 'tokens'] as const) {
    const [old, fresh] = [before[key], now[key]];
    if (old && fresh) now[key] = fresh.map((token, index) => share(old[index], token));
  }
  if (before.rows && now.rows) {
    const { rows } = before;
    now.rows = now.rows.map((row, index) => {
      const old = rows[index];
      return old?.every((cell, column) => cell.text === row[column]?.text) ? old : row;
    });
  }
  return now;
}

const toBlocks = (text: string): Block[] =>
  lex(text)
    .filter(isShown)
    .map((token, id) => ({ id, token, isOpen: false }));

/**
 * Markdown that is still being written. Blocks that are complete are read once and never touched
 * again; only the open end is read anew, once per frame at most. A block keeps its id when it closes.
 */
export class MarkdownStream {
  blocks = $state.raw<readonly Block[]>([]);
  #closed: Block[] = [];
  #open = '';
  #text = '';
  #last: Nested | undefined;
  #frame = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #costMs = 0;

  /** A text that is complete. */
  static of(text: string): MarkdownStream {
    const stream = new MarkdownStream();
    stream.#text = text;
    stream.blocks = toBlocks(text);
    return stream;
  }

  get text(): string {
    return this.#text;
  }

  append(text: string): void {
    this.#text += text;
    this.#open += text;
    if (this.#frame !== 0 || this.#timer !== undefined) return;
    // At most a quarter of the thread: what takes long is drawn less often.
    const waitMs = this.#costMs * 3 - FRAME_MS;
    if (waitMs > 0) this.#timer = setTimeout(() => this.#paint(), waitMs);
    else this.#paint();
  }

  /** Nothing follows. Links by reference need the whole text, so only now is it all read once more. */
  end(): void {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
    this.#frame = 0;
    this.#timer = undefined;
    this.#flush();
    this.blocks = REFERENCE_LINK.test(this.#text)
      ? toBlocks(this.#text)
      : this.blocks.map((block) => (block.isOpen ? { ...block, isOpen: false } : block));
    this.#open = '';
    this.#closed = [];
  }

  #paint(): void {
    this.#timer = undefined;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#flush();
    });
  }

  #flush(): void {
    const startedAt = performance.now();
    const tokens = lex(this.#open);
    let last = tokens.length - 1;
    while (last > 0 && tokens[last]!.type === 'space') last -= 1;
    const closing = tokens.slice(0, Math.max(0, last));
    for (const token of closing) {
      if (isShown(token)) this.#closed.push({ id: this.#closed.length, token, isOpen: false });
    }
    const used = closing.reduce((sum, { raw }) => sum + raw.length, 0);
    this.#open = this.#open.slice(used);
    const token = tokens[last] as Nested | undefined;
    this.#last = token && share(used > 0 ? undefined : this.#last, token);
    this.blocks =
      this.#last && isShown(this.#last)
        ? [...this.#closed, { id: this.#closed.length, token: this.#last, isOpen: true }]
        : [...this.#closed];
    void tick().then(() => (this.#costMs = performance.now() - startedAt));
  }
}
