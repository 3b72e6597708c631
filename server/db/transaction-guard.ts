import { AsyncLocalStorage } from 'node:async_hooks';
import { Prisma, type PrismaClient } from '../../prisma/generated/prisma/client.ts';
import { AppError } from '../errors.ts';

/** Knows, in every piece of code, whether that runs inside a transaction of this database. */
export interface TransactionGuard {
  /** Runs the body of a transaction. */
  run<Result>(body: () => Promise<Result>): Promise<Result>;
  /**
   * @param use - what is being asked of the database, for the message.
   * @throws Error if the caller is inside a transaction.
   * @throws AppError `UNAVAILABLE` after `close`.
   */
  assertFree(use: string): void;
  close(): void;
}

export function createTransactionGuard(): TransactionGuard {
  const current = new AsyncLocalStorage<{ isOpen: boolean }>();
  let isClosed = false;
  return {
    async run(body) {
      const transaction = { isOpen: true };
      try {
        return await current.run(transaction, body);
      } finally {
        // What the body has started and left behind (a timer, say) may use the database again.
        transaction.isOpen = false;
      }
    },
    assertFree(use) {
      if (isClosed) throw new AppError('UNAVAILABLE', 'The database is being closed.');
      if (current.getStore()?.isOpen !== true) return;
      throw new Error(
        `${use} was asked of the database inside a transaction, but not of the transaction. The ` +
          'embedded database has one session and would wait for itself: use the client that ' +
          '$transaction hands to its body.',
      );
    },
    close() {
      isClosed = true;
    },
  };
}

const lowerFirst = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

const QUERIES = new Set<string | symbol>([
  ...Object.keys(Prisma.ModelName).map(lowerFirst),
  '$queryRaw',
  '$queryRawUnsafe',
  '$executeRaw',
  '$executeRawUnsafe',
]);

type InteractiveBody = (client: Prisma.TransactionClient) => Promise<unknown>;

/** The same client, but one whose use inside its own transaction fails at once. */
export function guardClient(client: PrismaClient, guard: TransactionGuard): PrismaClient {
  async function $transaction(work: unknown, options?: object): Promise<unknown> {
    guard.assertFree('$transaction');
    if (typeof work !== 'function') return client.$transaction(work as never, options);
    const body = work as InteractiveBody;
    return client.$transaction((inner) => guard.run(() => body(inner)), options);
  }
  return new Proxy(client, {
    get(target, property) {
      if (property === '$transaction') return $transaction;
      if (QUERIES.has(property)) guard.assertFree(String(property));
      return Reflect.get(target, property, target) as unknown;
    },
  });
}
