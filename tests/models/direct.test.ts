import { describe, expect, test } from 'vitest';
import { directAdapter } from '../../server/models/direct.ts';
import { parseCommands } from '../../server/models/direct-command.ts';
import type { HistoryEntry, ModelTool } from '../../server/models/model.ts';
import { ask, requestOf, user } from './ask.ts';

const tool = (
  name: string,
  properties: Readonly<Record<string, object>>,
  required: readonly string[] = [],
): ModelTool => ({
  ...{ name, description: name },
  parameters: { type: 'object', properties, required },
});

const text = { type: 'string' };
const texts = { type: 'array', items: text };
const TOOLS: readonly ModelTool[] = [
  tool('weather', { city: text, days: { type: 'integer' }, isMetric: { type: 'boolean' } }),
  tool('search', { queries: texts }, ['queries']),
  tool('note', { text, tags: texts, place: { type: 'object' } }, ['text']),
  tool('copy', { from: text, to: text }, ['from', 'to']),
  tool('now', {}),
];

const NOTE = { text: 'a "b" c', tags: ['x', 'y z'] };
const PLACE = { text: 'a', place: { x: { y: 1 } } };
const list = (...queries: readonly string[]) => ({ queries });

/** The input of each command, or its problem. */
const read = (message: string): unknown[] =>
  parseCommands(message, TOOLS).map(({ argumentsText, problem }) =>
    argumentsText === null ? problem : (JSON.parse(argumentsText) as unknown),
  );

describe('a command', () => {
  test.each<[string, string, unknown]>([
    ['gives its text to the one required text', '/note buy milk', { text: 'buy milk' }],
    ['gives its text to the first text where none is required', '/weather Oslo', { city: 'Oslo' }],
    ['makes its text one element of a list', '/search red shoes', { queries: ['red shoes'] }],
    ['needs no text where nothing is required', '/now', {}],
    ['takes words for parameters', '/weather city=Oslo days=3', { city: 'Oslo', days: 3 }],
    ['takes JSON for parameters', '/note text="a \\"b\\" c" tags=["x","y z"]', NOTE],
    ['takes an object for a parameter', '/note text=a place={"x": {"y": 1}}', PLACE],
    ['keeps a number as text where text is wanted', '/weather city=1234', { city: '1234' }],
    ['reads a truth value', '/weather isMetric=true', { isMetric: true }],
    ['makes a list of a key that comes again', '/search queries=a queries=b', list('a', 'b')],
    ['makes a list of one where a list is wanted', '/search queries=a', list('a')],
    ['leaves text alone whose key is no parameter', '/note x=1 is so', { text: 'x=1 is so' }],
    ['takes one JSON object', '/weather {"city": "Oslo"}', { city: 'Oslo' }],
    ['knows tools in any case', '/WEATHER Oslo', { city: 'Oslo' }],
  ])('%s: %s', (_rule, message, input) => {
    expect(read(message)).toEqual([input]);
  });

  test('in JSON goes on over lines until its closing brace, and no further', () => {
    const message = '/weather {\n  "city": "a } \\" b"\n}\n/now\nand more';

    expect(read(message)).toEqual([{ city: 'a } " b' }, {}]);
  });

  test('is one of several, each on a line', () => {
    expect(read('Please:\n/now\n  /weather Oslo\n\n/now')).toEqual([{}, { city: 'Oslo' }, {}]);
  });

  test.each([
    ['with text for two parameters', '/copy a b'],
    ['without a required parameter', '/note'],
    ['with a pair that breaks off', '/weather city=New York'],
    ['with a pair that is no parameter', '/weather city=Oslo wind=yes'],
  ])('%s is answered with its parameters', (_what, message) => {
    const [name] = message.slice(1).split(' ');

    expect(read(message)).toEqual([expect.stringContaining(`/${name} takes `)]);
  });

  test('for a tool that is not active names the active ones', () => {
    expect(read('/nothing at all')).toEqual([expect.stringContaining('/weather, /search')]);
  });

  test('in broken JSON is handed on, so that the call says what is wrong', () => {
    const [command] = parseCommands('/weather {"city": ', TOOLS);

    expect(command).toEqual({
      ...{ toolName: 'weather', argumentsText: '{"city":', problem: null },
    });
  });
});

describe('the model direct', () => {
  const step = (history: readonly HistoryEntry[]) =>
    ask(directAdapter, requestOf(history, { tools: TOOLS }));

  test('calls what the last message commands, and says what is wrong with the rest', async () => {
    const { calls, text: said, finish } = await step([user('/now\n/copy a\n/weather Oslo')]);

    expect(calls.map(({ toolName, argumentsText }) => [toolName, argumentsText])).toEqual([
      ['now', '{}'],
      ['weather', '{"city":"Oslo"}'],
    ]);
    expect(said).toContain('/copy takes');
    expect(finish.reason).toBe('tool-calls');
  });

  test('ends after the results and says which call failed', async () => {
    const result = { callId: 'direct_0', text: '{}' };
    const { calls, text: said } = await step([
      user('/now\n/weather Oslo'),
      {
        type: 'tool-results',
        results: [
          { ...result, toolName: 'now', isError: false },
          { ...result, toolName: 'weather', isError: true },
        ],
      },
    ]);

    expect(calls).toEqual([]);
    expect(said).toMatch(/now is done[^]*weather failed/);
  });

  test('explains itself where there is no command', async () => {
    const { text: said, finish } = await step([user('What is this?')]);

    expect(said).toContain('`/weather`');
    expect(finish.reason).toBe('stop');
  });
});
