import type { ToolSettings } from '../config.ts';
import { asRecord, asText } from './json-values.ts';
import { ProviderError } from './provider-error.ts';
import { createProviderHttp, type ProviderCall, type ProviderHttp } from './provider-http.ts';
import { createUserAgent } from './user-agent.ts';

/** A request within a tool's call, with the pace and the cache that all threads share. */
export interface WikimediaCall extends ProviderCall {
  pace(key: string, intervalMs: number): Promise<void>;
  readonly cache: {
    get(key: string): Promise<unknown>;
    set(key: string, value: unknown, ttlMs: number): Promise<void>;
  };
}

/** Requests to Wikimedia's projects, which count against one limit together. */
export interface WikimediaHttp {
  /** As `ProviderHttp.requestJson`, in its turn; follows at most two redirects within the host. */
  requestJson(url: URL, call: WikimediaCall): Promise<unknown>;
  /**
   * An answer of the action API, whose errors come with status 200.
   * @throws ProviderError `refused` with the API's own words; its code is the `causeCode`.
   */
  requestAction(
    baseUrl: string,
    parameters: Readonly<Record<string, string>>,
    call: WikimediaCall,
  ): Promise<unknown>;
}

/** 200 requests a minute are allowed to a client that names a contact; others get far fewer. */
const PACE_MS = 300;
const PACE_WITHOUT_CONTACT_MS = 1_000;

export function createWikimediaHttp(provider: string, settings: ToolSettings): WikimediaHttp {
  const contact = settings.operatorContact;
  const http: ProviderHttp = createProviderHttp({
    provider,
    userAgent: createUserAgent(contact),
    maxBytes: 8_000_000,
  });
  const intervalMs = contact === null ? PACE_WITHOUT_CONTACT_MS : PACE_MS;

  async function requestJson(url: URL, call: WikimediaCall): Promise<unknown> {
    await call.pace('wikimedia', intervalMs);
    try {
      return await http.requestJson(url, call, { maxRedirects: 2 });
    } catch (error) {
      throw contact === null ? explainMissingContact(error) : error;
    }
  }

  return {
    requestJson,
    async requestAction(baseUrl, parameters, call) {
      const url = new URL(`${baseUrl}/w/api.php`);
      url.search = String(new URLSearchParams({ ...parameters, format: 'json' }));
      const answer = await requestJson(url, call);
      const error = asRecord(asRecord(answer)['error']);
      const code = asText(error['code']);
      if (code === '') return answer;
      const kind = code === 'ratelimited' || code === 'maxlag' ? 'rate-limited' : 'refused';
      const words = asText(error['info']).replace(/\.$/, '') || code;
      throw new ProviderError(kind, `${provider} refused the request: ${words}.`, {
        causeCode: code,
      });
    },
  };
}

/** Wikimedia refuses, and limits hard, whoever names no contact. */
function explainMissingContact(error: unknown): unknown {
  if (!(error instanceof ProviderError)) return error;
  if (error.status !== 403 && error.status !== 429) return error;
  return new ProviderError(
    error.kind,
    `${error.message} Wikimedia wants to know a contact: the operator should set OPERATOR_CONTACT.`,
    { status: error.status, retryAfterMs: error.retryAfterMs },
  );
}
