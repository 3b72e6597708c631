import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, type ErrorCode } from '../errors.ts';
import { createId } from '../id.ts';
import type { Log } from '../log.ts';
import { toCallerError } from '../services/database-errors.ts';

const HTTP_STATUS: Record<ErrorCode, number> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  BAD_INPUT: 400,
  CONFLICT: 409,
  OVERLOADED: 503,
  UNAVAILABLE: 503,
};

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.byteLength,
    'cache-control': 'no-store',
  });
  response.end(bytes);
}

/** Answers `{error: {code, message}}`; what is no AppError is logged under an id and masked. */
export function sendError(response: ServerResponse, thrown: unknown, log: Log): void {
  const error = toCallerError(thrown);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (error instanceof AppError) {
    const { code, message, details } = error;
    sendJson(response, HTTP_STATUS[code], { error: { ...details, code, message } });
    return;
  }
  const errorId = createId();
  log.error({ error, errorId }, 'A request failed.');
  const message = `Something went wrong inside the server (error ${errorId}).`;
  sendJson(response, 500, { error: { code: 'INTERNAL', message, errorId } });
}

/**
 * Reads a JSON body.
 * @throws AppError `BAD_INPUT` if it is longer than `maxBytes`, or no JSON object.
 */
export async function readJsonObject(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Record<string, unknown>> {
  const text = await readText(request, maxBytes);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch (error) {
    throw new AppError('BAD_INPUT', 'The body is not valid JSON.', { cause: error });
  }
  throw new AppError('BAD_INPUT', 'The body must be a JSON object.');
}

/**
 * The pieces of a body. Whoever stops before the end leaves the request whole, so that the rest can
 * be thrown away and the next request on the connection is heard.
 */
export const readBody = (request: IncomingMessage): AsyncIterable<Buffer> =>
  request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;

/** @throws AppError `BAD_INPUT` if the body is longer than `maxBytes`. */
export async function readText(request: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of readBody(request)) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) {
      throw new AppError('BAD_INPUT', `The body has more than ${maxBytes} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
