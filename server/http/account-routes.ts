import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../errors.ts';
import type { Accounts } from '../services/accounts.ts';
import type { Auth } from '../services/auth.ts';
import type { Viewer } from '../services/viewer.ts';
import { readJsonObject, sendJson } from './json-answer.ts';

const MAX_BODY_BYTES = 10_000;
/** Links that are tried in a minute, by everybody together: nobody guesses 256 bits, but each try costs a hash. */
const TRIES_A_MINUTE = 30;

export interface AccountRoutes {
  /** `GET /api/v1/session`: who is signed in, and whether the first operator is still missing. */
  session(response: ServerResponse, viewer: Viewer | null): Promise<void>;
  /** `POST /api/v1/invitations/accept`: makes the account of a link and signs it in. */
  accept(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

export function createAccountRoutes({
  accounts,
  auth,
  now,
}: {
  readonly accounts: Accounts;
  readonly auth: Auth;
  now(): number;
}): AccountRoutes {
  let window = { startedAt: 0, tries: 0 };

  function countTry(): void {
    if (now() - window.startedAt > 60_000) window = { startedAt: now(), tries: 0 };
    window.tries += 1;
    if (window.tries > TRIES_A_MINUTE) {
      throw new AppError('OVERLOADED', 'Too many links were tried; try again in a minute.');
    }
  }

  return {
    async session(response, viewer) {
      const needsFirstOperator = viewer === null && !(await accounts.hasOperator());
      const shown =
        viewer === null
          ? null
          : { id: viewer.id, email: viewer.email, name: viewer.name, role: viewer.role };
      sendJson(response, 200, { viewer: shown, needsFirstOperator });
    },

    async accept(request, response) {
      countTry();
      const body = await readJsonObject(request, MAX_BODY_BYTES);
      const [token, name, email, password] = ['token', 'name', 'email', 'password'].map((key) =>
        readField(body, key),
      );
      await accounts.acceptInvitation(token!, { name: name!, email: email!, password: password! });
      const cookies = await auth.signIn(email!.trim().toLowerCase(), password!);
      response.setHeader('set-cookie', [...cookies]);
      sendJson(response, 200, {});
    },
  };
}

function readField(body: Record<string, unknown>, key: string): string {
  const value = body[key];
  if (typeof value === 'string') return value;
  throw new AppError('BAD_INPUT', `${key} must be given as text.`);
}
