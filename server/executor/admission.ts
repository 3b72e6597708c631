/** A place among the running calls; it must be given back once. */
export type Release = () => void;

export interface Ticket {
  /** Resolves with the place; `left` when the wait was given up, `refused` when somebody else got its room. */
  readonly admitted: Promise<Release | 'left' | 'refused'>;
  /** Gives up waiting. */
  leave(): void;
}

/**
 * Lets a bounded number of calls run and wait, and takes turns between people. When the queue is full,
 * whoever has most calls in it makes room for somebody who has less.
 */
export interface Admission {
  /** Null when the queue is full, and nobody else has more of it. */
  enter(userId: string): Ticket | null;
  counts(): { readonly busy: number; readonly queued: number; readonly refused: number };
}

interface Waiter {
  readonly userId: string;
  resolve(end: Release | 'left' | 'refused'): void;
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

  function leave(waiter: Waiter, end: 'left' | 'refused'): void {
    const waiters = queues.get(waiter.userId);
    const index = waiters?.indexOf(waiter) ?? -1;
    if (waiters === undefined || index < 0) return;
    waiters.splice(index, 1);
    if (waiters.length === 0) queues.delete(waiter.userId);
    queued -= 1;
    waiter.resolve(end);
  }

  /** Whether there is room for one more call of a person, if need be in place of somebody's last. */
  function makeRoom(userId: string): boolean {
    if (queued < options.queueLimit) return true;
    refused += 1;
    const longest = [...queues.values()].reduce(
      (most, waiters) => (waiters.length > most.length ? waiters : most),
      [],
    );
    const last = longest.at(-1);
    if (last === undefined || longest.length <= (queues.get(userId)?.length ?? 0) + 1) return false;
    leave(last, 'refused');
    return true;
  }

  return {
    enter(userId) {
      if (busy < options.places && queued === 0) {
        return { admitted: Promise.resolve(take()), leave: () => undefined };
      }
      if (!makeRoom(userId)) return null;
      queued += 1;
      const { promise, resolve } = Promise.withResolvers<Release | 'left' | 'refused'>();
      const waiter: Waiter = { userId, resolve };
      queues.set(userId, [...(queues.get(userId) ?? []), waiter]);
      return { admitted: promise, leave: () => leave(waiter, 'left') };
    },
    counts: () => ({ busy, queued, refused }),
  };
}
