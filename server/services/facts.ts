import type { Database, Transaction } from '../db/client.ts';
import { AppError, notFound } from '../errors.ts';
import { createId } from '../id.ts';
import type { EventWriter } from './event-writer.ts';
import type { FactRecord, FactService } from './services.ts';
import { storableText } from './storable.ts';

export interface Facts extends FactService {
  /** Stores a fact, unless one with the same words is there. */
  add(
    userId: string,
    text: string,
  ): Promise<{ readonly fact: FactRecord; readonly isNew: boolean }>;
  find(userId: string, match: string): Promise<readonly FactRecord[]>;
  remove(userId: string, factId: string): Promise<void>;
}

const MAX_FACT_CHARACTERS = 2_000;
const MAX_FACTS = 500;

const normalise = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase();

const FACT_COLUMNS = { id: true, text: true, createdAt: true } as const;

const listOf = (client: Pick<Transaction, 'fact'>, userId: string): Promise<FactRecord[]> =>
  client.fact.findMany({
    where: { userId },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    select: FACT_COLUMNS,
  });

export function createFactService(dependencies: {
  readonly database: Database;
  readonly events: EventWriter;
}): Facts {
  const { database, events } = dependencies;

  async function add(userId: string, text: string) {
    const clean = storableText(text.replace(/\s+/g, ' ').trim());
    if (clean === '' || clean.length > MAX_FACT_CHARACTERS) {
      throw new AppError(
        'BAD_INPUT',
        `A fact must have 1 to ${MAX_FACT_CHARACTERS} characters, but this one has ${clean.length}.`,
      );
    }
    return events.transact(async (transaction, collected) => {
      // Two facts of the same words at once must not both find that they are new.
      await transaction.$executeRaw`SELECT 1 FROM "User" WHERE "id" = ${userId} FOR UPDATE`;
      const facts = await listOf(transaction, userId);
      const same = facts.find((fact) => normalise(fact.text) === normalise(clean));
      if (same !== undefined) return { fact: same, isNew: false };
      if (facts.length >= MAX_FACTS) {
        throw new AppError(
          'BAD_INPUT',
          `${MAX_FACTS} facts are remembered, which is the limit; forget one first.`,
        );
      }
      collected.viewer(userId, { type: 'facts-change' });
      const fact = await transaction.fact.create({
        data: { id: createId(), userId, text: clean },
        select: FACT_COLUMNS,
      });
      return { fact, isNew: true };
    });
  }

  async function remove(userId: string, factId: string): Promise<void> {
    await events.transact(async (transaction, collected) => {
      const removed = await transaction.fact.deleteMany({ where: { id: factId, userId } });
      if (removed.count === 0) throw notFound('Fact', factId);
      collected.viewer(userId, { type: 'facts-change' });
    });
  }

  return {
    add,
    remove,
    async find(userId, match) {
      const facts = await listOf(database.client, userId);
      return facts.filter(({ text }) => normalise(text).includes(normalise(match)));
    },
    list: (viewer) => listOf(database.client, viewer.id),
    remember: async (viewer, text) => (await add(viewer.id, text)).fact,
    forget: (viewer, factId) => remove(viewer.id, factId),
  };
}
