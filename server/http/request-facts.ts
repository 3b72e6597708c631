import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors.ts';

/** Header that only scripts of the same origin, or programs, can send. */
const OWN_HEADER = 'x-signalbox';

export interface OriginRules {
  /** Origins from which a browser may use its session. */
  allowedOrigins(): readonly string[];
}

/** Whether a browser's page of another origin made the request. */
export function isForeignOrigin(
  request: IncomingMessage,
  { allowedOrigins }: OriginRules,
): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined) return false;
  if (allowedOrigins().includes(origin)) return false;
  // Whoever reaches the server under a name of its own is of the same origin when both agree.
  return !URL.canParse(origin) || new URL(origin).host !== host;
}

/** @throws AppError `FORBIDDEN` for a request with a session from a page of another origin. */
export function checkOrigin(request: IncomingMessage, rules: OriginRules): void {
  if (request.headers.authorization !== undefined || !isForeignOrigin(request, rules)) return;
  throw new AppError('FORBIDDEN', `Pages of ${request.headers.origin} may not use this service.`);
}

/**
 * A cookie goes along with requests that another site's page makes, so it counts only with the own
 * origin and a header that no form can send. Keys are sent on purpose and need neither.
 *
 * @throws AppError `FORBIDDEN`
 */
export function checkSameSite(request: IncomingMessage, rules: OriginRules): void {
  if (request.headers.authorization !== undefined) return;
  checkOrigin(request, rules);
  if (request.headers[OWN_HEADER] === undefined) {
    throw new AppError(
      'FORBIDDEN',
      'Requests with a session cookie need the header X-Signalbox: 1.',
    );
  }
}
