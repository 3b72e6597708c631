import type { LookupFunction } from 'node:net';
import type { Agent, Dispatcher } from 'undici';
import { type Clock, systemClock } from '../clock.ts';
import { PUBLIC_WEB, type TargetRule } from './address-rule.ts';
import { readBoundedBody } from './bounded-body.ts';
import { createGuardedAgent } from './guarded-agent.ts';
import { limitTime } from './limit-time.ts';
import { ProviderError } from './provider-error.ts';
import type { ProviderCall } from './provider-http.ts';
import { hostOf, parseTargetUrl } from './target-url.ts';

export interface GuardedRequest {
  /** Media types that are asked for; default any. */
  readonly accept?: string;
  readonly acceptLanguage?: string;
  /** Bytes that the unpacked body may have, once its type is known. Default 5,000,000. */
  limitBytes?(head: GuardedHead): number;
  /** Milliseconds for everything, redirects and body included. Default 20,000. */
  readonly timeoutMs?: number;
}

export interface GuardedHead {
  readonly status: number;
  /** Where the answer came from, after redirects. */
  readonly url: URL;
  /** By lower-case name; of several lines with one name the first. */
  readonly headers: Readonly<Record<string, string>>;
  /** Media type in lower case, without parameters; empty when none is told. */
  readonly contentType: string;
}

export interface GuardedAnswer extends GuardedHead {
  readonly bytes: Buffer<ArrayBuffer>;
}

export interface GuardedClient {
  /**
   * Downloads what a URL from a person or a model leads to. Redirects are followed, and every hop is
   * judged like the first. An answer of any status is an answer.
   *
   * Nothing is kept from one request to the next, no cookie above all, and nothing is sent that tells
   * who asks.
   *
   * @throws ForbiddenTargetError if the URL, or a hop, is none that may be fetched.
   * @throws ProviderError `unreachable`, `timed-out`, `cancelled`, `too-large`, `malformed`, and
   *   `refused` for too many redirects.
   */
  get(url: string | URL, call: ProviderCall, request?: GuardedRequest): Promise<GuardedAnswer>;
  /** Ends all connections. */
  close(): Promise<void>;
}

export interface GuardedClientOptions {
  readonly userAgent: string;
  /** Where requests may go; default the public web. Tests alone give another. */
  readonly rule?: Partial<TargetRule>;
  readonly lookup?: LookupFunction;
  readonly clock?: Clock;
}

const DEFAULT_TIMEOUT_MS = 20_000;
const DEFAULT_MAX_BYTES = 5_000_000;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The one client for addresses that models and people give. */
export function createGuardedClient(options: GuardedClientOptions): GuardedClient {
  const rule: TargetRule = { ...PUBLIC_WEB, ...options.rule };
  const { clock = systemClock } = options;
  let agent: Promise<Agent> | null = null;

  return {
    async get(url, call, request = {}) {
      const first = parseTargetUrl(String(url), rule);
      const host = hostOf(first);
      agent ??= createGuardedAgent({ ...options, rule });
      const { timeoutMs = DEFAULT_TIMEOUT_MS } = request;
      const endsAt = Math.min(call.deadlineAt, clock.now() + timeoutMs);
      const limited = limitTime(call.signal, endsAt - clock.now(), clock);
      const { signal } = limited;
      try {
        return await follow(first, {
          ...{ agent: await agent, rule, request, signal },
          userAgent: options.userAgent,
        });
      } catch (error) {
        if (call.signal.aborted && !limited.hasRunOut() && clock.now() < call.deadlineAt) {
          throw new ProviderError('cancelled', `The request to ${host} was cancelled.`);
        }
        if (limited.signal.aborted) {
          throw new ProviderError('timed-out', `${host} did not answer in time.`);
        }
        throw toProviderError(error, host);
      } finally {
        limited.release();
      }
    },
    async close() {
      await (await agent)?.destroy();
      agent = null;
    },
  };
}

interface Journey {
  readonly agent: Agent;
  readonly rule: TargetRule;
  readonly request: GuardedRequest;
  readonly userAgent: string;
  readonly signal: AbortSignal;
}

async function follow(first: URL, journey: Journey): Promise<GuardedAnswer> {
  const seen = new Set<string>();
  for (let url = first; ;) {
    seen.add(withoutFragment(url));
    const response = await send(url, journey);
    const head = readHead(response, url);
    const { location } = head.headers;
    if (!REDIRECTS.has(response.statusCode) || location === undefined) {
      const maxBytes = journey.request.limitBytes?.(head) ?? DEFAULT_MAX_BYTES;
      const coding = head.headers['content-encoding'] ?? '';
      const bytes = await readBoundedBody(response.body, coding, { maxBytes, host: hostOf(url) });
      return { ...head, bytes };
    }
    discard(response);
    const next = parseTargetUrl(decodeLocation(location), journey.rule, url);
    if (next.hash === '') next.hash = url.hash;
    if (seen.has(withoutFragment(next))) {
      throw new ProviderError(
        'refused',
        `${hostOf(first)} redirects in a circle, by way of ${hostOf(url)}.`,
      );
    }
    if (seen.size > MAX_REDIRECTS) {
      throw new ProviderError(
        'refused',
        `${hostOf(first)} redirects more than ${MAX_REDIRECTS} times, which is not followed.`,
      );
    }
    url = next;
  }
}

async function send(url: URL, journey: Journey): Promise<Dispatcher.ResponseData> {
  const { request, signal } = journey;
  signal.throwIfAborted();
  return await journey.agent.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: 'GET',
    headers: {
      'user-agent': journey.userAgent,
      accept: request.accept ?? '*/*',
      'accept-language': request.acceptLanguage ?? '*',
      'accept-encoding': 'gzip, br, zstd',
    },
    signal,
    // The one limit of time is the signal's.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

function readHead(response: Dispatcher.ResponseData, url: URL): GuardedHead {
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [
      name,
      (Array.isArray(value) ? value[0] : value) ?? '',
    ]),
  );
  const contentType = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  return { status: response.statusCode, url, headers, contentType };
}

/** Headers arrive byte by byte; an address with letters that should be escaped is meant as UTF-8. */
function decodeLocation(location: string): string {
  const decoded = Buffer.from(location, 'latin1').toString();
  return decoded.includes('\ufffd') ? location : decoded;
}

/** Ends the download of a body that nobody reads. */
function discard({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => undefined);
  body.destroy();
}

const withoutFragment = (url: URL): string => url.href.slice(0, url.href.length - url.hash.length);

function toProviderError(error: unknown, host: string): unknown {
  const failure = findProviderError(error);
  if (failure !== null) return failure;
  if (error instanceof Error && error.name === 'HTTPParserError') {
    return new ProviderError('malformed', `${host} does not answer in HTTP: ${error.message}.`);
  }
  const code = findCode(error);
  if (code === null) return error;
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new ProviderError('malformed', `The headers of ${host} are too long.`);
  }
  const facts = { causeCode: code };
  return new ProviderError('unreachable', `${host} cannot be reached (${code}).`, facts);
}

/** A judgement inside a look-up or a connection comes back as the cause of what undici throws. */
function findProviderError(error: unknown): ProviderError | null {
  if (error instanceof ProviderError) return error;
  if (error instanceof AggregateError) {
    return error.errors.map(findProviderError).find((found) => found !== null) ?? null;
  }
  return error instanceof Error ? findProviderError(error.cause) : null;
}

function findCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return findCode(error.cause);
}
