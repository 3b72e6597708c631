import { describe, expect, test } from 'vitest';
import { readConfig } from '../../server/config.ts';
import type { ModelTool } from '../../server/models/model.ts';
import { createModelSchemas } from '../../server/registry/model-schemas.ts';
import { startRegistry } from './support.ts';

const TOOL: ModelTool = {
  name: 'example',
  description: 'One two three four five six seven eight nine ten.',
  parameters: {
    type: 'object',
    title: 'Arguments',
    properties: {
      title: { type: 'string', title: 'Title', description: 'What it is called.', maxLength: 40 },
    },
    required: ['title'],
  },
};

const make = (environment: Record<string, string>, tool = TOOL) =>
  createModelSchemas(readConfig(environment).config).make(tool, 'openai-chat');

describe('compact schemas', () => {
  test('have no titles, and descriptions that end after a whole word', () => {
    const made = make({ TOOLS_SCHEMA_DESCRIPTION_MAX_LEN: '20' });

    expect(made).toEqual({
      name: 'example',
      description: 'One two three four…',
      parameters: {
        type: 'object',
        properties: {
          title: { type: 'string', description: 'What it is called.', maxLength: 40 },
        },
        required: ['title'],
      },
    });
  });

  test('leave out the descriptions of parameters when they are told to', () => {
    const { parameters } = make({ TOOLS_SCHEMA_STRIP_PARAM_DESCRIPTIONS: 'true' });

    expect(parameters['properties']).toEqual({ title: { type: 'string', maxLength: 40 } });
  });

  test('never change what was declared', () => {
    const before = structuredClone(TOOL);
    make({ TOOLS_SCHEMA_STRIP_PARAM_DESCRIPTIONS: 'true' });

    expect(TOOL).toEqual(before);
  });
});

test('verbose schemas keep every text', () => {
  const environment = { TOOLS_SCHEMA_MODE: 'verbose', TOOLS_SCHEMA_DESCRIPTION_MAX_LEN: '20' };

  expect(make(environment)).toEqual(TOOL);
});

test('a description that no provider takes is cut in any mode', () => {
  const tool = { ...TOOL, description: 'word '.repeat(500) };

  expect(make({ TOOLS_SCHEMA_MODE: 'verbose' }, tool).description.length).toBeLessThanOrEqual(
    1_024,
  );
});

test('a tool that does not fit is refused with a sentence, and cannot be made', () => {
  const tool = { ...TOOL, name: 'not fit' };
  const schemas = createModelSchemas(readConfig({}).config);

  expect(schemas.refuse(tool, 'anthropic-messages')).toBe(
    'Anthropic Messages cannot take not fit: its name must have at most 128 letters, digits, _ or - and nothing else.',
  );
  expect(schemas.refuse(tool, 'direct')).toBeNull();
  expect(() => schemas.make(tool, 'anthropic-messages')).toThrow('its name must have');
});

test('the registry sends schemas of the tools asked for, and shows the declared one', async () => {
  const environment = { TOOLS_SCHEMA_DESCRIPTION_MAX_LEN: '40' };
  const registry = await startRegistry({ environment });

  expect(registry.modelTools(['grouped', 'nothing', 'plain'], 'openai-chat')).toMatchObject([
    { name: 'grouped' },
    { name: 'plain', parameters: { properties: { word: { type: 'string' } } } },
  ]);
  expect(registry.baseSchema('plain')).toEqual({
    type: 'object',
    properties: { word: { type: 'string' } },
    required: ['word'],
    additionalProperties: false,
  });
  expect(registry.baseSchema('nothing')).toBeNull();
  expect(registry.modelTool(TOOL, 'openai-responses').description.length).toBeLessThanOrEqual(40);
  await registry.close();
});
