import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOperatorService } from '../../server/services/operator.ts';
import type { OperatorService, PoolView } from '../../server/services/services.ts';
import type { Viewer } from '../../server/services/viewer.ts';
import { failed, ok } from '../../server/tools/kit/tool-result.ts';
import { call } from './scripted-models.ts';
import { createChat, idle, openPlace, send, type Place } from './support.ts';

let place: Place;
let operator: OperatorService;
let olga: Viewer;
let ada: Viewer;
beforeAll(async () => {
  place = await openPlace();
  olga = await place.createViewer('OPERATOR', 'Olga');
  ada = await place.createViewer('USER', 'Ada');
  const pool = () => ({ threads: 2 }) as PoolView;
  operator = createOperatorService({ ...place, settings: [], pool });
});
afterAll(() => place.close());

const FIRST = { first: 100, after: null };
const auditOf = async (action: string) =>
  (await operator.auditEntries(olga, FIRST)).edges
    .map(({ node }) => node)
    .filter((entry) => entry.action === action);

test('users may do none of it', async () => {
  for (const attempt of [
    async () => operator.toolCalls(ada, FIRST),
    async () => operator.statistics(ada),
    async () => operator.pool(ada),
    async () => operator.settings(ada),
    async () => operator.recheckTool(ada, 'echo'),
    async () => operator.runTool(ada, 'echo', {}),
    async () => operator.auditEntries(ada, FIRST),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: 'FORBIDDEN' });
  }
  expect(await place.database.client.auditEntry.count()).toBe(0);
  expect(place.registry.rechecked).toEqual([]);
});

test('a check that is asked for is made, and noted', async () => {
  await operator.recheckTool(olga, 'echo');

  expect(place.registry.rechecked).toEqual(['echo']);
  expect(await auditOf('tool.recheck')).toMatchObject([{ actorName: 'Olga', subject: 'echo' }]);
});

describe('a trial', () => {
  test('runs a tool in the operator’s hidden chat, with events, a result and a note', async () => {
    place.executor.answer = ({ argumentsText }) =>
      ok({ input: JSON.parse(argumentsText) as object });
    const records = [
      await operator.runTool(olga, 'find_recipe', { q: 1 }),
      await operator.runTool(olga, 'echo', { q: 2 }),
    ];
    expect(records[0]).toMatchObject({
      ...{ toolName: 'find_recipe', status: 'SUCCESS', argumentsText: '{"q":1}', turnId: null },
      result: { status: 'success', data: { input: { q: 1 } } },
    });
    expect(records[0]!.chatId).toBe(records[1]!.chatId);

    const events = await place.chatEvents(records[0]!.chatId);
    expect(events.map(({ type }) => type)).toEqual([
      ...['tool-call-start', 'tool-call-end', 'tool-call-start', 'tool-call-end'],
    ]);
    const { edges } = await place.chats.list(olga, FIRST);
    expect(edges).toEqual([]);
    expect((await auditOf('tool.run')).map(({ subject }) => subject)).toEqual([
      'echo',
      'find_recipe',
    ]);
  });

  test('two at the same time share the chat, and each has its result', async () => {
    const otto = await place.createViewer('OPERATOR', 'Otto');
    const records = await Promise.all([0, 1, 2].map((n) => operator.runTool(otto, 'echo', { n })));

    expect(new Set(records.map(({ chatId }) => chatId)).size).toBe(1);
    expect(records.map(({ status }) => status)).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS']);
  });

  test('that fails is a result, too', async () => {
    place.executor.answer = () => failed('TIMED_OUT', 'It took too long.');
    expect(await operator.runTool(olga, 'echo', {})).toMatchObject({
      ...{ status: 'ERROR', code: 'TIMED_OUT', message: 'It took too long.' },
    });
  });

  test('of a tool that does not exist is refused', async () => {
    await expect(operator.runTool(olga, 'nothing', {})).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('the list of calls', () => {
  test('tells of other people’s calls who, what, when and how it ended, and nothing that they said', async () => {
    const chat = await createChat(place, ada);
    place.models.script({ parts: [call(randomUUID(), 'grocery_find', { secret: 'insulin' })] });
    place.executor.answer = () => failed('FAILED', 'No insulin in stock.', { data: 'insulin' });
    await send(place, ada, { chatId: chat.id, text: 'insulin' });
    await idle(place);
    const page = { ...FIRST, userId: ada.id };
    const { node } = (await operator.toolCalls(olga, page)).edges[0]!;

    expect(node).toMatchObject({
      ...{ toolName: 'grocery_find', userName: 'Ada', status: 'ERROR', code: 'FAILED' },
      ...{ argumentsText: null, arguments: null, result: null, message: null, files: [] },
      argumentsCharacters: 20,
    });
    expect(JSON.stringify(node)).not.toContain('insulin');
    const own = (await operator.toolCalls(olga, { ...FIRST, userId: olga.id })).edges[0]!.node;
    expect(own.argumentsText).toBe('{}');
  });

  test('can be narrowed and paged, newest first', async () => {
    place.executor.answer = () => ok(1);
    for (let n = 0; n < 5; n += 1) await operator.runTool(olga, 'find_recipe', { n });
    const seen: string[] = [];
    const filter = { toolName: 'find_recipe', status: 'SUCCESS', userId: olga.id };
    for (let after: string | null = null, more = true; more;) {
      const page = await operator.toolCalls(olga, { first: 2, after, ...filter });
      seen.push(...page.edges.map(({ node }) => node.argumentsText!));
      after = page.edges.at(-1)!.cursor;
      more = page.hasNextPage;
    }

    expect(seen).toEqual(['{"n":4}', '{"n":3}', '{"n":2}', '{"n":1}', '{"n":0}', '{"q":1}']);
    const none = await operator.toolCalls(olga, { ...FIRST, ...filter, status: 'CANCELLED' });
    expect(none.edges).toEqual([]);
  });
});

test('statistics count calls and failures of the last day by tool', async () => {
  const statistics = await operator.statistics(olga);

  expect(statistics.get('grocery_find')).toMatchObject({
    calls: 1,
    failed: 1,
    lastError: 'FAILED',
  });
  expect(statistics.get('find_recipe')).toMatchObject({ calls: 6, failed: 0, lastError: null });
  expect(statistics.get('find_recipe')!.p50Ms).toBeGreaterThanOrEqual(0);
});
