import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Viewer } from '../../server/services/viewer.ts';
import { call, say } from './scripted-models.ts';
import { createChat, createGate, idle, openPlace, poll, send, type Place } from './support.ts';

let place: Place;
let ada: Viewer;
let chatId: string;
beforeAll(async () => {
  place = await openPlace();
  ada = await place.createViewer();
  await place.runner.settleAbandoned(); // at the start the embedded database belongs to nobody else
});
afterAll(() => place.close());
beforeEach(async () => {
  chatId = (await createChat(place, ada)).id;
});

const snapshot = () => place.chats.snapshot(ada, chatId);
const endLease = (turnId: string) =>
  place.database.query(
    `UPDATE "Turn" SET "leaseExpiresAt" = now() - interval '1 second' WHERE "id" = $1`,
    [turnId],
  );

/** A turn in the middle of a call, in a process that then does nothing more. */
async function startStuckTurn(process: Pick<Place, 'models' | 'executor' | 'turns'>) {
  const gate = createGate();
  process.models.script({ parts: [say('So far.'), call(randomUUID(), 'echo')] });
  process.executor.answer = () => (gate.open(), new Promise(() => {}));
  const turn = await send(process, ada, { chatId });
  await gate.opened;
  return turn;
}

describe('a turn of another process', () => {
  test('is left alone while its lease runs', async () => {
    const other = await place.createOther();
    const turn = await startStuckTurn(other);
    await place.runner.settleAbandoned();

    expect((await place.turns.get(ada, turn.id)).status).toBe('RUNNING');
    await other.turns.cancel(ada, turn.id);
    await idle(other);
  });

  test('is settled once its lease has run out: interrupted, with what there was, every call with a result', async () => {
    const other = await place.createOther();
    const turn = await startStuckTurn(other);
    await endLease(turn.id);
    await Promise.all([place.runner.settleAbandoned(), place.runner.settleAbandoned()]);

    const { messages, chat } = await snapshot();
    expect(messages[1]).toMatchObject({
      ...{ text: 'So far.', turn: { status: 'ENDED', endReason: 'INTERRUPTED' } },
      toolCalls: [{ status: 'INTERRUPTED', code: 'INTERRUPTED' }],
    });
    expect(chat.busy).toBe(false);
    const ends = (await place.chatEvents(chatId)).filter(({ type }) => type === 'turn-end');
    expect(ends).toHaveLength(1);
  });

  test('that was settled is not written to by its late owner, who stops', async () => {
    const other = await place.createOther();
    const gate = createGate();
    other.models.script({ parts: [call(randomUUID(), 'echo')] });
    other.executor.answer = async () => {
      await gate.opened;
      return { status: 'success', data: 'too late' };
    };
    const turn = await send(other, ada, { chatId });
    await poll(async () => (await snapshot()).messages[1]?.toolCalls.length).toBe(1);
    await endLease(turn.id);
    await place.runner.settleAbandoned();
    const before = await place.chatEvents(chatId);
    gate.open();
    await idle(other);

    expect(await place.chatEvents(chatId)).toEqual(before);
    expect((await snapshot()).messages[1]!.toolCalls[0]!.status).toBe('INTERRUPTED');
  });

  test('is cancelled within the renewal of its lease', async () => {
    const other = await place.createOther();
    const turn = await startStuckTurn(other);
    await place.turns.cancel(ada, turn.id);
    place.clock.advance(3_000);
    await idle(other);

    expect((await place.turns.get(ada, turn.id)).endReason).toBe('CANCELLED');
  });
});

test('a turn here outlives its lease’s length as long as it runs', async () => {
  const turn = await startStuckTurn(place);
  await endLease(turn.id);
  place.clock.advance(3_000);
  await poll(() =>
    place.database.query(
      `SELECT 1 AS held FROM "Turn" WHERE "id" = $1 AND "leaseExpiresAt" > now()`,
      [turn.id],
    ),
  ).toHaveLength(1);
  await place.turns.cancel(ada, turn.id);
  await idle(place);
});

test('a process that ends leaves its turns interrupted', async () => {
  const other = await place.createOther();
  const turn = await startStuckTurn(other);
  await other.runner.close();

  expect((await place.turns.get(ada, turn.id)).endReason).toBe('INTERRUPTED');
});

describe('a turn that waits for a person', () => {
  const ask = () =>
    call(randomUUID(), 'request_tool_activation', { group: 'Cooking', reason: 'r' });

  async function startWaiting() {
    place.models.script({ parts: [ask()] });
    const turn = await send(place, ada, { chatId });
    await idle(place);
    expect((await place.turns.get(ada, turn.id)).status).toBe('WAITING');
    return turn;
  }

  test('is left alone by whoever settles', async () => {
    const turn = await startWaiting();
    await place.runner.settleAbandoned();

    expect((await place.turns.get(ada, turn.id)).status).toBe('WAITING');
    await place.turns.cancel(ada, turn.id);
  });

  test('goes on when the process that took the answer died before it could', async () => {
    const turn = await startWaiting();
    await place.database.client.toolCall.updateMany({
      where: { turnId: turn.id },
      data: { status: 'NOOP', result: { status: 'noop', message: 'No.' } },
    });
    await place.runner.settleAbandoned();
    await idle(place);

    expect((await place.turns.get(ada, turn.id)).endReason).toBe('COMPLETED');
  });

  test('ends when the process that was to stop it died before it could', async () => {
    const turn = await startWaiting();
    await place.database.client.turn.update({
      where: { id: turn.id },
      data: { cancelRequestedAt: new Date() },
    });
    await place.runner.settleAbandoned();

    expect((await place.turns.get(ada, turn.id)).endReason).toBe('CANCELLED');
    expect((await snapshot()).messages[1]!.toolCalls[0]!.status).toBe('CANCELLED');
  });
});

test('a trial call whose process is gone gets its one result', async () => {
  const callOf = (callId: string, queuedAt: Date) => ({
    ...{ chatId, callId, toolName: 'echo', argumentsText: '{}', queuedAt },
  });
  await place.database.client.toolCall.createMany({
    data: [callOf('old', new Date(Date.now() - 3 * 3_600_000)), callOf('new', new Date())],
  });
  await place.runner.settleAbandoned();
  await place.runner.settleAbandoned();

  const rows = await place.database.client.toolCall.findMany({
    where: { chatId },
    orderBy: { callId: 'desc' },
  });
  expect(rows.map(({ callId, status }) => [callId, status])).toEqual([
    ['old', 'INTERRUPTED'],
    ['new', 'RUNNING'],
  ]);
  expect((await place.chatEvents(chatId)).map(({ type }) => type)).toEqual(['tool-call-end']);
});
