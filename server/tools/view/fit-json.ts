import { cutText } from '../kit/cut-text.ts';

/** Characters that a result needs beside its main part. */
const RESERVED_CHARACTERS = 2_000;
const MIN_CHARACTERS = 500;

/** What the main part of a result may take in JSON, of what the whole call may return. */
export const mainPartLimit = (outputLimit: number): number =>
  Math.max(MIN_CHARACTERS, outputLimit - RESERVED_CHARACTERS);

const jsonLength = (value: unknown): number => JSON.stringify(value).length;

/** The longest beginning of a text whose JSON, with its escapes, stays within `maxCharacters`. */
export function fitBeginning(text: string, maxCharacters: number): string {
  let fitting = cutText(text, maxCharacters);
  while (fitting !== '' && jsonLength(fitting) > maxCharacters) {
    const share = maxCharacters / jsonLength(fitting);
    fitting = cutText(fitting, Math.floor(fitting.length * share * 0.99));
  }
  return fitting;
}

/** The same for the end of a text. */
export function fitEnd(text: string, maxCharacters: number): string {
  let fitting = cutStart(text, maxCharacters);
  while (fitting !== '' && jsonLength(fitting) > maxCharacters) {
    const share = maxCharacters / jsonLength(fitting);
    fitting = cutStart(fitting, Math.floor(fitting.length * share * 0.99));
  }
  return fitting;
}

/** As many items from the first on as their JSON has room for. */
export function fitItems<Item>(items: readonly Item[], maxCharacters: number): readonly Item[] {
  let left = maxCharacters;
  const count = items.findIndex((item) => {
    left -= jsonLength(item) + 1;
    return left < 0;
  });
  return count < 0 ? items : items.slice(0, count);
}

/** A low surrogate alone is half a character. */
function cutStart(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const start = text.length - maxCharacters;
  return text.slice(/[\udc00-\udfff]/.test(text.charAt(start)) ? start + 1 : start);
}
