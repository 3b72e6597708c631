import type { Config } from '../config.ts';
import type { Database } from '../db/client.ts';
import { AppError } from '../errors.ts';
import type { ModelCatalogue } from '../models/model.ts';
import type { ToolRegistry } from '../registry/registry.ts';
import type { Accounts } from '../services/accounts.ts';
import { examine } from './doctor.ts';

/** What a command works on: the running server's parts, or ones opened for it alone. */
export interface AdminContext {
  readonly config: Config;
  readonly database: Database;
  readonly accounts: Accounts;
  /** Loading the tools takes its time, and only some commands look at them. */
  openRegistry(): Promise<ToolRegistry>;
  readonly catalogue: ModelCatalogue;
}

export type AdminCommand =
  | {
      readonly name: 'create-user';
      readonly email: string;
      readonly person: string;
      readonly role: 'USER' | 'OPERATOR';
      readonly password: string;
    }
  | {
      readonly name: 'create-api-key';
      /** Null for the oldest operator's account. */
      readonly email: string | null;
      readonly role: 'USER' | 'OPERATOR';
      readonly label: string;
    }
  | { readonly name: 'reset-password'; readonly email: string; readonly password: string }
  | { readonly name: 'doctor' }
  | { readonly name: 'backup' };

export interface AdminOutcome {
  readonly text: string;
  /** Exit code of the command. */
  readonly code: number;
}

const done = (text: string): AdminOutcome => ({ text, code: 0 });

/** @throws AppError for whatever the person can mend. */
export async function runCommand(
  context: AdminContext,
  command: AdminCommand,
): Promise<AdminOutcome> {
  const { accounts, database } = context;
  switch (command.name) {
    case 'create-user': {
      const { email, person, password, role } = command;
      await accounts.createUser({ email, name: person, password }, role);
      return done(`Created the ${role === 'OPERATOR' ? 'operator' : 'user'} ${email}.`);
    }
    case 'create-api-key': {
      const userId = await findAccount(database, command.email);
      const { key } = await accounts.createKeyFor(userId, {
        name: command.label,
        role: command.role,
      });
      return done(key);
    }
    case 'reset-password':
      await accounts.resetPassword(command.email, command.password);
      return done(`The password of ${command.email} is set; all its sessions have ended.`);
    case 'doctor':
      return examine(context);
    case 'backup': {
      const { folder, bytes } = await database.backup();
      return done(`${folder} (${Math.ceil(bytes / 1_048_576)} MB)`);
    }
  }
}

async function findAccount(database: Database, email: string | null): Promise<string> {
  const user = await database.client.user.findFirst({
    where: email === null ? { role: 'OPERATOR' } : { email: email.trim().toLowerCase() },
    orderBy: { createdAt: 'asc' },
    select: { id: true },
  });
  if (user !== null) return user.id;
  throw new AppError(
    'NOT_FOUND',
    email === null
      ? 'There is no operator yet: make one with create-user --role operator.'
      : `No account has the address ${email}.`,
  );
}
