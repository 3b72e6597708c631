import type { Agent, Response } from 'undici';
import { ProviderError, type ProviderErrorKind } from './provider-error.ts';
import { textOfHtml } from './html-text.ts';

export interface ProviderRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Redirects that are followed, all on the host that was asked. Default 0. */
  readonly maxRedirects?: number;
}

export interface ProviderAnswer {
  readonly status: number;
  /** Where the answer came from, after redirects. */
  readonly url: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface ExchangeOptions {
  readonly provider: string;
  readonly userAgent: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  describeError?(body: string): string | null;
  now(): number;
}

const ERROR_BODY_BYTES = 16_384;
const CONNECT_TIMEOUT_MS = 10_000;
const REASON_CHARACTERS = 300;

let agent: Agent | null = null;

/**
 * One request and its answer, redirects within the host included.
 *
 * The body is counted while it is read and after it is unpacked, so that a small answer that unpacks
 * to a huge one ends at `maxBytes`.
 *
 * @throws ProviderError for a status that is not 2xx and for a body over the limit.
 */
export async function exchange(
  url: URL,
  request: ProviderRequest,
  options: ExchangeOptions,
): Promise<ProviderAnswer> {
  // Imported here: tools are described without ever speaking to anybody.
  const undici = await import('undici');
  agent ??= new undici.Agent({ connect: { timeout: CONNECT_TIMEOUT_MS } });
  let target = url;
  for (let redirects = 0; ; redirects += 1) {
    const response = await undici.fetch(target, {
      method: request.method ?? 'GET',
      headers: { accept: 'application/json', ...request.headers, 'user-agent': options.userAgent },
      ...(request.body === undefined ? {} : { body: request.body }),
      redirect: 'manual',
      dispatcher: agent,
      signal: options.signal,
    });
    const next = findRedirect(response, target);
    if (next === null) return readAnswer(response, target, options);
    await response.body?.cancel();
    if (next.origin !== url.origin || redirects >= (request.maxRedirects ?? 0)) {
      throw new ProviderError(
        'refused',
        `${options.provider} redirects to ${next.host}, which is not followed.`,
        { status: response.status },
      );
    }
    target = next;
  }
}

function findRedirect(response: Response, from: URL): URL | null {
  const location = response.headers.get('location');
  if (response.status < 300 || response.status >= 400 || location === null) return null;
  return URL.parse(location, from.href);
}

async function readAnswer(
  response: Response,
  url: URL,
  options: ExchangeOptions,
): Promise<ProviderAnswer> {
  const { provider, maxBytes } = options;
  if (!response.ok) throw await describeFailure(response, options);
  const { bytes, isCut } = await readBytes(response, maxBytes);
  if (isCut) {
    throw new ProviderError(
      'too-large',
      `The answer of ${provider} is larger than ${maxBytes} bytes.`,
      { status: response.status },
    );
  }
  return {
    status: response.status,
    url: url.href,
    headers: Object.fromEntries(response.headers),
    text: new TextDecoder().decode(bytes),
  };
}

async function readBytes(
  response: Response,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer; readonly isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop cancels the rest of the download.
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk as Uint8Array);
    length += (chunk as Uint8Array).byteLength;
    if (length > maxBytes) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut: length > maxBytes };
}

async function describeFailure(
  response: Response,
  options: ExchangeOptions,
): Promise<ProviderError> {
  const { provider, describeError, now } = options;
  const { status } = response;
  const body = new TextDecoder().decode((await readBytes(response, ERROR_BODY_BYTES)).bytes);
  const found = describeError?.(body) ?? describePlainText(response, body);
  const reason = found === null ? '' : `: ${found.slice(0, REASON_CHARACTERS).replace(/\.$/, '')}`;
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), now());
  const kind = kindOfStatus(status);
  const wait =
    retryAfterMs === null ? '' : ` It asks to wait ${Math.ceil(retryAfterMs / 1000)} seconds.`;
  return new ProviderError(kind, `${provider} answered with status ${status}${reason}.${wait}`, {
    status,
    retryAfterMs,
  });
}

function describePlainText(response: Response, body: string): string | null {
  if (!response.headers.get('content-type')?.startsWith('text/')) return null;
  return textOfHtml(body) || null;
}

function kindOfStatus(status: number): ProviderErrorKind {
  if (status === 404 || status === 410) return 'not-found';
  if (status === 429) return 'rate-limited';
  return status === 408 || status >= 500 ? 'unavailable' : 'refused';
}

/** Milliseconds from a `Retry-After` header (RFC 9110, 10.2.3): seconds or a date. */
export function parseRetryAfter(header: string | null, now: number): number | null {
  if (header === null) return null;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
