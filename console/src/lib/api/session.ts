import { readAnswer, send } from './client.ts';
import { disconnect } from './subscribe.ts';

export interface SignedIn {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: 'USER' | 'OPERATOR';
}

export interface Session {
  readonly viewer: SignedIn | null;
  /** Nobody has used the link of the first start yet. */
  readonly needsFirstOperator: boolean;
}

const postJson = (path: string, body: object): Promise<Response> =>
  send(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

export const readSession = async (): Promise<Session> =>
  readAnswer<Session>(await send('/api/v1/session'));

/** @throws ApiError for a wrong address or password, or after too many tries. */
export async function signIn(email: string, password: string): Promise<void> {
  await readAnswer(await postJson('/api/auth/sign-in/email', { email, password }));
}

export async function signOut(): Promise<void> {
  disconnect();
  await readAnswer(await postJson('/api/auth/sign-out', {}));
}

/** Makes the account of a link, and signs it in. */
export async function acceptInvitation(account: {
  readonly token: string;
  readonly name: string;
  readonly email: string;
  readonly password: string;
}): Promise<void> {
  await readAnswer(await postJson('/api/v1/invitations/accept', account));
}
