import type { GuardedAnswer, GuardedHead } from '../../providers/http.ts';
import { ProviderError } from '../../providers/provider-error.ts';
import type { PageContent, PageContext, PageHandler } from '../kit/page-handler.ts';
import { charsetOf, decodeText } from './html/decode-text.ts';

const HTML_BYTES = 5_000_000;
const TEXT_BYTES = 10_000_000;
/** What a handler may read, such as a PDF. */
const OTHER_BYTES = 25_000_000;
const MAX_TEXT_CHARACTERS = 2_000_000;
const ACCEPT =
  'text/html,application/xhtml+xml;q=0.9,text/*;q=0.8,application/json;q=0.7,*/*;q=0.5';
const HTML_TYPE = /^(text\/html|application\/xhtml\+xml)$/;
const TEXT_TYPE =
  /^(text\/.+|application\/((.+\+)?(json|xml|yaml)|x-yaml|toml|javascript|ecmascript|x-ndjson|x-sh|sql|rtf|x-tex))$/;
const MARKUP = /^\s*(<!doctype html|<html|<head|<body|<!--)/i;

export interface DirectPage extends PageContent {
  /** Whether so little was found that another reader may find more. */
  readonly isThin: boolean;
}

/**
 * Downloads an ordinary page and reads it here.
 *
 * @throws ProviderError for what cannot be fetched, is no text or has none.
 */
export async function readDirectly(
  url: URL,
  context: PageContext,
  handlers: readonly PageHandler[],
): Promise<DirectPage> {
  const answer = await context.http.get(url, context, { accept: ACCEPT, limitBytes });
  const host = answer.url.hostname;
  if (answer.status < 200 || answer.status >= 300) {
    throw new ProviderError(
      answer.status === 404 || answer.status === 410 ? 'not-found' : 'refused',
      `${host} answered with status ${answer.status}.`,
      { status: answer.status },
    );
  }
  const handler = handlers.find(({ body }) => body?.accepts(answer, answer.bytes) === true);
  if (handler?.body !== undefined) {
    return { ...(await handler.body.read(context, answer)), isThin: false };
  }
  const page = await readText(answer);
  if (page.text.trim() === '') {
    throw new ProviderError('malformed', `The page of ${host} has no readable text.`);
  }
  return page.text.length <= MAX_TEXT_CHARACTERS
    ? page
    : {
        ...page,
        text: page.text.slice(0, MAX_TEXT_CHARACTERS),
        notes: [`Only the first ${MAX_TEXT_CHARACTERS} characters of the page were read.`],
      };
}

const limitBytes = ({ contentType }: GuardedHead): number =>
  HTML_TYPE.test(contentType) ? HTML_BYTES : TEXT_TYPE.test(contentType) ? TEXT_BYTES : OTHER_BYTES;

async function readText(answer: GuardedAnswer): Promise<DirectPage> {
  const { contentType, bytes, url, headers } = answer;
  const beginning = bytes.subarray(0, 1_024);
  const isDeclared = HTML_TYPE.test(contentType) || TEXT_TYPE.test(contentType);
  const isUnknown = contentType === '' || /^application\/(octet-stream|unknown)$/.test(contentType);
  if (!isDeclared && !(isUnknown && !isBinary(beginning))) {
    throw new ProviderError(
      'refused',
      `The page of ${url.hostname} is ${contentType === '' ? 'no text' : contentType}, which is not read.`,
    );
  }
  const { text } = decodeText(bytes, charsetOf(headers['content-type'] ?? ''));
  const isHtml =
    HTML_TYPE.test(contentType) ||
    (!/json|csv|markdown/.test(contentType) && MARKUP.test(text.slice(0, 1_024)));
  if (!isHtml) return { ...plain(url, text), isThin: false };
  if (bytes.byteLength > HTML_BYTES) {
    throw new ProviderError(
      'too-large',
      `The page of ${url.hostname} has more than ${HTML_BYTES} bytes of HTML.`,
    );
  }
  // The parsers take longer to load than most pages to read.
  const { extractPage } = await import('./html/extract-page.ts');
  return { url: url.href, ...extractPage(text, url.href) };
}

const plain = (url: URL, text: string): PageContent => ({
  url: url.href,
  title: decodeURIComponentSafely(url.pathname.split('/').at(-1) ?? '') || url.hostname,
  author: null,
  text: text.replace(/\r\n?/g, '\n').replace(/\0/g, ''),
});

/** Names in addresses are not always escaped as they should be. */
function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

/** Zero bytes and other control characters do not occur in text, save in UTF-16. */
function isBinary(beginning: Uint8Array): boolean {
  const [first, second] = beginning;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return false;
  return beginning.some((byte) => byte === 0 || (byte < 9 && byte > 0) || byte === 0x0e);
}
