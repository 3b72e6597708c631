import type { Clock } from '../clock.ts';
import type { Database } from '../db/client.ts';
import type { Log } from '../log.ts';
import { createLocalBus, type Bus, type BusMessage } from './bus.ts';
import { createEventLog, type EventLog, type StreamChange } from './event-log.ts';
import { pruneEvents } from './event-pruning.ts';
import { createHub, type Hub } from './hub.ts';
import { createNotifyBus } from './notify-bus.ts';
import { adoptRestoredToolEvents } from './tool-event-store.ts';
import { createToolEventStream, hasToolEvents, type ToolEventStream } from './tool-event-stream.ts';

/** The event log and the ways out of it. */
export interface Events {
  readonly log: EventLog;
  readonly hub: Hub;
  readonly toolEvents: ToolEventStream;
  readonly bus: Bus;
  /** Removes what was stored before a time, and is kept elsewhere. @returns how many events. */
  prune(before: Date): Promise<number>;
  /** Writes what is waiting and lets go of timers and listeners. Subscriptions are ended by the transports. */
  close(): Promise<void>;
}

export interface EventsDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
}

export async function createEvents({ database, clock, log }: EventsDependencies): Promise<Events> {
  await adoptRestoredToolEvents(database.query);
  const bus = database.isEmbedded ? createLocalBus() : await createNotifyBus({ database, log });
  const hub = createHub({ database, bus, clock, log });
  const toolEvents = createToolEventStream({ database, bus, clock, log });
  const eventLog = createEventLog({
    database,
    clock,
    publish(changes) {
      hub.publish(changes);
      toolEvents.notice(changes);
      bus.announce(changes.map(toMessage));
    },
  });
  return {
    log: eventLog,
    hub,
    toolEvents,
    bus,
    prune: (before) => pruneEvents(database.query, before),
    async close() {
      await eventLog.drain();
      hub.close();
      toolEvents.close();
      await bus.close();
    },
  };
}

const toMessage = (change: StreamChange): BusMessage => ({
  type: 'stream',
  kind: change.stream.kind,
  id: change.stream.id,
  lastSequence: change.isGone ? null : (change.entries.at(-1)?.position ?? 0),
  hasToolEvents: hasToolEvents(change),
});
