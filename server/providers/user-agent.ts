import packageJson from '../../package.json' with { type: 'json' };

/**
 * How the service names itself to others: product, version and, where the operator gave one, a contact.
 * Wikimedia, Crossref and PubMed ask for a contact and are slower, or refuse, without it.
 */
export function createUserAgent(contact: string | null): string {
  // A header line holds printable ASCII; a bracket would end the comment that carries the contact.
  const printable = (contact ?? '').replace(/[^\x20-\x7e]|[()]/g, '').trim();
  return `Signalbox/${packageJson.version} (${printable || 'self-hosted, no contact given'})`;
}
