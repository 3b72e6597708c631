import { Prisma } from '../db/client.ts';

/** Two rows would have had the same key. */
export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
