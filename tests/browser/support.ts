import type { Page } from '@playwright/test';
import { startTestApp, type TestApp, type TestPerson } from '../support/app.ts';
import { startFakeModelServer, type FakeModelServer } from '../support/fake-model-server.ts';
import { startFakeProviders, type FakeProviderServer } from '../support/fake-provider-server.ts';
import { flowTools } from '../support/flow-tools.ts';

/** The service with everything that it needs around it, for pages. */
export interface Stage {
  readonly app: TestApp;
  readonly models: FakeModelServer;
  readonly person: TestPerson;
  /** A session of the person; one for all pages, because sign-ins are counted. */
  cookie(): Promise<{ readonly name: string; readonly value: string }>;
  close(): Promise<void>;
}

export async function setStage(role: 'USER' | 'OPERATOR' = 'USER'): Promise<Stage> {
  const models = await startFakeModelServer();
  const providers: FakeProviderServer = await startFakeProviders();
  const app = await startTestApp({
    environment: {
      ...flowTools,
      ...providers.environment,
      ...models.environment('openai-chat'),
      TOOLS_ALLOWLIST: `${flowTools['TOOLS_ALLOWLIST']},weather_fetch,forget_fact`,
    },
  });
  await app.catalogue.refresh();
  const person = await app.signUp(role, 'Ada Lovelace');
  let cookie: ReturnType<Stage['cookie']> | null = null;
  return {
    ...{ app, models, person },
    cookie: () => (cookie ??= makeSession(app.url, person)),
    async close() {
      await app.close();
      await models.close();
      await providers.close();
    },
  };
}

async function makeSession(url: string, { email, password }: TestPerson) {
  const response = await fetch(`${url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url, 'x-signalbox': '1' },
    body: JSON.stringify({ email, password }),
  });
  const [pair = ''] = (response.headers.getSetCookie()[0] ?? '').split(';');
  const [name = '', value = ''] = pair.split(/=(.*)/s);
  return { name, value };
}

/** Opens the first page of somebody who has signed in before. */
export async function signIn(page: Page, stage: Stage): Promise<void> {
  await page.context().addCookies([{ ...(await stage.cookie()), url: stage.app.url }]);
  await page.goto(`${stage.app.url}/`);
  await page.getByLabel('Message', { exact: true }).waitFor();
}

export async function signInByHand(page: Page, { app, person }: Stage): Promise<void> {
  await page.goto(`${app.url}/sign-in`);
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${app.url}/`);
}

/** What the page complains about; a test ends by expecting nothing. */
export function watchErrors(page: Page): readonly string[] {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  return errors;
}

export async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
}
