import type { ToolContext } from '../kit/define-tool.ts';
import type { PageContent } from '../kit/page-handler.ts';

/** How long a page that was read in part stays as it was, so that its next part fits. */
const KEPT_MS = 20 * 60_000;
const MAX_CHARACTERS = 900_000;

const keyOf = (url: string, { chatUuid }: ToolContext): string => `page:${chatUuid}:${url}`;

/** Keeps a page for whoever goes on reading it in this chat; one that is too large is read anew. */
export async function keepPage(
  url: string,
  content: PageContent,
  context: ToolContext,
): Promise<void> {
  if (JSON.stringify(content).length > MAX_CHARACTERS) return;
  await context.cache.set(keyOf(url, context), content, KEPT_MS);
}

/** The page as it was when its beginning was read; null when it is not kept. */
export async function findKeptPage(url: string, context: ToolContext): Promise<PageContent | null> {
  const kept = await context.cache.get(keyOf(url, context));
  return kept === undefined || kept === null ? null : (kept as PageContent);
}
