/** What the pool knows of one of its processes. */
export interface MemoryUser {
  readonly state: 'starting' | 'ready' | 'busy' | 'ending';
  /** 0 where the machine does not tell. */
  readonly rssBytes: number;
}

/** What all processes may use together, and who has to go when they use more. */
export interface MemoryBudget<User extends MemoryUser> {
  /** Whether one more process may start; the first always may. `waiting`: runs that have none yet. */
  mayStart(users: readonly User[], waiting: number): boolean;
  /** Whether a process that is ready may begin a run; one alone always may. */
  mayRun(user: User, users: readonly User[]): boolean;
  /** Null while all fit: a process without a run goes first, then the largest. */
  findVictim(users: readonly User[]): User | null;
}

/** A process that waits for its run. */
const START_BYTES = 256 * 1_048_576;
/** What a run is sure of; what nobody else uses it has besides. */
const RUN_BYTES = 384 * 1_048_576;

/**
 * Every run is promised a fixed share, so one that is larger can only take what is left over and goes when
 * somebody else needs it: the sum of the promises never exceeds the budget.
 */
export function createMemoryBudget<User extends MemoryUser>(
  budgetBytes: number,
): MemoryBudget<User> {
  const chargeOf = ({ state, rssBytes }: User): number =>
    Math.max(rssBytes, state === 'busy' ? RUN_BYTES : START_BYTES);
  const sum = (users: readonly User[]): number =>
    users.reduce((total, user) => total + chargeOf(user), 0);

  return {
    mayStart(users, waiting) {
      const idle = users.filter(({ state }) => state === 'starting' || state === 'ready').length;
      const promised = Math.min(idle, waiting) * (RUN_BYTES - START_BYTES);
      const own = idle < waiting ? RUN_BYTES : START_BYTES;
      return users.length === 0 || sum(users) + promised + own <= budgetBytes;
    },
    mayRun(user, users) {
      const others = users.filter((other) => other !== user);
      const own = Math.max(user.rssBytes, RUN_BYTES);
      return others.length === 0 || sum(others) + own <= budgetBytes;
    },
    findVictim(users) {
      const total = users.reduce((bytes, { rssBytes }) => bytes + rssBytes, 0);
      // What is ending will give its memory back in a moment.
      if (total <= budgetBytes || users.some(({ state }) => state === 'ending')) return null;
      const idle = users.find(({ state }) => state !== 'busy');
      return idle ?? users.toSorted((a, b) => b.rssBytes - a.rssBytes)[0] ?? null;
    },
  };
}
