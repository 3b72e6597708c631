import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, type TestPerson } from '../support/app.ts';

/** What Yoga decides otherwise; docs/api.md names them. */
const OTHERWISE = new Set<string>([]);

let app: TestApp;
let person: TestPerson;

beforeAll(async () => {
  app = await startTestApp();
  person = await app.signUp();
});

afterAll(() => app?.close());

describe('GraphQL over HTTP', () => {
  const audits = serverAudits({
    url: () => `${app.url}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) =>
      fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${person.key}` } }),
  });

  test.each(
    audits.filter(({ id }) => !OTHERWISE.has(id)).map((audit) => [audit.name, audit] as const),
  )('%s', async (_name, audit) => {
    const result = await audit.fn();

    if (result.status !== 'ok') expect.fail(`${audit.id}: ${result.reason}`);
  });
});
