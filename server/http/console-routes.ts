import { existsSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import sirv from 'sirv';

/** Serves the built console; a path that is no file gets the page that routes by itself. */
export type ConsoleHandler = (request: IncomingMessage, response: ServerResponse) => void;

export function createConsoleHandler(folder: string): ConsoleHandler {
  if (!existsSync(folder)) return sendMissing;
  const serve = sirv(folder, {
    single: '200.html',
    etag: true,
    brotli: true,
    gzip: true,
    setHeaders(response, path) {
      const isImmutable = path.includes('/immutable/');
      response.setHeader(
        'cache-control',
        isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
    },
  });
  return (request, response) => serve(request, response, () => sendMissing(request, response));
}

function sendMissing(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' });
  response.end('There is nothing here. If the console is missing: `npm start` builds it.\n');
}
