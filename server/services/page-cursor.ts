import { AppError } from '../errors.ts';
import { isId } from '../id.ts';

/** The place in a list after which the next page begins: the sort key of its last row. */
export interface PageCursor {
  readonly at: Date;
  readonly id: string;
}

export const encodeCursor = ({ at, id }: PageCursor): string =>
  Buffer.from(`${at.toISOString()} ${id}`).toString('base64url');

/** @throws AppError `BAD_INPUT` if the text was not made by `encodeCursor`. */
export function decodeCursor(text: string): PageCursor {
  const [time = '', id = ''] = Buffer.from(text, 'base64url').toString().split(' ');
  const at = new Date(time);
  if (Number.isNaN(at.getTime()) || !isId(id)) {
    throw new AppError('BAD_INPUT', 'The cursor is not one that this server gave out.');
  }
  return { at, id };
}

/** @throws AppError `BAD_INPUT` outside 1 to 100. */
export function checkPageSize(first: number): number {
  if (Number.isInteger(first) && first >= 1 && first <= 100) return first;
  throw new AppError('BAD_INPUT', `first is ${first}, but must be an integer from 1 to 100.`);
}
