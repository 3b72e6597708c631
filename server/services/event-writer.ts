import type { Transaction } from '../db/client.ts';
import { AppError } from '../errors.ts';
import type { ChatEvent, ViewerEvent } from '../events/chat-event.ts';
import type { EventLog } from '../events/event-log.ts';
import { chatStream, viewerStream } from '../events/stream.ts';
import type { Log } from '../log.ts';
import { isDeadlock, isOrphan } from './database-errors.ts';

/** Collects the events that belong to a transaction, in order. */
export interface EventCollector {
  chat(chatId: string, event: ChatEvent): void;
  viewer(userId: string, event: ViewerEvent): void;
  /** The transaction deletes the chat: whoever follows it is told. */
  chatGone(chatId: string): void;
}

/** Changes rows and logs, together. */
export interface EventWriter {
  /**
   * Runs `work` in one transaction with the events that it collects; they are published after the
   * commit. The transaction must be short and must not use the outer client. It is done again when
   * the database gave it up for another one, so `work` may run more than once.
   */
  transact<Outcome>(
    work: (transaction: Transaction, events: EventCollector) => Promise<Outcome>,
  ): Promise<Outcome>;
  /** Appends one event after all earlier ones, without waiting for it; a failure is logged. */
  emit(chatId: string, event: ChatEvent): void;
}

const ATTEMPTS = 3;

export function createEventWriter(eventLog: EventLog, log: Log): EventWriter {
  const attempt: EventWriter['transact'] = (work) =>
    eventLog.appendWithin(({ client, append, remove }) =>
      work(client, {
        chat: (id, event) => append(chatStream(id), event),
        viewer: (id, event) => append(viewerStream(id), event),
        chatGone: (id) => remove(chatStream(id)),
      }),
    );
  return {
    async transact(work) {
      for (let attempts = 1; ; attempts += 1) {
        try {
          return await attempt(work);
        } catch (error) {
          // Another try meets what the other transaction left, e.g. that the chat is gone.
          const isLostRace = isDeadlock(error) || isOrphan(error);
          if (attempts === ATTEMPTS || !isLostRace) throw error;
        }
      }
    },
    emit(chatId, event) {
      eventLog.append(chatStream(chatId), [event]).catch((error: unknown) => {
        const isGone = error instanceof AppError && error.code === 'NOT_FOUND';
        if (!isGone)
          log.error({ error, chatId, type: event.type }, 'An event could not be stored.');
      });
    },
  };
}
