import { ProviderError } from '../../providers/provider-error.ts';
import { createProviderHttp } from '../../providers/provider-http.ts';
import { createUserAgent } from '../../providers/user-agent.ts';
import type { AvailabilityContext } from '../kit/define-tool.ts';

const TIMEOUT_MS = 4_000;

const problems = new WeakMap<AvailabilityContext, Promise<string | null>>();

/** Why Wikipedia cannot be used now, as a whole sentence; null when it can. Asked once per check. */
export function findWikipediaProblem(context: AvailabilityContext): Promise<string | null> {
  const known = problems.get(context);
  if (known !== undefined) return known;
  const problem = probe(context);
  problems.set(context, problem);
  return problem;
}

async function probe({ settings, signal }: AvailabilityContext): Promise<string | null> {
  const http = createProviderHttp({
    provider: 'Wikipedia',
    userAgent: createUserAgent(settings.operatorContact),
    timeoutMs: TIMEOUT_MS,
    maxAttempts: 1,
  });
  const baseUrl = settings.wikipediaBaseUrl.replaceAll('{language}', 'en');
  const url = `${baseUrl}/w/api.php?action=query&meta=siteinfo&format=json`;
  try {
    await http.requestJson(url, { signal, deadlineAt: Date.now() + TIMEOUT_MS });
    return null;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    // Whoever is told to come back later has reached a service that works.
    return error.kind === 'rate-limited' ? null : error.message;
  }
}
