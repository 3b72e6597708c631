import { Lexer, Marked, type Token, type TokensList } from 'marked';

/** Position of the first match, as marked wants it. */
const firstMatch =
  (pattern: RegExp) =>
  (source: string): number | undefined => {
    const index = source.search(pattern);
    return index < 0 ? undefined : index;
  };

const blockMath = {
  name: 'blockMath',
  level: 'block' as const,
  start: firstMatch(/\$\$|\\\[/),
  tokenizer(source: string) {
    const match =
      /^\$\$([\s\S]+?)\$\$(?:\n|$)/.exec(source) ?? /^\\\[([\s\S]+?)\\\](?:\n|$)/.exec(source);
    return match ? { type: 'blockMath', raw: match[0], text: match[1]!.trim() } : undefined;
  },
};

/** Two prices in one line are no formula: no space inside the dollars, no digit behind them. */
const inlineMath = {
  name: 'inlineMath',
  level: 'inline' as const,
  start: firstMatch(/\$|\\\(/),
  tokenizer(source: string) {
    const match =
      /^\$(?![\s$])((?:\\.|[^$\\\n])+?)(?<!\s)\$(?!\d)/.exec(source) ??
      /^\\\(([^\n]+?)\\\)/.exec(source);
    return match ? { type: 'inlineMath', raw: match[0], text: match[1]! } : undefined;
  },
};

const markdown = new Marked({ gfm: true, extensions: [blockMath, inlineMath] as never[] });

/** The blocks of a Markdown text; never HTML. */
export const lex = (source: string): TokensList => new Lexer(markdown.defaults).lex(source);
export type { Token };
