import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits as text, with a prefix that tells what it is. */
export const createToken = (prefix: string): string =>
  `${prefix}_${randomBytes(32).toString('base64url')}`;

/** What is stored of a token: it has so much entropy that a plain hash cannot be turned back. */
export const hashToken = (token: string): string =>
  createHash('sha256').update(token).digest('hex');
