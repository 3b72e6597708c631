import { prismaAdapter } from 'better-auth/adapters/prisma';
import { betterAuth } from 'better-auth/minimal';
import { toNodeHandler } from 'better-auth/node';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/client.ts';
import { createId } from '../id.ts';
import { hashToken } from './secret-token.ts';
import type { Viewer } from './viewer.ts';

export interface Credentials {
  readonly cookie: string | undefined;
  readonly authorization: string | undefined;
}

/** Who a request comes from. Passwords, sessions and sign-in limits are the account library's. */
export interface Auth {
  /** Serves `/api/auth/*`. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** The viewer of an API key or a session cookie; null without a valid one. */
  authenticate(credentials: Credentials): Promise<Viewer | null>;
  /** Forgets what is remembered of a session or key that has ended. */
  forget(credentialId: string): void;
  hashPassword(password: string): Promise<string>;
  /** Signs in and returns the cookies to set. */
  signIn(email: string, password: string): Promise<readonly string[]>;
}

export interface AuthDependencies {
  readonly database: Database;
  readonly config: Config;
  readonly clock: Clock;
  readonly secret: string;
  /** Address that people use, e.g. `http://127.0.0.1:4000`. */
  publicUrl(): string;
}

export const MIN_PASSWORD_CHARACTERS = 10;

/** A session is looked up this often at most; a sign-out here is noticed at once. */
const REMEMBER_MS = 5_000;
const REMEMBERED_AT_MOST = 1_000;

export function createAuth(dependencies: AuthDependencies): Auth {
  const { clock, database } = dependencies;
  const library = createLibrary(dependencies);
  const serve = toNodeHandler(library);
  const remembered = new Map<string, { readonly viewer: Viewer; readonly until: number }>();

  async function ofSession(cookie: string): Promise<Viewer | null> {
    const known = remembered.get(cookie);
    if (known !== undefined && known.until > clock.now()) return known.viewer;
    remembered.delete(cookie);
    const found = await library.api.getSession({ headers: new Headers({ cookie }) });
    if (found === null) return null;
    const user = await database.client.user.findUnique({ where: { id: found.user.id } });
    if (user === null) return null;
    const viewer = toViewer(user, user.role, found.session.id);
    if (remembered.size >= REMEMBERED_AT_MOST) remembered.clear();
    remembered.set(cookie, { viewer, until: clock.now() + REMEMBER_MS });
    return viewer;
  }

  async function ofKey(key: string): Promise<Viewer | null> {
    const found = await database.client.apiKey.findUnique({
      where: { hash: hashToken(key) },
      include: { user: true },
    });
    if (found === null || found.revokedAt !== null) return null;
    const now = new Date(clock.now());
    if (found.lastUsedAt === null || now.getTime() - found.lastUsedAt.getTime() > 60_000) {
      await database.client.apiKey.update({ where: { id: found.id }, data: { lastUsedAt: now } });
    }
    const { user } = found;
    const isOperator = user.role === 'OPERATOR' && found.role === 'OPERATOR';
    return toViewer(user, isOperator ? 'OPERATOR' : 'USER', found.id);
  }

  return {
    handle: (request, response) => serve(request, response),

    authenticate({ cookie, authorization }) {
      const key = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
      if (key !== undefined) return ofKey(key);
      return cookie === undefined ? Promise.resolve(null) : ofSession(cookie);
    },

    forget(credentialId) {
      for (const [cookie, { viewer }] of remembered) {
        if (viewer.credentialId === credentialId) remembered.delete(cookie);
      }
    },

    async hashPassword(password) {
      const context = await library.$context;
      return context.password.hash(password);
    },

    async signIn(email, password) {
      const response = await library.api.signInEmail({
        body: { email, password },
        headers: new Headers({ host: new URL(dependencies.publicUrl()).host }),
        asResponse: true,
      });
      return response.headers.getSetCookie();
    },
  };
}

const toViewer = (
  user: { readonly id: string; readonly email: string; readonly name: string },
  role: 'USER' | 'OPERATOR',
  credentialId: string,
): Viewer => ({ id: user.id, email: user.email, name: user.name, role, credentialId });

function createLibrary({ database, config, secret, ...addresses }: AuthDependencies) {
  const day = 86_400;
  return betterAuth({
    appName: 'Signalbox',
    database: prismaAdapter(database.client, { provider: 'postgresql' }),
    secret,
    baseURL: addresses.publicUrl(),
    basePath: '/api/auth',
    // The server has compared the origin already, also under names that it learns from callers.
    trustedOrigins: (request) => [request?.headers.get('origin') ?? addresses.publicUrl()],
    telemetry: { enabled: false },
    logger: { disabled: true },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: MIN_PASSWORD_CHARACTERS,
      maxPasswordLength: 200,
    },
    session: { expiresIn: config.sessionDays * day, updateAge: day },
    // Ten tries in five minutes for one address; the library counts in memory.
    rateLimit: {
      enabled: true,
      window: 60,
      max: 100,
      customRules: { '/sign-in/email': { window: 300, max: 10 } },
    },
    advanced: {
      database: { generateId: createId },
      useSecureCookies: addresses.publicUrl().startsWith('https:'),
      ipAddress: { ipAddressHeaders: ['x-signalbox-address'] },
      cookiePrefix: 'signalbox',
    },
  });
}
