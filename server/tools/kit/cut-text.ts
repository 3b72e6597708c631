const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** No grapheme that people write is longer; a longer one is cut. */
const WINDOW_CHARACTERS = 256;

/** The longest beginning of a text that has at most `maxCharacters` and ends between two graphemes. */
export function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const from = Math.max(0, maxCharacters - WINDOW_CHARACTERS);
  const window = text.slice(from, maxCharacters + WINDOW_CHARACTERS);
  const border = maxCharacters - from;
  const start = graphemes.segment(window).containing(border)?.index ?? border;
  return text.slice(0, start > 0 || from === 0 ? from + start : maxCharacters);
}

/** The same with "…" in place of what is missing. */
export const shorten = (text: string, maxCharacters: number): string =>
  text.length <= maxCharacters ? text : `${cutText(text, maxCharacters - 1)}…`;
