import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../errors.ts';
import type { FileRecord } from '../services/chat-records.ts';
import type { FileService } from '../services/services.ts';
import type { Viewer } from '../services/viewer.ts';
import { readBody, sendJson } from './json-answer.ts';

/** What a browser may show in place; everything else is downloaded. */
const SHOWN_IN_PLACE = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'application/pdf',
]);

/** `POST /uploads`: the raw body, its name percent-encoded in `X-File-Name`. */
export async function receiveUpload(
  request: IncomingMessage,
  response: ServerResponse,
  { viewer, files }: { readonly viewer: Viewer; readonly files: FileService },
): Promise<void> {
  const name = request.headers['x-file-name'];
  if (typeof name !== 'string') {
    throw new AppError(
      'BAD_INPUT',
      'The header X-File-Name must hold the percent-encoded file name.',
    );
  }
  const upload = await files.receive(viewer, {
    label: decodeName(name),
    mimeType: request.headers['content-type']?.split(';')[0]?.trim() ?? '',
    body: readBody(request),
  });
  sendJson(response, 201, upload);
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch (error) {
    throw new AppError('BAD_INPUT', 'The header X-File-Name is not percent-encoded UTF-8.', {
      cause: error,
    });
  }
}

/** `GET /generated-files/<chat>/<name>`: for the owner of the chat alone, in ranges if asked. */
export async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  {
    viewer,
    files,
    url,
  }: { readonly viewer: Viewer; readonly files: FileService; readonly url: URL },
): Promise<void> {
  const [, , chatId = '', encodedName = ''] = url.pathname.split('/');
  const file = await files.locate(viewer, chatId, decodePathPart(encodedName));
  const etag = `"${file.id}"`;
  const headers = {
    ...fileHeaders(file, url.searchParams.has('download')),
    etag,
    'accept-ranges': 'bytes',
  };
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, headers).end();
    return;
  }
  const ifRange = request.headers['if-range'];
  const isSame = ifRange === undefined || ifRange === etag;
  const range = isSame ? parseRange(request.headers.range, file.bytes) : null;
  if (range === 'unsatisfiable') {
    response.writeHead(416, { ...headers, 'content-range': `bytes */${file.bytes}` }).end();
    return;
  }
  const { start, end } = range ?? { start: 0, end: file.bytes - 1 };
  response.writeHead(range === null ? 200 : 206, {
    ...headers,
    'content-length': Math.max(0, end - start + 1),
    ...(range === null ? {} : { 'content-range': `bytes ${start}-${end}/${file.bytes}` }),
  });
  if (request.method === 'HEAD' || file.bytes === 0) {
    response.end();
    return;
  }
  await pipeline(createReadStream(file.path, { start, end }), response);
}

/** A part that is not valid percent-encoding names no file. */
function decodePathPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function fileHeaders(file: FileRecord, isDownload: boolean): Record<string, string> {
  const isShown = SHOWN_IN_PLACE.has(file.mimeType) && !isDownload;
  const ascii = file.label.replace(/[^\x20-\x7e]|["\\]/g, '_');
  const encoded = encodeURIComponent(file.label).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return {
    'content-type': isShown ? file.mimeType : 'application/octet-stream',
    'content-disposition': `${isShown ? 'inline' : 'attachment'}; filename="${ascii}"; filename*=UTF-8''${encoded}`,
    // Even a picture that is something else after all runs nothing and reaches nobody.
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'private, no-cache',
  };
}

/** One range of RFC 9110 §14; null for none, or for what a server may ignore. */
function parseRange(
  header: string | undefined,
  bytes: number,
): { readonly start: number; readonly end: number } | 'unsatisfiable' | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (match === null) return null;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return null;
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  return start > end || start >= bytes ? 'unsatisfiable' : { start, end };
}
