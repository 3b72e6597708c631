import { Prisma } from '../db/client.ts';
import { AppError } from '../errors.ts';

/** Two rows would have had the same key. */
export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';

/** The database gave up one of several transactions that waited for each other: this one. */
export const isDeadlock = (error: unknown): boolean =>
  (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2034') ||
  (error instanceof Error && /deadlock detected|40P01/.test(error.message));

/** What a row belongs to was deleted in the meantime. */
export const isOrphan = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2003';

/** PostgreSQL's code for text that its encoding has no place for, such as U+0000. */
const UNSTORABLE_TEXT = /\b22021\b/;

/** A caller sent U+0000 where nothing is stored or found with it; any other error stays as it is. */
export const toCallerError = (error: unknown): unknown =>
  error instanceof Prisma.PrismaClientKnownRequestError && UNSTORABLE_TEXT.test(error.message)
    ? new AppError('BAD_INPUT', 'Ids and names cannot hold the sign U+0000.', { cause: error })
    : error;
