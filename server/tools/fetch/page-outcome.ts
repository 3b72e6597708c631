import { ProviderError } from '../../providers/provider-error.ts';
import type { PageContent } from '../kit/page-handler.ts';

/** A page that was read, or why it could not be, as a whole sentence. */
export type PageOutcome =
  | { readonly url: string; readonly content: PageContent }
  | { readonly url: string; readonly error: string; readonly isFinal?: boolean };

const MAX_ERROR_CHARACTERS = 600;

/** What a failed page is told as; `source` names whose code failed when it was not the network. */
export function failedPage(url: string, error: unknown, source: string): PageOutcome {
  if (error instanceof ProviderError) return { url, error: error.message };
  const message = error instanceof Error ? error.message : String(error);
  return { url, error: `${source} failed: ${message}`.slice(0, MAX_ERROR_CHARACTERS) };
}
