import type { Clock } from '../clock.ts';
import type { Database } from '../db/client.ts';
import { AppError, notFound } from '../errors.ts';
import { createId } from '../id.ts';
import { requireOperator, writeAudit } from './audit.ts';
import { MIN_PASSWORD_CHARACTERS, type Auth } from './auth.ts';
import { isUniqueViolation } from './database-errors.ts';
import { checkInvitation, useInvitation } from './invitation-use.ts';
import { hasOperator, storeRole } from './operator-role.ts';
import { createToken, hashToken } from './secret-token.ts';
import type { AccountService, ApiKeyRecord, InvitationRecord, PersonRecord } from './services.ts';

type Role = 'USER' | 'OPERATOR';

export interface AccountDependencies {
  readonly database: Database;
  readonly auth: Auth;
  readonly clock: Clock;
  publicUrl(): string;
  /** Told when a session or key ends: its subscriptions end with it. */
  onCredentialEnd(credentialId: string, userId: string): void;
}

export interface NewAccount {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

export interface Accounts extends AccountService {
  hasOperator(): Promise<boolean>;
  /** The address that makes the first operator's account, once; null when there is an operator. Earlier ones end. */
  createFirstLink(): Promise<string | null>;
  /** The address that lets one person make an account, once. */
  createLink(invitation: {
    readonly role: Role;
    readonly note: string;
    readonly createdById: string | null;
  }): Promise<{ readonly invitation: InvitationRecord; readonly url: string }>;
  /**
   * Makes the account that an invitation allows.
   * @throws AppError `FORBIDDEN` if the link is used, too old or unknown.
   * @throws AppError `BAD_INPUT` for an impossible address, name or password, or one that is taken.
   */
  acceptInvitation(token: string, account: NewAccount): Promise<void>;
  /** For the shell: makes an account without an invitation. */
  createUser(account: NewAccount, role: Role): Promise<string>;
  /** For the shell: sets a password and ends all sessions of the person. */
  resetPassword(email: string, password: string): Promise<void>;
  /** For the shell: the key alone. */
  createKeyFor(
    userId: string,
    key: { readonly name: string; readonly role: Role },
  ): Promise<{
    readonly apiKey: ApiKeyRecord;
    readonly key: string;
  }>;
}

const INVITATION_LIFETIME_MS = 7 * 86_400_000;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,255}$/;

const INVITATION_COLUMNS = {
  id: true,
  role: true,
  note: true,
  createdAt: true,
  expiresAt: true,
  usedAt: true,
} as const;

const KEY_COLUMNS = {
  id: true,
  name: true,
  role: true,
  prefix: true,
  createdAt: true,
  lastUsedAt: true,
} as const;

export function createAccounts(dependencies: AccountDependencies): Accounts {
  const { database, auth, clock } = dependencies;
  const { client } = database;

  async function createLink(invitation: { role: Role; note: string; createdById: string | null }) {
    const token = createToken('invite');
    const row = await client.invitation.create({
      data: {
        id: createId(),
        tokenHash: hashToken(token),
        ...invitation,
        expiresAt: new Date(clock.now() + INVITATION_LIFETIME_MS),
      },
      select: INVITATION_COLUMNS,
    });
    // The token stands behind the #: browsers send that part to nobody.
    return { invitation: row, url: `${dependencies.publicUrl()}/welcome#token=${token}` };
  }

  async function createKeyFor(userId: string, { name, role }: { name: string; role: Role }) {
    const clean = name.trim();
    if (clean === '' || clean.length > 100) {
      throw new AppError('BAD_INPUT', 'The name of a key must have 1 to 100 characters.');
    }
    const key = createToken('sbx');
    const apiKey = await client.apiKey.create({
      data: {
        id: createId(),
        userId,
        name: clean,
        role,
        hash: hashToken(key),
        prefix: key.slice(0, 10),
      },
      select: KEY_COLUMNS,
    });
    return { apiKey, key };
  }

  return {
    createLink,
    createKeyFor,

    hasOperator: () => hasOperator(client),

    async createFirstLink() {
      await client.invitation.deleteMany({ where: { createdById: null, usedAt: null } });
      if (await hasOperator(client)) return null;
      const { url } = await createLink({
        role: 'OPERATOR',
        note: 'First operator',
        createdById: null,
      });
      return url;
    },

    async acceptInvitation(token, account) {
      const now = new Date(clock.now());
      const tokenHash = hashToken(token);
      // Nobody without a link makes the server work on a password.
      await checkInvitation(client, { tokenHash, now });
      const user = await prepareUser(auth, account);
      await rejectTaken(account.email, () =>
        client.$transaction(async (transaction) => {
          const role = await useInvitation(transaction, { tokenHash, now });
          await transaction.user.create({ data: { ...user, role } });
        }),
      );
    },

    async createUser(account, role) {
      const user = await prepareUser(auth, account);
      await rejectTaken(account.email, () => client.user.create({ data: { ...user, role } }));
      return user.id;
    },

    async resetPassword(email, password) {
      checkPassword(password);
      const user = await client.user.findUnique({ where: { email: email.toLowerCase() } });
      if (user === null) throw notFound('Account', email);
      await client.account.updateMany({
        where: { userId: user.id, providerId: 'credential' },
        data: { password: await auth.hashPassword(password) },
      });
      await endSessions(dependencies, user.id);
    },

    async people(viewer) {
      requireOperator(viewer);
      const users = await client.user.findMany({
        orderBy: { createdAt: 'asc' },
        include: { _count: { select: { chats: { where: { kind: 'CHAT' } } } } },
      });
      return users.map(toPerson);
    },

    async setRole(viewer, userId, role) {
      requireOperator(viewer);
      await client.$transaction((transaction) => storeRole(transaction, userId, role));
      await endSessions(dependencies, userId);
      await endKeyStreams(dependencies, userId);
      await writeAudit(database, viewer, {
        action: 'person.role',
        subject: userId,
        details: { role },
      });
      const user = await client.user.findUniqueOrThrow({
        where: { id: userId },
        include: { _count: { select: { chats: { where: { kind: 'CHAT' } } } } },
      });
      return toPerson(user);
    },

    async invitations(viewer) {
      requireOperator(viewer);
      return client.invitation.findMany({
        orderBy: { createdAt: 'desc' },
        take: 200,
        select: INVITATION_COLUMNS,
      });
    },

    async createInvitation(viewer, { role, note }) {
      requireOperator(viewer);
      const made = await createLink({ role, note: note.slice(0, 200), createdById: viewer.id });
      await writeAudit(database, viewer, {
        action: 'invitation.create',
        subject: made.invitation.id,
        details: { role },
      });
      return made;
    },

    async revokeInvitation(viewer, invitationId) {
      requireOperator(viewer);
      const removed = await client.invitation.deleteMany({ where: { id: invitationId } });
      if (removed.count === 0) throw notFound('Invitation', invitationId);
      await writeAudit(database, viewer, { action: 'invitation.revoke', subject: invitationId });
    },

    apiKeys: (viewer) =>
      client.apiKey.findMany({
        where: { userId: viewer.id, revokedAt: null },
        orderBy: { createdAt: 'asc' },
        select: KEY_COLUMNS,
      }),

    async createApiKey(viewer, key) {
      if (key.role === 'OPERATOR') requireOperator(viewer);
      return createKeyFor(viewer.id, key);
    },

    async revokeApiKey(viewer, apiKeyId) {
      const revoked = await client.apiKey.updateMany({
        where: { id: apiKeyId, userId: viewer.id, revokedAt: null },
        data: { revokedAt: new Date(clock.now()) },
      });
      if (revoked.count === 0) throw notFound('API key', apiKeyId);
      dependencies.onCredentialEnd(apiKeyId, viewer.id);
    },
  };
}

function checkPassword(password: string): void {
  if (password.length >= MIN_PASSWORD_CHARACTERS && password.length <= 200) return;
  throw new AppError(
    'BAD_INPUT',
    `A password must have ${MIN_PASSWORD_CHARACTERS} to 200 characters, but this one has ${password.length}.`,
  );
}

async function prepareUser(auth: Auth, { name, email, password }: NewAccount) {
  const address = email.trim().toLowerCase();
  if (!EMAIL.test(address)) {
    throw new AppError(
      'BAD_INPUT',
      `${JSON.stringify(address.slice(0, 100))} is no e-mail address.`,
    );
  }
  const person = name.trim();
  if (person === '' || person.length > 100) {
    throw new AppError('BAD_INPUT', 'A name must have 1 to 100 characters.');
  }
  checkPassword(password);
  const id = createId();
  return {
    id,
    email: address,
    name: person,
    accounts: {
      create: {
        accountId: id,
        providerId: 'credential',
        password: await auth.hashPassword(password),
      },
    },
  };
}

async function rejectTaken(email: string, create: () => Promise<unknown>): Promise<void> {
  try {
    await create();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new AppError('BAD_INPUT', `There is an account with the address ${email} already.`);
  }
}

async function endSessions(
  { database, auth, onCredentialEnd }: AccountDependencies,
  userId: string,
): Promise<void> {
  const sessions = await database.client.session.findMany({ where: { userId } });
  await database.client.session.deleteMany({ where: { userId } });
  for (const { id } of sessions) {
    auth.forget(id);
    onCredentialEnd(id, userId);
  }
}

/** What runs under the person's keys has the old role; the keys themselves stay. */
async function endKeyStreams(
  { database, onCredentialEnd }: AccountDependencies,
  userId: string,
): Promise<void> {
  const keys = await database.client.apiKey.findMany({ where: { userId, revokedAt: null } });
  for (const { id } of keys) onCredentialEnd(id, userId);
}

const toPerson = (user: {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: Date;
  readonly _count: { readonly chats: number };
}): PersonRecord => ({
  id: user.id,
  email: user.email,
  name: user.name,
  role: user.role,
  createdAt: user.createdAt,
  chatCount: user._count.chats,
});
