import type { Transaction } from '../db/client.ts';
import { AppError, notFound } from '../errors.ts';

export async function hasOperator(client: Pick<Transaction, 'user'>): Promise<boolean> {
  return (await client.user.count({ where: { role: 'OPERATOR' } })) > 0;
}

/** @throws AppError `BAD_INPUT` if nobody would be left to operate the service. */
export async function storeRole(
  transaction: Transaction,
  userId: string,
  role: 'USER' | 'OPERATOR',
): Promise<void> {
  // Two operators who take the role from each other at once must not both succeed.
  await transaction.$executeRaw`
    SELECT 1 FROM "User" WHERE "role" = 'OPERATOR' ORDER BY "id" FOR UPDATE`;
  const others = await transaction.user.count({
    where: { role: 'OPERATOR', NOT: { id: userId } },
  });
  if (role === 'USER' && others === 0) {
    throw new AppError('BAD_INPUT', 'This is the last operator; make somebody else one first.');
  }
  const changed = await transaction.user.updateMany({ where: { id: userId }, data: { role } });
  if (changed.count === 0) throw notFound('Person', userId);
}
