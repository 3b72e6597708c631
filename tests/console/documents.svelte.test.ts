import { buildSchema, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import * as account from '#lib/api/account-documents.ts';
import * as chat from '#lib/api/documents.ts';
import * as operator from '#lib/api/operator-documents.ts';
import * as tools from '#lib/api/tool-documents.ts';
import { endReasonText } from '#lib/chat/end-reason.ts';
import { callStateLabel } from '#lib/chat/call-state.ts';
import printedSchema from '../../schema.graphql?raw';

const schema = buildSchema(printedSchema);
const documents = Object.entries({ ...account, ...chat, ...operator, ...tools });

/** Names of the values of an enum in the API. */
const valuesOf = (name: string): readonly string[] => {
  const type = schema.getType(name);
  if (type === undefined || !('getValues' in type)) throw new Error(`${name} is no enum.`);
  return type.getValues().map((value) => value.name);
};

test.each(documents)('the document %s asks only for what the API has', (_name, document) => {
  const problems = validate(schema, parse(document as unknown as string))
    .map(({ message }) => message)
    // A fragment is a document of its own here.
    .filter((message) => !/^Fragment .* is never used/.test(message));

  expect(problems).toEqual([]);
});

test('a person is told in words why an answer ended, for every reason that the API has', () => {
  const reasons = valuesOf('TurnEndReason').filter((reason) => reason !== 'COMPLETED');
  const untold = reasons.filter((reason) => endReasonText(reason, '') === reason);

  expect(reasons.length).toBeGreaterThan(5);
  expect(untold).toEqual([]);
  expect(endReasonText('COMPLETED', '')).toBeNull();
});

test('a card has words for every status of a call', () => {
  for (const status of valuesOf('ToolCallStatus')) {
    expect(callStateLabel(status as Parameters<typeof callStateLabel>[0])).toMatch(/\w/);
  }
});
