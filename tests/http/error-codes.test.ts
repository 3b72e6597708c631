import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp, type TestPerson } from '../support/app.ts';

let app: TestApp;
let person: TestPerson;

beforeAll(async () => {
  app = await startTestApp();
  person = await app.signUp();
});

afterAll(() => app?.close());

test.each([
  ['a document that does not parse', '{ viewer {'],
  ['a field that does not exist', '{ viewer { shoeSize } }'],
  ['a variable that is missing', 'query ($id: ID!) { chat(id: $id) { id } }'],
])('%s is answered with a code of the documented list', async (_name, document) => {
  const { errors } = await person.ask(document);

  expect(errors?.[0]?.extensions?.['code']).toBe('BAD_INPUT');
});

test('an id of any length is repeated in its beginning only', async () => {
  const { errors } = await person.ask('query ($id: ID!) { chat(id: $id) { id } }', {
    id: 'x'.repeat(50_000),
  });

  expect(errors?.[0]?.extensions?.['code']).toBe('NOT_FOUND');
  expect(errors?.[0]?.message.length).toBeLessThan(200);
});
