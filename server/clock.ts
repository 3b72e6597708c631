/** Time as the parts see it; tests hand in one that they move by hand. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * Calls `run` once after `delayMs`; the returned function takes that back.
   * A pending timer does not keep the process alive.
   */
  after(delayMs: number, run: () => void): () => void;
  /** Calls `run` every `intervalMs` until the returned function is called. */
  every(intervalMs: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: Date.now,
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs).unref();
    return () => clearTimeout(timer);
  },
  every(intervalMs, run) {
    const timer = setInterval(run, intervalMs).unref();
    return () => clearInterval(timer);
  },
};
