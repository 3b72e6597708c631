import type { Agent, Response } from 'undici';
import type { Clock } from '../clock.ts';
import { PackageError } from './package-error.ts';
import type { PackageFile } from './package-lock.ts';

/** Milliseconds for one file, however it trickles in. */
export const DOWNLOAD_TIMEOUT_MS = 15 * 60_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** Milliseconds without a byte. */
const SILENCE_TIMEOUT_MS = 30_000;

let agent: Agent | null = null;

/**
 * The bytes of a package file from its host, as they come. They are neither counted nor checked here.
 * A redirect is not followed: a host of packages has none, and where it leads nobody has allowed.
 *
 * @throws PackageError while it is read.
 */
export async function* downloadPackage(
  file: PackageFile,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
): AsyncGenerator<Uint8Array> {
  const url = new URL(file.url);
  const limit = new AbortController();
  const release = clock.after(DOWNLOAD_TIMEOUT_MS, () => limit.abort());
  try {
    const response = await request(url, AbortSignal.any([signal, limit.signal]));
    yield* (response.body ?? []) as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (signal.aborted) throw new PackageError('cancelled', 'The loading was cancelled.');
    if (limit.signal.aborted) {
      const minutes = DOWNLOAD_TIMEOUT_MS / 60_000;
      throw new PackageError(
        'unreachable',
        `${url.host} did not send ${file.fileName} within ${minutes} minutes.`,
      );
    }
    throw toPackageError(error, url);
  } finally {
    release();
  }
}

async function request(url: URL, signal: AbortSignal): Promise<Response> {
  // Imported here: most starts load no package.
  const undici = await import('undici');
  agent ??= new undici.Agent({
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: SILENCE_TIMEOUT_MS,
    bodyTimeout: SILENCE_TIMEOUT_MS,
  });
  const response = await undici.fetch(url, {
    headers: { accept: '*/*', 'user-agent': 'Signalbox' },
    redirect: 'manual',
    dispatcher: agent,
    signal,
  });
  if (response.status === 200) return response;
  await response.body?.cancel();
  const location = response.headers.get('location');
  throw new PackageError(
    'refused',
    location === null
      ? `${url.host} answered ${response.status} to ${url.pathname}.`
      : `${url.host} redirects ${url.pathname} to another place, which is not followed.`,
  );
}

/** What undici throws for a connection is a TypeError, or carries a code at its bottom. */
function toPackageError(error: unknown, { host }: URL): unknown {
  if (error instanceof PackageError) return error;
  const code = findCauseCode(error);
  if (code === null && !(error instanceof TypeError)) return error;
  const detail = code ?? 'the connection was lost';
  return new PackageError('unreachable', `${host} cannot be reached (${detail}).`, {
    cause: error,
  });
}

function findCauseCode(error: unknown): string | null {
  if (error instanceof AggregateError) return findCauseCode(error.errors[0]);
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return findCauseCode(error.cause);
}
