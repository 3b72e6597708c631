const LINK_PROTOCOLS = new Set(['http:', 'https:', 'mailto:']);

/** The address of a link that a model wrote; null for one that does more than lead somewhere. */
export function safeLink(address: string, base = location.origin): string | null {
  if (!URL.canParse(address, base)) return null;
  // The parser strips blanks and control characters that would hide a scheme.
  const url = new URL(address, base);
  return LINK_PROTOCOLS.has(url.protocol) ? url.href : null;
}

/** Only files of the own server are loaded: a foreign address can carry the chat away in its query. */
export function safeImage(address: string, base = location.origin): string | null {
  if (!URL.canParse(address, base)) return null;
  const url = new URL(address, base);
  const isOwn = url.origin === base && url.pathname.startsWith('/generated-files/');
  return isOwn && url.search === '' ? url.href : null;
}
