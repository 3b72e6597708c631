import { describe, expect, test } from 'vitest';
import { rewriteSchema, type SchemaDialect } from '../../../server/tools/kit/schema-lint.ts';
import type { JsonSchema } from '../../../server/tools/kit/tool-descriptor.ts';

const DIALECTS = ['openai-chat', 'openai-responses', 'anthropic-messages'] as const;

const parameters = (properties: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
});

const rewrite = (schema: JsonSchema, dialect: SchemaDialect = 'openai-chat', name = 'example') =>
  rewriteSchema({ name, parameters: schema }, dialect);

/** How one property is sent. */
const property = (schema: JsonSchema, more: JsonSchema = {}): unknown =>
  (rewrite(parameters({ it: schema }, more))['properties'] as JsonSchema)['it'];

describe.each(DIALECTS)('for %s', (dialect) => {
  test('a plain schema is sent as it was declared', () => {
    const schema = parameters(
      { word: { type: 'string', minLength: 1 }, times: { type: 'integer', minimum: 1 } },
      { required: ['word'], additionalProperties: false },
    );

    expect(rewrite(schema, dialect)).toEqual(schema);
  });

  test('the root is an object without alternatives', () => {
    const schema = parameters({ a: {} }, { anyOf: [{ required: ['a'] }], oneOf: [{}] });

    expect(rewrite(schema, dialect)).toEqual({ type: 'object', properties: { a: {} } });
  });

  test.each(['with.dot', 'with space', ''])('the name "%s" is refused', (name) => {
    expect(() => rewrite(parameters({}), dialect, name)).toThrow(/^its name must have at most/);
  });

  test('recursion is refused', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' } } };
    const schema = parameters({ node: { $ref: '#/$defs/node' } }, { $defs: { node } });

    expect(() => rewrite(schema, dialect)).toThrow(
      'its parameters contain themselves at #/$defs/node, and no model takes recursive parameters',
    );
  });
});

test('the limit of a name is that of the protocol', () => {
  const name = 'x'.repeat(65);

  expect(() => rewrite(parameters({}), 'openai-chat', name)).toThrow('at most 64 letters');
  expect(() => rewrite(parameters({}), 'openai-responses', name)).toThrow('at most 64 letters');
  expect(rewrite(parameters({}), 'anthropic-messages', name)).toEqual(parameters({}));
  expect(() => rewrite(parameters({}), 'anthropic-messages', name + name)).toThrow('at most 128');
});

test('only Anthropic is told of names of parameters that it refuses', () => {
  const schema = parameters({ größe: { type: 'string' } });

  expect(() => rewrite(schema, 'anthropic-messages')).toThrow(/^its parameter "größe" must/);
  expect(rewrite(schema, 'openai-responses')).toEqual(schema);
});

test('nothing is rewritten where no provider reads it', () => {
  const schema = parameters({ it: { $ref: '#/nowhere' } });

  expect(rewrite(schema, 'none', 'any name')).toBe(schema);
});

test('references are replaced by what they point to', () => {
  const $defs = { place: { type: 'object', properties: { city: { $ref: '#/$defs/city' } } } };
  const definitions = { $defs: { ...$defs, city: { type: 'string' } } };

  expect(property({ $ref: '#/$defs/place', description: 'Where.' }, definitions)).toEqual({
    type: 'object',
    properties: { city: { type: 'string' } },
    description: 'Where.',
  });
});

test('a reference that leads outside or nowhere is refused', () => {
  expect(() => property({ $ref: 'https://example.org/schema' })).toThrow('its parameters refer to');
  expect(() => property({ $ref: '#/$defs/missing' })).toThrow('which does not exist');
});

test('schemas that refer to each other with allOf are refused, too', () => {
  const $defs = { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { allOf: [{ $ref: '#/$defs/a' }] } };

  expect(() => rewrite(parameters({}, { allOf: [{ $ref: '#/$defs/a' }], $defs }))).toThrow(
    /nested over 10 levels/,
  );
});

test('what some provider refuses is said in other keywords where there are any', () => {
  expect(property({ const: 'metric' })).toEqual({ enum: ['metric'] });
  expect(property({ oneOf: [{ type: 'string' }, { const: 1 }] })).toEqual({
    anyOf: [{ type: 'string' }, { enum: [1] }],
  });
  expect(
    property({ type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] }),
  ).toEqual({ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } });
  expect(property({ type: 'array' })).toEqual({ type: 'array', items: {} });
});

test('of allOf the properties and what is required are kept', () => {
  const part = { properties: { b: { type: 'string' } }, required: ['b'] };

  expect(property({ properties: { a: {} }, required: ['a'], allOf: [part] })).toEqual({
    properties: { b: { type: 'string' }, a: {} },
    required: ['b', 'a'],
  });
});

test('a pattern is sent only if a local server can make a grammar of it', () => {
  const send = (pattern: string) => property({ type: 'string', pattern });

  expect(send('^[0-9]{5}$')).toEqual({ type: 'string', pattern: '^[0-9]{5}$' });
  expect(send('^(?!0)[0-9]+$')).toEqual({ type: 'string' });
  expect(send('[0-9]')).toEqual({ type: 'string' });
});

test('a property that is called like a keyword stays', () => {
  const schema = parameters({ not: { type: 'string' }, $ref: { type: 'string' } });

  expect(rewrite(schema)).toEqual(schema);
});

test('parameters that are too deep, too long or too many are refused', () => {
  let deep: JsonSchema = { type: 'string' };
  for (let level = 0; level < 11; level += 1) deep = { type: 'array', items: deep };

  expect(() => property(deep)).toThrow('nested over 10 levels');
  expect(() => property({ enum: Array.from({ length: 1_001 }, String) })).toThrow('1001 values');
  expect(() => property({ description: 'x'.repeat(60_000) })).toThrow(
    /take \d+ characters, but at most 60000 are sent/,
  );
});
