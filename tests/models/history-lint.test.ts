import { describe, expect, test } from 'vitest';
import { signatureOf } from '../support/history-lint-anthropic.ts';
import { sealOf } from '../support/history-lint-responses.ts';
import { lintHistory } from '../support/history-lint.ts';

const ask = { role: 'user', content: 'Hello.' };

describe('the linter of Chat Completions refuses', () => {
  const chatCall = (id: string, more: object = {}) => ({
    ...{ id, type: 'function' },
    function: { name: 'look', arguments: '{}', ...more },
  });
  const calls = (...list: readonly object[]) => ({
    ...{ role: 'assistant', content: null, tool_calls: list },
  });
  const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: '{}' });
  const lint = (...messages: readonly object[]) => lintHistory('openai-chat', { messages });

  test('nothing about a proper history', () => {
    expect(
      lint(ask, calls(chatCall('a'), chatCall('b')), result('b'), result('a'), ask),
    ).toBeNull();
  });

  test.each<[string, readonly object[]]>([
    ['a call without a result', [ask, calls(chatCall('a'), chatCall('b')), result('a'), ask]],
    ['a call without a result at the end', [ask, calls(chatCall('a'))]],
    ['a result without a call', [ask, result('a')]],
    ['a second result', [ask, calls(chatCall('a')), result('a'), result('a')]],
    ['no calls in the list of calls', [ask, calls(), ask]],
    ['two calls with one id', [ask, calls(chatCall('a'), chatCall('a')), result('a')]],
    ['a call without an id', [ask, calls(chatCall('')), result('')]],
    ['a long id', [ask, calls(chatCall('x'.repeat(41))), result('x'.repeat(41))]],
    ['broken arguments', [ask, calls(chatCall('a', { arguments: '{"' })), result('a')]],
    ['a name that no function has', [ask, calls(chatCall('a', { name: 'a.b' })), result('a')]],
    ['an answer without content', [ask, { role: 'assistant', content: null }, ask]],
    ['nothing to answer', [ask, { role: 'assistant', content: 'Hello.' }]],
    ['half of a surrogate pair', [{ role: 'user', content: 'x\ud83d' }]],
  ])('%s', (_what, messages) => {
    expect(lint(...messages)).not.toBeNull();
  });
});

describe('the linter of Responses refuses', () => {
  const summary = [{ type: 'summary_text', text: 'Hm.' }];
  const thought = (id: string) => ({
    ...{ type: 'reasoning', id, summary, encrypted_content: sealOf(id, summary) },
  });
  const called = (callId: string, more: object = {}) => ({
    ...{ type: 'function_call', call_id: callId, name: 'look', arguments: '{}', ...more },
  });
  const output = (callId: string) => ({
    ...{ type: 'function_call_output', call_id: callId, output: '{}' },
  });
  const lint = (...input: readonly object[]) =>
    lintHistory('openai-responses', { store: false, input });

  test('nothing about a proper history', () => {
    const call = called('a', { id: 'fc_1_after_rs_1' });
    expect(lint(ask, thought('rs_1'), call, called('b'), output('a'), output('b'))).toBeNull();
  });

  test.each<[string, readonly object[]]>([
    ['a call without an output', [ask, called('a'), ask]],
    ['an output without a call', [ask, output('a')]],
    ['a second output', [ask, called('a'), output('a'), output('a')]],
    ['two calls with one id', [ask, called('a'), called('a'), output('a')]],
    ['one item twice', [ask, called('a', { id: 'fc' }), called('b', { id: 'fc' })]],
    ['reasoning that nothing follows', [ask, thought('rs_1'), ask]],
    ['reasoning that was changed', [ask, { ...thought('rs_1'), summary: [] }, called('a')]],
    ['an item without its reasoning', [ask, called('a', { id: 'fc_1_after_rs_1' }), output('a')]],
    ['a reference to a stored item', [{ type: 'item_reference', id: 'msg_1' }]],
    ['broken arguments', [ask, called('a', { arguments: '{' }), output('a')]],
    ['nothing to answer', [ask, { role: 'assistant', content: 'Hello.' }]],
  ])('%s', (_what, input) => {
    expect(lint(...input)).not.toBeNull();
  });
});

describe('the linter of Messages refuses', () => {
  const use = (id: string, more: object = {}) => ({
    ...{ type: 'tool_use', id, name: 'look', input: {}, ...more },
  });
  const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: '{}' });
  const text = (value: string) => ({ type: 'text', text: value });
  const thought = { type: 'thinking', thinking: 'Hm.', signature: signatureOf('Hm.') };
  const model = (...content: readonly object[]) => ({ role: 'assistant', content });
  const person = (...content: readonly object[]) => ({ role: 'user', content });
  const lint = (...messages: readonly object[]) =>
    lintHistory('anthropic-messages', { max_tokens: 10, messages });

  test('nothing about a proper history', () => {
    expect(
      lint(ask, model(thought, use('a'), use('b')), person(result('b'), result('a'), text('Go.'))),
    ).toBeNull();
  });

  test.each<[string, readonly object[]]>([
    ['a call without a result', [ask, model(use('a'), use('b')), person(result('a'))]],
    ['a call without a result at the end', [ask, model(use('a'))]],
    ['results after other content', [ask, model(use('a')), person(text('Go.'), result('a'))]],
    ['a result without a call', [ask, model(text('Hi.')), person(result('a'))]],
    ['a second result', [ask, model(use('a')), person(result('a'), result('a'))]],
    [
      'one id twice in the chat',
      [ask, model(use('a')), person(result('a')), model(use('a')), person(result('a'))],
    ],
    ['an id with other signs', [ask, model(use('a.b')), person(result('a.b'))]],
    ['input that is no object', [ask, model(use('a', { input: '{}' })), person(result('a'))]],
    ['a name that no tool has', [ask, model(use('a', { name: 'a b' })), person(result('a'))]],
    ['text of white space', [person(text(' \n'))]],
    ['thinking that was changed', [ask, model({ ...thought, thinking: 'Ha.' }, text('Hi.')), ask]],
    ['thinking at the end of an answer', [ask, model(text('Hi.'), thought), ask]],
    ['the model first', [model(text('Hi.')), ask]],
    ['two messages of one role', [ask, ask]],
    ['the model last', [ask, model(text('Hi.'))]],
  ])('%s', (_what, messages) => {
    expect(lint(...messages)).not.toBeNull();
  });

  test('more marks for the cache than four', () => {
    const marked = { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } };
    const body = { max_tokens: 10, messages: [person(...Array.from({ length: 5 }, () => marked))] };

    expect(lintHistory('anthropic-messages', body)).toContain('cache_control');
  });
});
