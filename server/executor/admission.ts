/** A place among the running calls; it must be given back once. */
export type Release = () => void;

export interface Ticket {
  /** Resolves with the place; null when the wait was given up. */
  readonly admitted: Promise<Release | null>;
  /** Gives up waiting. */
  leave(): void;
}

/** Lets a bounded number of calls run and wait, and takes turns between people. */
export interface Admission {
  /** Null when the queue is full. */
  enter(userId: string): Ticket | null;
  counts(): { readonly busy: number; readonly queued: number; readonly refused: number };
}

interface Waiter {
  readonly userId: string;
  resolve(release: Release | null): void;
}

export function createAdmission(options: {
  readonly places: number;
  readonly queueLimit: number;
}): Admission {
  /** One queue for each person; the person whose turn it is stands first. */
  const queues = new Map<string, Waiter[]>();
  let [busy, queued, refused] = [0, 0, 0];

  function take(): Release {
    busy += 1;
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      busy -= 1;
      admitNext();
    };
  }

  function admitNext(): void {
    const [first] = queues;
    if (first === undefined || busy >= options.places) return;
    const [userId, waiters] = first;
    const waiter = waiters.shift();
    queues.delete(userId);
    if (waiters.length > 0) queues.set(userId, waiters);
    if (waiter === undefined) return;
    queued -= 1;
    waiter.resolve(take());
  }

  function leave(waiter: Waiter): void {
    const waiters = queues.get(waiter.userId);
    const index = waiters?.indexOf(waiter) ?? -1;
    if (waiters === undefined || index < 0) return;
    waiters.splice(index, 1);
    if (waiters.length === 0) queues.delete(waiter.userId);
    queued -= 1;
    waiter.resolve(null);
  }

  return {
    enter(userId) {
      if (busy < options.places && queued === 0) {
        return { admitted: Promise.resolve(take()), leave: () => undefined };
      }
      if (queued >= options.queueLimit) {
        refused += 1;
        return null;
      }
      queued += 1;
      const { promise, resolve } = Promise.withResolvers<Release | null>();
      const waiter: Waiter = { userId, resolve };
      queues.set(userId, [...(queues.get(userId) ?? []), waiter]);
      return { admitted: promise, leave: () => leave(waiter) };
    },
    counts: () => ({ busy, queued, refused }),
  };
}
