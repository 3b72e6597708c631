import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, type TestPerson } from '../support/app.ts';
import { openChat } from '../support/chat.ts';
import { startFakeProviders, type FakeProviderServer } from '../support/fake-provider-server.ts';

let app: TestApp;
let providers: FakeProviderServer;
let person: TestPerson;

beforeAll(async () => {
  providers = await startFakeProviders();
  app = await startTestApp({ environment: providers.environment });
  person = await app.signUp();
});

afterAll(async () => {
  await app?.close();
  await providers?.close();
});

describe('the model direct', () => {
  test('a person calls a tool by hand and reads its result', async () => {
    const chat = await openChat(person, { modelId: 'direct' });
    const end = await chat.ask('/weather_fetch Seestadt');

    expect(end['endReason']).toBe('COMPLETED');
    const { messages, title } = await chat.read();
    expect(title).toBe('/weather_fetch Seestadt');
    const [call] = messages[1]!.toolCalls;
    expect(call).toMatchObject({ toolName: 'weather_fetch', status: 'SUCCESS' });
    chat.close();
  });

  test('several lines are several calls of one step', async () => {
    const chat = await openChat(person, { modelId: 'direct' });
    await chat.ask(
      '/remember_fact I live in Bergen\n/create_file filename=a.txt content="some text"',
    );

    const { messages, files } = await chat.read();
    expect(messages[1]!.toolCalls.map(({ toolName, status }) => [toolName, status])).toEqual([
      ['remember_fact', 'SUCCESS'],
      ['create_file', 'SUCCESS'],
    ]);
    expect(files.map(({ label }) => label)).toEqual(['a.txt']);
    chat.close();
  });

  test('other text is answered with what can be called', async () => {
    const chat = await openChat(person, { modelId: 'direct' });
    await chat.ask('What can you do?');

    const { messages } = await chat.read();
    expect(messages[1]!.text).toContain('weather_fetch');
    chat.close();
  });
});
