import { escapeIdentifier, type Notification } from 'pg';

export interface Notifications {
  /**
   * Calls `onNotification` with the payload of every notification on a channel. `onGap` is called
   * when some may have been missed, because the connection had to be made anew.
   *
   * @returns once it listens: a function that ends this.
   */
  listen(
    channel: string,
    onNotification: (payload: string) => void,
    onGap?: () => void,
  ): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

interface Listener {
  readonly channel: string;
  readonly onNotification: (payload: string) => void;
  readonly onGap: (() => void) | undefined;
}

/** Everybody who listens on one session. */
export interface Listeners extends Pick<Notifications, 'listen'> {
  readonly channels: ReadonlySet<string>;
  deliver(notification: Notification): void;
  reportGap(): void;
}

/** @param run - runs a statement in the session that gets the notifications, in the order of calls. */
export function createListeners(run: (sql: string) => Promise<unknown>): Listeners {
  const listeners = new Set<Listener>();
  const channels = (): ReadonlySet<string> => new Set([...listeners].map(({ channel }) => channel));
  return {
    get channels() {
      return channels();
    },
    async listen(channel, onNotification, onGap) {
      const listener: Listener = { channel, onNotification, onGap };
      listeners.add(listener);
      await run(listenStatement(channel));
      return async () => {
        if (!listeners.delete(listener) || channels().has(channel)) return;
        await run(`UNLISTEN ${escapeIdentifier(channel)}`);
      };
    },
    deliver({ channel, payload }) {
      for (const listener of [...listeners]) {
        if (listener.channel === channel) listener.onNotification(payload ?? '');
      }
    },
    reportGap() {
      for (const { onGap } of [...listeners]) onGap?.();
    },
  };
}

/** The statement may be repeated without harm. */
export const listenStatement = (channel: string): string => `LISTEN ${escapeIdentifier(channel)}`;
