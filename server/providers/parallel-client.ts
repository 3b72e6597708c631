import type { ToolSettings } from '../config.ts';
import { asRecord, asText } from './json-values.ts';
import { ProviderError } from './provider-error.ts';
import { createProviderHttp, type ProviderCall } from './provider-http.ts';
import { createUserAgent } from './user-agent.ts';

/** The fetch policy of "live": copies of at most ten minutes, and an error rather than an older one. */
export const LIVE_POLICY = { max_age_seconds: 600, disable_cache_fallback: true } as const;

/** A page that is fetched live can take up to a minute. */
const TIMEOUT_MS = 70_000;

/**
 * Sends a request to Parallel and resolves with the JSON that it answers.
 *
 * @throws ProviderError, also when no key is set.
 */
export async function askParallel(
  settings: ToolSettings,
  request: { readonly path: '/v1/search' | '/v1/extract'; readonly body: unknown },
  call: ProviderCall,
): Promise<unknown> {
  const { parallelApiKey } = settings;
  if (parallelApiKey === null) {
    throw new ProviderError('refused', 'PARALLEL_API_KEY is not set on this server.');
  }
  const http = createProviderHttp({
    provider: 'Parallel',
    userAgent: createUserAgent(settings.operatorContact),
    timeoutMs: TIMEOUT_MS,
    maxBytes: 12_000_000,
    describeError: findReason,
  });
  return await http.requestJson(`${settings.parallelBaseUrl}${request.path}`, call, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': parallelApiKey },
    body: JSON.stringify(request.body),
  });
}

function findReason(body: string): string | null {
  try {
    return asText(asRecord(asRecord(JSON.parse(body))['error'])['message']) || null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
