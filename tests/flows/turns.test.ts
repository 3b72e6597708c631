import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, type TestPerson } from '../support/app.ts';
import { openChat, type TestChat } from '../support/chat.ts';
import {
  startFakeModelServer,
  type FakeModelServer,
  type FakeProtocol,
} from '../support/fake-model-server.ts';
import { flowTools } from '../support/flow-tools.ts';

const call = (id: string, name: string, input: unknown = {}) => ({
  id,
  name,
  arguments: typeof input === 'string' ? input : JSON.stringify(input),
});

describe.each<FakeProtocol>(['openai-chat', 'openai-responses', 'anthropic-messages'])(
  'a turn over %s',
  (protocol) => {
    let models: FakeModelServer;
    let app: TestApp;
    let person: TestPerson;
    let chat: TestChat;

    beforeAll(async () => {
      models = await startFakeModelServer();
      app = await startTestApp({
        environment: { ...flowTools, ...models.environment(protocol), TOOL_THREADS: '3' },
      });
      await app.catalogue.refresh();
      person = await app.signUp();
    });

    afterEach(() => {
      chat?.close();
      expect(models.violations).toEqual([]);
    });

    afterAll(async () => {
      await app?.close();
      await models?.close();
    });

    test('every call of three steps ends with exactly one stored result, in call order', async () => {
      chat = await openChat(person);
      models.script(
        {
          reasoning: 'First this.',
          text: ['I will ', 'look.'],
          calls: [
            call('a1', 'echo', { value: 'one', wait_ms: 150 }),
            call('a2', 'echo', { value: 'two' }),
            call('a3', 'one_by_one', { value: 'three' }),
            call('a4', 'one_by_one', { value: 'four' }),
            call('a5', 'throwing'),
          ],
        },
        {
          calls: [
            call('b1', 'no_such_tool'),
            call('b2', 'echo', '{"value": 5'),
            call('b3', 'echo', { valeu: 'x' }),
            call('b4', 'oversized'),
            call('b5', 'refusing'),
          ],
        },
        { text: ['That is ', 'all.'] },
      );
      const end = await chat.ask('Do it.');

      expect(end).toMatchObject({ endReason: 'COMPLETED' });
      const { messages, files } = await chat.read();
      const answer = messages[1]!;
      expect(answer.toolCalls.map(({ callId, status, code }) => [callId, status, code])).toEqual([
        ['a1', 'SUCCESS', null],
        ['a2', 'SUCCESS', null],
        ['a3', 'SUCCESS', null],
        ['a4', 'SUCCESS', null],
        ['a5', 'ERROR', 'FAILED'],
        ['b1', 'ERROR', 'UNKNOWN_TOOL'],
        ['b2', 'ERROR', 'INVALID_ARGUMENTS'],
        ['b3', 'ERROR', 'INVALID_ARGUMENTS'],
        ['b4', 'ERROR', 'OUTPUT_TOO_LARGE'],
        ['b5', 'ERROR', 'UNAVAILABLE'],
      ]);
      const byId = new Map(answer.toolCalls.map((one) => [one.callId, one]));
      expect(byId.get('a3')!.result).toMatchObject({ data: { beside: 1 } });
      expect(byId.get('a4')!.result).toMatchObject({ data: { beside: 1 } });
      expect(byId.get('a5')!.message).toContain('the disk is on fire');
      expect(files.map(({ label }) => label)).toEqual(['oversized-output.json']);
      expect(answer.text).toBe('I will look.\n\nThat is all.');
      expect(models.requests.at(-1)!.text).toContain('oversized-output.json');
    });

    test('the next message carries a history that the provider accepts, also after a stop', async () => {
      chat = await openChat(person);
      models.script({
        text: ['Working.'],
        calls: [call('c1', 'endless'), call('c2', 'echo', { value: 'x' })],
      });
      const turn = await chat.send('Go on for ever.');
      await chat.events.until(({ __typename }) => __typename === 'ToolCallEnd');
      await person.query('mutation ($id: ID!) { cancelTurn(turnId: $id) { id } }', { id: turn.id });
      const end = await chat.turnEnd();

      expect(end).toMatchObject({ endReason: 'CANCELLED' });
      const stopped = (await chat.read()).messages[1]!;
      expect(stopped.toolCalls.map(({ status }) => status)).toEqual(['CANCELLED', 'SUCCESS']);

      expect(await chat.ask('And now?')).toMatchObject({ endReason: 'COMPLETED' });
      expect(models.requests.at(-1)!.text).toContain('And now?');
    });

    test('one call can be cancelled, and the turn goes on', async () => {
      chat = await openChat(person);
      models.script({ calls: [call('d1', 'endless'), call('d2', 'echo', { value: 'y' })] });
      await chat.send('Try.');
      await chat.events.until(
        ({ __typename, state }) => __typename === 'ToolCallProgress' && state === 'RUNNING',
      );
      await person.query('mutation ($c: ID!) { cancelToolCall(chatId: $c, callId: "d1") }', {
        c: chat.id,
      });

      expect(await chat.turnEnd()).toMatchObject({ endReason: 'COMPLETED' });
      const { toolCalls } = (await chat.read()).messages[1]!;
      expect(toolCalls.map(({ status }) => status)).toEqual(['CANCELLED', 'SUCCESS']);
    });

    test('a tool that loops, exits or takes all memory costs its own call only', async () => {
      chat = await openChat(person);
      models.script({
        calls: [
          call('e1', 'looping'),
          call('e2', 'exiting'),
          call('e3', 'hungry'),
          call('e4', 'echo', { value: 'still here', wait_ms: 400 }),
        ],
      });

      expect(await chat.ask('Misbehave.')).toMatchObject({ endReason: 'COMPLETED' });
      const { toolCalls } = (await chat.read()).messages[1]!;
      expect(toolCalls.map(({ status, code }) => [status, code])).toEqual([
        ['ERROR', 'TIMED_OUT'],
        ['ERROR', 'CRASHED'],
        ['ERROR', 'CRASHED'],
        ['SUCCESS', null],
      ]);
    });

    test('a stream that is cut off is tried again before its first token, and told after it', async () => {
      chat = await openChat(person);
      models.script({ status: 503 }, { text: ['Half an ans'], cut: true }, { text: ['Better.'] });
      const end = await chat.ask('Say something.');

      const { messages } = await chat.read();
      expect([end['endReason'], messages[1]!.text]).toEqual(['PROVIDER_ERROR', 'Half an ans']);
      expect(await chat.ask('Again.')).toMatchObject({ endReason: 'COMPLETED' });
    });

    test('an edited message and an answer anew make branches with right histories', async () => {
      chat = await openChat(person);
      models.script({ calls: [call('f1', 'echo', { value: 'old' })] });
      await chat.ask('First wording.');
      const { messages } = await chat.read();
      await person.query(
        'mutation ($input: EditMessageInput!) { editMessage(input: $input) { id } }',
        {
          input: {
            ...{ chatId: chat.id, messageId: messages[0]!.id, requestId: 'edit-1' },
            text: 'Second wording.',
          },
        },
      );
      await chat.turnEnd(2);
      const last = models.requests.at(-1)!.text;
      expect(last).toContain('Second wording.');
      expect(last).not.toContain('First wording.');
    });

    test('a new chat gets a title from the model', async () => {
      chat = await openChat(person);
      await chat.ask('What is a signal box?');
      const update = await chat.events.until(
        ({ __typename, title }) => __typename === 'ChatUpdate' && title === 'A fitting title',
      );

      expect(update['title']).toBe('A fitting title');
    });
  },
);
