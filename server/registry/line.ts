/** Jobs that run one after the other. */
export interface Line {
  /** Runs `job` after those before it; settles as it does. */
  add(job: () => Promise<void>): Promise<void>;
  isBusy(): boolean;
  /** Jobs that still wait are dropped, and failures are not told of any more. */
  close(): void;
  /** Resolves when the last job has ended; never rejects. */
  end(): Promise<void>;
}

/** @param onFailure - told of each job that fails, also of one that nobody waits for. */
export function createLine(onFailure: (error: unknown) => void): Line {
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;
  let isClosed = false;

  return {
    add(job) {
      waiting += 1;
      const run = last.then(() => (isClosed ? undefined : job()));
      last = run
        .catch((error: unknown) => {
          if (!isClosed) onFailure(error);
        })
        .finally(() => {
          waiting -= 1;
        });
      return run;
    },
    isBusy: () => waiting > 0,
    close: () => {
      isClosed = true;
    },
    end: () => last,
  };
}
