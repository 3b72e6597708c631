import type { Clock } from '../clock.ts';
import { createMemoryBudget, type MemoryUser } from './memory-budget.ts';
import type { SandboxEnd } from './sandbox.ts';

/** A process for one run. */
export interface PooledProcess {
  /** Rejects with a whole sentence if it does not come up. */
  readonly whenReady: Promise<void>;
  readonly whenEnded: Promise<void>;
  kill(reason: 'MEMORY' | 'IDLE' | 'CANCELLED'): void;
  readRssBytes(): number;
}

export interface ProcessPoolOptions<Process extends PooledProcess> {
  launch(): Process;
  /** Processes that are kept ready for the next run. */
  readonly size: number;
  /** For all processes together. */
  readonly memoryBytes: number;
  readonly clock: Clock;
}

export type Acquired<Process> =
  | { readonly process: Process }
  | { readonly refusal: Exclude<SandboxEnd, { readonly status: 'FINISHED' }> };

export interface ProcessPool<Process extends PooledProcess> {
  /** Runs are served in the order in which they came; `signal` takes one out. */
  acquire(signal: AbortSignal): Promise<Acquired<Process>>;
  /** Starts what is to be kept ready. */
  fill(): void;
  status(): PoolStatus;
  /** Ends every process, and resolves when all are gone. */
  close(): Promise<void>;
}

export interface PoolStatus {
  /** Why the last start failed; null after one that did not. */
  readonly problem: string | null;
  readonly ready: number;
  readonly starting: number;
  readonly busy: number;
  readonly waiting: number;
  readonly started: number;
  readonly memoryBytes: number;
}

interface Member<Process> extends MemoryUser {
  readonly process: Process;
  state: MemoryUser['state'];
  rssBytes: number;
}

/** Without a run for this long, no process is kept ready. */
export const IDLE_MS = 600_000;
export const MAX_WAITING = 100;
/** Starts take a whole processor each. */
const MAX_STARTING = 2;
/** Python can fill about 2 MB in a millisecond. */
const MEASURE_MS = 25;

/** Keeps single-use processes ready, within a budget of memory for all of them. */
export function createProcessPool<Process extends PooledProcess>(
  options: ProcessPoolOptions<Process>,
): ProcessPool<Process> {
  const { clock } = options;
  const budget = createMemoryBudget<Member<Process>>(options.memoryBytes);
  const members = new Set<Member<Process>>();
  const waiters: ((acquired: Acquired<Process>) => void)[] = [];
  let started = 0;
  let problem: string | null = null;
  let isIdle = false;
  let isClosed = false;
  let clearIdle = (): void => undefined;
  let stopMeasuring: (() => void) | null = null;

  const list = (...states: readonly MemoryUser['state'][]): Member<Process>[] =>
    [...members].filter(({ state }) => states.includes(state));

  function start(): void {
    const process = options.launch();
    const member: Member<Process> = { process, state: 'starting', rssBytes: 0 };
    members.add(member);
    started += 1;
    process.whenReady.then(
      () => {
        if (member.state !== 'starting') return;
        member.state = 'ready';
        problem = null;
        arrange();
      },
      (error: Error) => {
        if (member.state !== 'starting') return;
        member.state = 'ending';
        problem = error.message;
        waiters.shift()?.({ refusal: { status: 'NOT_SET_UP', error: error.message } });
      },
    );
    void process.whenEnded.then(() => {
      members.delete(member);
      if (member.state === 'ready') problem = 'The Python process ended before it was used.';
      arrange();
    });
  }

  function end(member: Member<Process>, reason: 'MEMORY' | 'IDLE' | 'CANCELLED'): void {
    member.state = 'ending';
    member.process.kill(reason);
  }

  /** Gives processes to runs, and starts or ends processes until there are as many as there should be. */
  function arrange(): void {
    if (isClosed) return;
    serve();
    // After a failed start only runs bring new ones: it would go round in a circle otherwise.
    const spare = isIdle || problem !== null ? 0 : options.size;
    const wanted = waiters.length + spare;
    for (const surplus of list('ready').slice(wanted)) end(surplus, 'IDLE');
    while (
      list('starting', 'ready').length < wanted &&
      list('starting').length < MAX_STARTING &&
      budget.mayStart([...members], waiters.length)
    ) {
      start();
    }
    measureWhileNeeded();
  }

  function serve(): void {
    for (let next = waiters[0]; next !== undefined; next = waiters[0]) {
      const [member] = list('ready');
      if (member === undefined) return;
      if (!budget.mayRun(member, [...members])) {
        makeRoom(member);
        return;
      }
      waiters.shift();
      member.state = 'busy';
      next({ process: member.process });
    }
  }

  /** A process that only waits has to go for a run; what is ending has to be gone first. */
  function makeRoom(member: Member<Process>): void {
    if (list('ending').length > 0) return;
    const other = list('starting', 'ready').find((candidate) => candidate !== member);
    if (other !== undefined) end(other, 'IDLE');
  }

  function measure(): void {
    for (const member of members) member.rssBytes = member.process.readRssBytes();
    const victim = budget.findVictim([...members]);
    if (victim !== null) end(victim, victim.state === 'busy' ? 'MEMORY' : 'IDLE');
    arrange();
  }

  function measureWhileNeeded(): void {
    const isNeeded = list('starting', 'busy').length > 0;
    if (isNeeded) stopMeasuring ??= clock.every(MEASURE_MS, measure);
    else {
      stopMeasuring?.();
      stopMeasuring = null;
    }
  }

  function noteUse(): void {
    isIdle = false;
    clearIdle();
    clearIdle = clock.after(IDLE_MS, () => {
      isIdle = true;
      arrange();
    });
  }

  return {
    acquire(signal) {
      const { promise, resolve } = Promise.withResolvers<Acquired<Process>>();
      if (isClosed || signal.aborted) return Promise.resolve({ refusal: CANCELLED });
      if (waiters.length >= MAX_WAITING) return Promise.resolve({ refusal: OVERLOADED });
      const leave = (): void => {
        waiters.splice(waiters.indexOf(waiter), 1);
        resolve({ refusal: CANCELLED });
        arrange();
      };
      const waiter = (acquired: Acquired<Process>): void => {
        signal.removeEventListener('abort', leave);
        resolve(acquired);
      };
      signal.addEventListener('abort', leave, { once: true });
      waiters.push(waiter);
      noteUse();
      arrange();
      return promise;
    },
    fill() {
      noteUse();
      arrange();
    },
    status: () => ({
      problem,
      ready: list('ready').length,
      starting: list('starting').length,
      busy: list('busy').length,
      waiting: waiters.length,
      started,
      memoryBytes: [...members].reduce((sum, { process }) => sum + process.readRssBytes(), 0),
    }),
    async close() {
      isClosed = true;
      clearIdle();
      stopMeasuring?.();
      for (const waiter of waiters.splice(0)) waiter({ refusal: CLOSED });
      for (const member of members) end(member, 'CANCELLED');
      await Promise.all([...members].map(({ process }) => process.whenEnded));
    },
  };
}

const CANCELLED = { status: 'CANCELLED', error: 'The run was cancelled.' } as const;
const CLOSED = { status: 'CANCELLED', error: 'The sandbox is being closed.' } as const;
const OVERLOADED = {
  status: 'OVERLOADED',
  error: `${MAX_WAITING} runs of Python are waiting already: try again later.`,
} as const;
