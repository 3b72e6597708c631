import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ChatEvent } from '../../server/events/chat-event.ts';
import { failed, ok } from '../../server/tools/kit/tool-result.ts';
import type { Viewer } from '../../server/services/viewer.ts';
import { call, say } from './scripted-models.ts';
import { createChat, createGate, idle, openPlace, send, type Place } from './support.ts';

let place: Place;
let ada: Viewer;
let chatId: string;
beforeAll(async () => {
  place = await openPlace();
  ada = await place.createViewer();
});
afterAll(() => place.close());
beforeEach(async () => {
  chatId = (await createChat(place, ada)).id;
});

const typesOf = (events: readonly ChatEvent[]) => events.map(({ type }) => type);
const snapshot = () => place.chats.snapshot(ada, chatId);

describe('a message', () => {
  test('is stored with its turn at once, and answered', async () => {
    place.models.script({ parts: [say('Hi '), say('Ada.')] });
    const turn = await send(place, ada, { chatId, text: 'Hello there' });
    expect(turn).toMatchObject({ status: 'RUNNING', modelId: 'test/one', endReason: null });
    await idle(place);

    const { messages, chat, runningTurn } = await snapshot();
    expect(messages.map(({ role, text }) => [role, text])).toEqual([
      ['USER', 'Hello there'],
      ['ASSISTANT', 'Hi Ada.'],
    ]);
    expect(messages[1]!.turn).toMatchObject({
      ...{ status: 'ENDED', endReason: 'COMPLETED', endMessage: '' },
      steps: [{ index: 0, usage: { inputTokens: 3, outputTokens: 2 } }],
    });
    expect(chat).toMatchObject({
      title: 'Hello there',
      activeLeafId: messages[1]!.id,
      busy: false,
    });
    expect(runningTurn).toBeNull();
    expect(typesOf(await place.chatEvents(chatId)).slice(-3)).toEqual([
      ...['step-end', 'message-end', 'turn-end'],
    ]);
  });

  test('that is sent twice, also at the same time, is stored and answered once', async () => {
    const input = { requestId: 'same', text: 'Once' };
    const turns = await Promise.all([0, 1, 2].map(() => send(place, ada, { chatId, ...input })));
    await idle(place);
    turns.push(await send(place, ada, { chatId, ...input }));

    expect(new Set(turns.map(({ id }) => id)).size).toBe(1);
    expect((await snapshot()).messages).toHaveLength(2);
  });

  test('while another is answered is refused, with the turn that is in the way', async () => {
    const gate = createGate();
    place.models.script({ hold: gate.opened });
    const first = await send(place, ada, { chatId });
    await expect(send(place, ada, { chatId })).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { turnId: first.id },
    });
    gate.open();
    await idle(place);

    expect((await snapshot()).messages).toHaveLength(2);
    await send(place, ada, { chatId });
    await idle(place);
    expect((await snapshot()).messages).toHaveLength(4);
  });

  test.each([
    ['nothing', { text: ' \n ' }],
    ['an empty request id', { requestId: '' }],
    ['a request id of 101 characters', { requestId: 'x'.repeat(101) }],
    ['a text of over a million characters', { text: 'x'.repeat(1_000_001) }],
    ['a zone that is none', { timeZone: 'Mars/Olympus' }],
    ['a file of nowhere', { fileIds: ['0199a1b2-0000-7000-8000-000000000000'] }],
  ])('with %s is refused, and nothing of it is stored', async (_, input) => {
    await expect(send(place, ada, { chatId, ...input })).rejects.toMatchObject({
      name: 'AppError',
    });
    expect((await snapshot()).messages).toEqual([]);
    expect(await place.chatEvents(chatId)).toEqual([]);
  });

  test('follows an answer, never a question', async () => {
    await send(place, ada, { chatId });
    await idle(place);
    const [question] = (await snapshot()).messages;
    const input = { requestId: 'x', text: 'And?', parentId: question!.id };

    await expect(place.turns.sendMessage(ada, chatId, input)).rejects.toMatchObject({
      code: 'BAD_INPUT',
    });
  });

  test('of NUL and half characters is stored with replacements', async () => {
    await send(place, ada, { chatId, text: 'a\0b\uD83D' });
    await idle(place);
    expect((await snapshot()).messages[0]!.text).toBe('a\uFFFDb\uFFFD');
  });
});

describe('an answer anew, and another wording', () => {
  test('stand beside the first ones, each once for one request', async () => {
    await send(place, ada, { chatId, text: 'First' });
    await idle(place);
    const [question, answer] = (await snapshot()).messages;
    const again = { requestId: 'again', messageId: answer!.id, modelId: 'test/two' };
    const turns = [await place.turns.regenerate(ada, chatId, again)];
    await idle(place);
    turns.push(await place.turns.regenerate(ada, chatId, again));
    const edit = { requestId: 'edit', messageId: question!.id, text: 'Second' };
    const edited = [await place.turns.editMessage(ada, chatId, edit)];
    await idle(place);
    edited.push(await place.turns.editMessage(ada, chatId, edit));

    expect([turns[0]!.id, edited[0]!.id]).toEqual([turns[1]!.id, edited[1]!.id]);
    expect(turns[0]!.modelId).toBe('test/two');
    const { messages, chat } = await snapshot();
    expect(messages.map(({ role, parentId, text }) => [role, parentId, text])).toEqual([
      ['USER', null, 'First'],
      ['ASSISTANT', question!.id, 'Done.'],
      ['ASSISTANT', question!.id, 'Done.'],
      ['USER', null, 'Second'],
      ['ASSISTANT', messages[3]!.id, 'Done.'],
    ]);
    expect(chat.activeLeafId).toBe(messages[4]!.id);
    expect(place.models.requests.at(-1)!.history).toEqual([{ type: 'user', text: 'Second' }]);
  });

  test('another wording keeps the files of the first, for the person and the model, also of the next wording', async () => {
    const body = (async function* () {
      yield Buffer.from('a,b');
    })();
    const upload = await place.files.receive(ada, {
      label: 'data.csv',
      mimeType: 'text/csv',
      body,
    });
    const file = await place.files.attach(ada, chatId, upload.id);
    await send(place, ada, { chatId, text: 'Look', fileIds: [file.id] });
    await idle(place);
    for (const [index, text] of ['Look again', 'Look closely'].entries()) {
      const messageId = (await snapshot()).messages.at(-2)!.id;
      await place.turns.editMessage(ada, chatId, { requestId: `${index}`, messageId, text });
      await idle(place);
    }

    const { messages } = await snapshot();
    expect(
      messages
        .filter(({ role }) => role === 'USER')
        .map(({ files }) => files.map(({ label }) => label)),
    ).toEqual([['data.csv'], ['data.csv'], ['data.csv']]);
    expect(place.models.requests.at(-1)!.history).toEqual([
      { type: 'user', text: 'Look closely\n\n[Attached files: data.csv]' },
    ]);
    const starts = (await place.chatEvents(chatId)).filter(({ type }) => type === 'message-start');
    expect(starts.map((event) => event.type === 'message-start' && event.files.length)).toEqual([
      1, 1, 1,
    ]);
  });

  test('only messages of a person get another wording', async () => {
    await send(place, ada, { chatId });
    await idle(place);
    const input = { requestId: 'x', messageId: (await snapshot()).messages[1]!.id, text: 'Mine' };
    await expect(place.turns.editMessage(ada, chatId, input)).rejects.toMatchObject({
      code: 'BAD_INPUT',
    });
  });

  test('a model that is not set up is refused', async () => {
    await send(place, ada, { chatId });
    await idle(place);
    const messageId = (await snapshot()).messages[1]!.id;
    const input = { requestId: 'x', messageId, modelId: 'test/three' };
    await expect(place.turns.regenerate(ada, chatId, input)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });
});

describe('a call', () => {
  test('ends with exactly one result, whatever comes later', async () => {
    place.models.script({ parts: [call('one', 'echo', { a: 1 }), call('two', 'echo')] });
    place.executor.answer = async ({ callId }, step) => {
      if (callId === 'two') return failed('FAILED', 'It broke.');
      const result = ok({ first: true });
      await step.observer.onEnd({
        ...{
          callId,
          status: 'SUCCESS',
          arguments: {},
          result,
          modelResult: { status: 'success', data: 'early' },
        },
        ...{ queuedMs: 0, elapsedMs: 0, outputCharacters: 1, startedAt: null },
      });
      return result;
    };
    await send(place, ada, { chatId });
    await idle(place);

    const ends = (await place.chatEvents(chatId)).flatMap((event) =>
      event.type === 'tool-call-end' ? [[event.callId, event.status, event.code]] : [],
    );
    expect(ends.sort()).toEqual([
      ['one', 'SUCCESS', null],
      ['two', 'ERROR', 'FAILED'],
    ]);
    const { toolCalls } = (await snapshot()).messages[1]!;
    expect(toolCalls.map(({ status }) => status)).toEqual(['SUCCESS', 'ERROR']);
    expect(toolCalls[0]!.result).toMatchObject({ data: 'early' });
  });

  test('that is cancelled ends alone, and the turn goes on', async () => {
    const gate = createGate();
    place.models.script({ parts: [call('slow', 'echo')] });
    place.executor.answer = () => (gate.open(), new Promise(() => {}));
    await send(place, ada, { chatId });
    await gate.opened;

    expect(await place.turns.cancelToolCall(ada, chatId, 'slow')).toBe(true);
    await idle(place);
    expect(await place.turns.cancelToolCall(ada, chatId, 'slow')).toBe(false);
    const answer = (await snapshot()).messages[1]!;
    expect([answer.toolCalls[0]!.status, answer.turn!.endReason]).toEqual([
      'CANCELLED',
      'COMPLETED',
    ]);
  });
});

describe('a turn that is stopped', () => {
  test('keeps what was written, ends its calls, and lets the next message be sent', async () => {
    const gate = createGate();
    place.models.script({ parts: [say('So far.'), call('slow', 'echo')] });
    place.executor.answer = () => (gate.open(), new Promise(() => {}));
    const turn = await send(place, ada, { chatId });
    await gate.opened;
    await place.turns.cancel(ada, turn.id);
    await idle(place);
    await place.turns.cancel(ada, turn.id);

    const answer = (await snapshot()).messages[1]!;
    expect(answer).toMatchObject({ text: 'So far.', turn: { endReason: 'CANCELLED' } });
    expect(answer.toolCalls.map(({ status }) => status)).toEqual(['CANCELLED']);
    const types = typesOf(await place.chatEvents(chatId));
    expect(types.filter((type) => type === 'turn-end' || type === 'tool-call-end')).toEqual([
      ...['tool-call-end', 'turn-end'],
    ]);
    place.executor.answer = () => ok(1);
    await send(place, ada, { chatId });
    await idle(place);
    expect((await snapshot()).messages[3]!.turn!.endReason).toBe('COMPLETED');
  });
});

test('nothing of it is anybody else’s', async () => {
  const eve = await place.createViewer('OPERATOR', 'Eve');
  const turn = await send(place, ada, { chatId });
  await idle(place);
  const messageId = (await snapshot()).messages[0]!.id;
  const input = { requestId: 'x', messageId, text: 'Mine now' };

  for (const attempt of [
    () => send(place, eve, { chatId }),
    () => place.turns.regenerate(eve, chatId, input),
    () => place.turns.editMessage(eve, chatId, input),
    () => place.turns.get(eve, turn.id),
    () => place.turns.cancel(eve, turn.id),
    () => place.turns.cancelToolCall(eve, chatId, 'one'),
    () => send(place, eve, { chatId, requestId: turn.requestId }),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }
  const own = (await createChat(place, eve)).id;
  await expect(place.turns.editMessage(eve, own, input)).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});
