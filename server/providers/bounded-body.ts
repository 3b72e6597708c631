import { pipeline, Readable, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { ProviderError } from './provider-error.ts';

/** A body is packed once, or twice by mistake; more is an attack on whoever unpacks it. */
const MAX_CODINGS = 2;
/** 8 MB of window, as RFC 8878 asks of everyone who reads zstd from strangers. */
const MAX_ZSTD_WINDOW_LOG = 23;

export interface BoundedBodyOptions {
  /** Bytes as they come, and again after unpacking. */
  readonly maxBytes: number;
  /** Whose answer it is, for the error messages. */
  readonly host: string;
}

/**
 * Reads and unpacks a body of which nothing is known. Both what arrives and what comes out of it is
 * counted while it is read, and the connection ended as soon as there is too much of either.
 *
 * @throws ProviderError `too-large` over `maxBytes`, `malformed` for a coding that is unknown,
 *   stacked too high or broken. An error of the stream itself is passed on.
 */
export async function readBoundedBody(
  body: Readable,
  contentEncoding: string,
  options: BoundedBodyOptions,
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  // A stream that is ended before its time says so once more, when nobody listens any longer.
  body.on('error', () => undefined);
  try {
    const codings = parseCodings(contentEncoding, options);
    const arrivals = countBytes(body, options);
    const first = await arrivals.next();
    const source = Readable.from(replay(first, arrivals), { objectMode: false });
    const unpacked = codings.reduce<Readable>(
      // Whoever reads the last stage gets the errors of all.
      (from, coding) =>
        pipeline(from, createUnpacker(coding, first.value, options), () => undefined),
      source,
    );
    for await (const chunk of countBytes(unpacked, options)) chunks.push(chunk);
    const isComplete = first.done === true || chunks.some(({ byteLength }) => byteLength > 0);
    if (!isComplete) throw cannotUnpack(contentEncoding, options);
  } catch (error) {
    throw isUnpackingError(error) ? cannotUnpack(contentEncoding, options) : error;
  } finally {
    body.destroy();
  }
  return Buffer.concat(chunks);
}

/** The codings in the order in which they are to be taken off. */
function parseCodings(contentEncoding: string, { host }: BoundedBodyOptions): readonly string[] {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length <= MAX_CODINGS) return codings.reverse();
  throw new ProviderError(
    'malformed',
    `The answer of ${host} is packed ${codings.length} times over, but at most ${MAX_CODINGS} are unpacked.`,
  );
}

async function* countBytes(
  stream: Readable,
  { maxBytes, host }: BoundedBodyOptions,
): AsyncGenerator<Buffer, undefined> {
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    length += chunk.byteLength;
    if (length > maxBytes) {
      throw new ProviderError(
        'too-large',
        `The answer of ${host} has more than ${maxBytes} bytes.`,
      );
    }
    yield chunk;
  }
  return undefined;
}

async function* replay(
  first: IteratorResult<Buffer, undefined>,
  rest: AsyncGenerator<Buffer, undefined>,
): AsyncGenerator<Buffer> {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}

function createUnpacker(
  coding: string,
  beginning: Buffer | undefined,
  { host }: BoundedBodyOptions,
): Transform {
  // What is cut off is shown as far as it goes, as browsers do.
  const lenient = { finishFlush: zlib.constants.Z_SYNC_FLUSH };
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip(lenient);
    case 'deflate':
      // Some servers leave out the zlib header, whose first byte ends in 8.
      return beginning === undefined || ((beginning[0] ?? 0) & 0x0f) === 0x08
        ? zlib.createInflate(lenient)
        : zlib.createInflateRaw(lenient);
    case 'br':
      return zlib.createBrotliDecompress({
        finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
      });
    case 'zstd':
      return zlib.createZstdDecompress({
        params: { [zlib.constants.ZSTD_d_windowLogMax]: MAX_ZSTD_WINDOW_LOG },
      });
    default:
      throw new ProviderError(
        'malformed',
        `The answer of ${host} is packed as "${coding.slice(0, 40)}", which is not known.`,
      );
  }
}

const cannotUnpack = (contentEncoding: string, { host }: BoundedBodyOptions): ProviderError =>
  new ProviderError(
    'malformed',
    `The answer of ${host} is packed as ${contentEncoding.slice(0, 40)}, but cannot be unpacked.`,
  );

const isUnpackingError = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  /^(Z_|ERR_BROTLI|ERR__|ZSTD_)/.test(error.code);
