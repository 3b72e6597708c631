import type { SubscriptionRequest } from './prepare-subscription.ts';

const MAX_ID_CHARACTERS = 200;

/** What a client may send in graphql-transport-ws. */
export type ClientMessage =
  | { readonly type: 'connection_init'; readonly payload?: unknown }
  | { readonly type: 'ping' | 'pong' }
  | { readonly type: 'subscribe'; readonly id: string; readonly payload: SubscriptionRequest }
  | { readonly type: 'complete'; readonly id: string };

/** Null for anything that is no message of a client. */
export function parseMessage(text: string): ClientMessage | null {
  try {
    const message = JSON.parse(text) as Record<string, unknown> | null;
    const { type, id, payload } = message ?? {};
    const hasId = typeof id === 'string' && id !== '' && id.length <= MAX_ID_CHARACTERS;
    if (type === 'subscribe' && !(hasId && typeof payload === 'object' && payload !== null)) {
      return null;
    }
    if (type === 'complete' && !hasId) return null;
    return message as unknown as ClientMessage;
  } catch {
    return null;
  }
}
