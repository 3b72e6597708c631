import { Prisma } from '../db/client.ts';

/** Two rows would have had the same key. */
export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';

/** The database gave up one of several transactions that waited for each other: this one. */
export const isDeadlock = (error: unknown): boolean =>
  (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2034') ||
  (error instanceof Error && /deadlock detected|40P01/.test(error.message));
