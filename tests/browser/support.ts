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
  return {
    ...{ app, models, person },
    async close() {
      await app.close();
      await models.close();
      await providers.close();
    },
  };
}

export async function signIn(page: Page, { app, person }: Stage): Promise<void> {
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
