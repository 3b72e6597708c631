import type { Transaction } from '../db/client.ts';
import { AppError } from '../errors.ts';
import { hasOperator } from './operator-role.ts';

/** A link that somebody came with. */
export type Link = { readonly tokenHash: string; readonly now: Date };

/** @throws AppError `FORBIDDEN` unless the link can be used. */
export async function checkInvitation(
  client: Pick<Transaction, 'invitation' | 'user'>,
  { tokenHash, now }: Link,
): Promise<void> {
  const invitation = await client.invitation.findFirst({
    where: { tokenHash, usedAt: null, expiresAt: { gt: now } },
    select: { createdById: true },
  });
  if (invitation === null) throw linkRefused();
  // The link of the first start ends as soon as there is an operator, however made.
  if (invitation.createdById === null && (await hasOperator(client))) throw linkRefused();
}

/** @returns the role that the link gives; it can do so once. */
export async function useInvitation(
  transaction: Transaction,
  link: Link,
): Promise<'USER' | 'OPERATOR'> {
  await checkInvitation(transaction, link);
  const used = await transaction.invitation.updateManyAndReturn({
    where: { tokenHash: link.tokenHash, usedAt: null },
    data: { usedAt: link.now },
    select: { role: true },
  });
  if (used[0] === undefined) throw linkRefused();
  return used[0].role;
}

const linkRefused = (): AppError =>
  new AppError(
    'FORBIDDEN',
    'This link has been used, is too old or was taken back; ask an operator for a new one.',
  );
