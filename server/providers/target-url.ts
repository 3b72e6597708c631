import { isIP } from 'node:net';
import { PUBLIC_WEB, type TargetRule } from './address-rule.ts';
import { ProviderError } from './provider-error.ts';

/** A URL that is not fetched, whoever asks: trying it another way is no use either. */
export class ForbiddenTargetError extends ProviderError {
  constructor(message: string) {
    super('refused', message);
  }
}

const MAX_URL_CHARACTERS = 4_096;
const SHOWN_CHARACTERS = 200;
/** Names that only mean something inside a machine or a private network. */
const LOCAL_NAME =
  /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home|corp|private|home\.arpa)$/;

/**
 * The URL that is meant by a text from a model, a person or a `Location` header.
 *
 * @param base - what a relative text is relative to.
 * @throws ForbiddenTargetError if it is none, or leads where `rule` forbids, as far as that shows
 *   without asking for the address of its name.
 */
export function parseTargetUrl(text: string, rule: TargetRule = PUBLIC_WEB, base?: URL): URL {
  const trimmed = text.trim();
  if (trimmed.length > MAX_URL_CHARACTERS) {
    throw new ForbiddenTargetError(
      `The URL has ${trimmed.length} characters, but may have at most ${MAX_URL_CHARACTERS}.`,
    );
  }
  const url = URL.parse(trimmed, base?.href);
  if (url === null) {
    throw new ForbiddenTargetError(
      `"${shown(trimmed)}" is not a complete URL, such as https://example.com/page.`,
    );
  }
  const problem = findProblem(url, rule);
  if (problem !== null) throw new ForbiddenTargetError(problem);
  return url;
}

/** An IPv6 address stands in brackets; a final dot only says that the name is complete. */
export const hostOf = (url: URL): string =>
  url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');

export const portOf = (url: URL): number =>
  url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);

function findProblem(url: URL, rule: TargetRule): string | null {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return `The URL begins with ${shown(url.protocol)}, but only http: and https: are fetched.`;
  }
  if (url.username !== '' || url.password !== '') {
    return 'The URL holds a user name or password, which is not allowed.';
  }
  if (!rule.isAllowedPort(portOf(url))) {
    return `The URL names port ${portOf(url)}, but only 80 and 443 are allowed.`;
  }
  const host = hostOf(url);
  if (isIP(host) !== 0) {
    return rule.isAllowedAddress(host)
      ? null
      : `The address ${host} does not belong to the public internet.`;
  }
  if (LOCAL_NAME.test(host) || !host.includes('.')) {
    return `"${shown(host)}" is no name of the public internet.`;
  }
  return null;
}

const shown = (text: string): string =>
  text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
