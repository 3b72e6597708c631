import { afterEach, beforeEach, expect, test } from 'vitest';
import { forgetFact } from '../../server/tools/forget-fact.ts';
import { rememberFact } from '../../server/tools/remember-fact.ts';
import { createToolContext, type TestToolContext } from '../support/tool-context.ts';

let chat: TestToolContext;
beforeEach(async () => {
  chat = await createToolContext();
});
afterEach(() => chat.close());

const remember = async (fact: string) => rememberFact.execute({ fact }, chat.context);
const forget = async (match: string) => forgetFact.execute({ match }, chat.context);
const texts = () => chat.facts.map(({ text }) => text);

test('a fact is remembered, trimmed', async () => {
  expect(await remember('  User likes tea ')).toEqual({
    status: 'success',
    data: { action: 'remembered', fact: 'User likes tea' },
  });
  expect(texts()).toEqual(['User likes tea']);
});

test('a fact that is known is nothing to do', async () => {
  await remember('User likes tea');

  expect(await remember('user likes TEA')).toEqual({
    status: 'noop',
    message: 'This fact is kept already: "User likes tea".',
  });
  expect(texts()).toHaveLength(1);
});

test('a fact has 1 to 2000 characters', async () => {
  expect(await remember('x'.repeat(2_000))).toMatchObject({ status: 'success' });
  expect(await remember('x'.repeat(2_001))).toMatchObject({ code: 'INVALID_ARGUMENTS' });
  expect(await remember('  ')).toMatchObject({ code: 'INVALID_ARGUMENTS' });
});

test('the one fact that contains the words is forgotten', async () => {
  await remember('User likes tea');
  await remember('User owns a cat');

  expect(await forget('CAT')).toEqual({
    status: 'success',
    data: { action: 'forgotten', fact: 'User owns a cat' },
  });
  expect(texts()).toEqual(['User likes tea']);
});

test('several facts that match are listed and none is forgotten', async () => {
  await remember('User likes tea');
  await remember('User likes tea with milk');

  expect(await forget('likes')).toEqual({
    status: 'noop',
    message: '2 facts contain "likes", and none was removed.',
    data: {
      action: 'ambiguous',
      candidates: ['User likes tea', 'User likes tea with milk'],
      candidate_count: 2,
    },
    systemHint: expect.stringContaining('Ask the user') as string,
  });
  expect(texts()).toHaveLength(2);
});

test('all words of a fact mean that fact, although another contains them', async () => {
  await remember('User likes tea');
  await remember('User likes tea with milk');

  expect(await forget('user likes tea')).toMatchObject({ data: { fact: 'User likes tea' } });
  expect(texts()).toEqual(['User likes tea with milk']);
});

test('words that no fact contains are nothing to do', async () => {
  await remember('User likes tea');

  expect(await forget('coffee')).toEqual({
    status: 'noop',
    message: 'No kept fact contains "coffee".',
  });
  expect(await forget(' ')).toMatchObject({ code: 'INVALID_ARGUMENTS' });
  expect(texts()).toHaveLength(1);
});
