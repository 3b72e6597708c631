import type { ChatEvent, ViewerEvent } from './chat-event.ts';

/** A character that PostgreSQL's `jsonb` refuses: NUL, or half of a surrogate pair. */
const REFUSED = /\\(?:u0000|ud[89a-f][0-9a-f]{2}|.)/g;

export interface EncodedEvent<Event> {
  /** The event as it is stored and read back. */
  readonly event: Event;
  readonly json: string;
}

/**
 * The JSON text of an event as the database takes it. Characters that `jsonb` refuses become U+FFFD,
 * in the returned event too, so that live readers and later ones see the same.
 */
export function encodeEvent<Event extends ChatEvent | ViewerEvent>(
  event: Event,
): EncodedEvent<Event> {
  const json = JSON.stringify(event);
  if (!json.includes('\\u')) return { event, json };
  const clean = json.replace(REFUSED, (escape) => (isRefused(escape) ? '\\ufffd' : escape));
  return clean === json ? { event, json } : { event: JSON.parse(clean) as Event, json: clean };
}

/** `JSON.stringify` writes a pair as itself, so an escaped surrogate is always a lone one. */
const isRefused = (escape: string): boolean => escape === '\\u0000' || escape.startsWith('\\ud');
