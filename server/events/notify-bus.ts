import type { Database } from '../db/client.ts';
import type { Log } from '../log.ts';
import type { Bus, BusMessage } from './bus.ts';

const CHANNEL = 'signalbox_events';

/** PostgreSQL takes payloads of up to 7,999 bytes; ids are ASCII, so characters are bytes. */
const MAX_PAYLOAD_BYTES = 7_900;

export interface NotifyBusDependencies {
  readonly database: Database;
  readonly log: Log;
}

/**
 * A bus over PostgreSQL's NOTIFY. Notifications queue behind a lock of the whole server when they
 * commit, so what gathers while one is under way goes out together, newest number per stream.
 */
export async function createNotifyBus({ database, log }: NotifyBusDependencies): Promise<Bus> {
  const messageListeners = new Set<(message: BusMessage) => void>();
  const gapListeners = new Set<() => void>();
  let waiting = new Map<string, BusMessage>();
  let sending: Promise<void> | null = null;

  const stopListening = await database.listen(
    CHANNEL,
    (payload) => {
      for (const message of parsePayload(payload)) {
        for (const listener of messageListeners) listener(message);
      }
    },
    () => {
      for (const listener of gapListeners) listener();
    },
  );

  const sendAll = async (): Promise<void> => {
    while (waiting.size > 0) {
      const messages = [...waiting.values()];
      waiting = new Map();
      try {
        for (const payload of formatPayloads(messages)) {
          await database.notify(CHANNEL, payload);
        }
      } catch (error) {
        log.warn({ error }, 'Other processes could not be told of new events; they will look.');
      }
    }
    sending = null;
  };

  return {
    isShared: true,
    announce(messages) {
      for (const message of messages) merge(waiting, message);
      if (waiting.size > 0) sending ??= sendAll();
    },
    subscribe: (onMessage) => addTo(messageListeners, onMessage),
    onGap: (onGap) => addTo(gapListeners, onGap),
    async close() {
      await sending;
      await stopListening();
    },
  };
}

function addTo<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function merge(waiting: Map<string, BusMessage>, message: BusMessage): void {
  if (message.type === 'credential-end') {
    waiting.set(`credential:${message.credentialId}`, message);
    return;
  }
  const key = `${message.kind}:${message.id}`;
  const earlier = waiting.get(key);
  if (earlier?.type !== 'stream') {
    waiting.set(key, message);
    return;
  }
  const isGone = message.lastSequence === null || earlier.lastSequence === null;
  waiting.set(key, {
    ...message,
    // Two transactions may be told of in another order than they were stored in.
    lastSequence: isGone ? null : Math.max(message.lastSequence, earlier.lastSequence),
    hasToolEvents: message.hasToolEvents || earlier.hasToolEvents,
  });
}

/** @returns texts that are JSON arrays of messages, each short enough for one notification. */
function formatPayloads(messages: readonly BusMessage[]): string[] {
  const payloads: string[] = [];
  let current: string[] = [];
  let length = 0;
  for (const text of messages.map((message) => JSON.stringify(message))) {
    if (current.length > 0 && length + text.length + current.length > MAX_PAYLOAD_BYTES) {
      payloads.push(`[${current.join(',')}]`);
      current = [];
      length = 0;
    }
    current.push(text);
    length += text.length;
  }
  if (current.length > 0) payloads.push(`[${current.join(',')}]`);
  return payloads;
}

const parsePayload = (payload: string): BusMessage[] => JSON.parse(payload) as BusMessage[];
