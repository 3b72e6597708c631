import { AppError } from '../errors.ts';
import { storableText } from './storable.ts';

const MAX_LABEL_CHARACTERS = 200;
const CONTROL = /\p{Cc}|\p{Cf}/gu;

/**
 * The name of a file as people see it: one path component without control characters.
 * @throws AppError `BAD_INPUT` if nothing is left of it.
 */
export function checkLabel(name: string): string {
  const label = storableText(name).replace(CONTROL, '').replace(/[\\/]/g, '_').trim();
  if (label === '' || label === '.' || label === '..') {
    throw new AppError('BAD_INPUT', `${JSON.stringify(name.slice(0, 100))} is no file name.`);
  }
  if (label.length <= MAX_LABEL_CHARACTERS) return label;
  const extension = extensionOf(label);
  return label.slice(0, MAX_LABEL_CHARACTERS - extension.length).toWellFormed() + extension;
}

/** `.csv` of `data.csv`: lower case, plain letters and digits only, else empty. */
export const extensionOf = (label: string): string =>
  /\.[a-z0-9]{1,10}$/.exec(label.toLowerCase())?.[0] ?? '';

/** The label itself, or "data (2).csv" and so on while it is taken. */
export function freeLabel(label: string, taken: ReadonlySet<string>): string {
  if (!taken.has(label)) return label;
  const extension = /\.[^.]{1,10}$/.exec(label)?.[0] ?? '';
  const stem = label.slice(0, label.length - extension.length);
  for (let number = 2; ; number += 1) {
    const candidate = `${stem} (${number})${extension}`;
    if (!taken.has(candidate)) return candidate;
  }
}
