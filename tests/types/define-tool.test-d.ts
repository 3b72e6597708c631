import { expectTypeOf, test } from 'vitest';
import type { ToolSettings } from '../../server/config.ts';
import { defineTool, type ToolContext } from '../../server/tools/kit/define-tool.ts';
import { flag, integer, object, oneOf, optional, text } from '../../server/tools/kit/parameters.ts';
import { ok } from '../../server/tools/kit/tool-result.ts';
import type { wikiLookup } from '../../server/tools/wiki-lookup.ts';

test('the input type follows from the parameters', () => {
  type Input = Parameters<typeof wikiLookup.execute>[0];

  expectTypeOf<Input['query']>().toEqualTypeOf<string>();
  expectTypeOf<Input['limit']>().toEqualTypeOf<number>();
});

test('only a parameter without default may be missing', () => {
  const tool = defineTool({
    name: 'example',
    description: 'An example.',
    parameters: object({
      word: optional(text()),
      times: integer({ default: 1 }),
      aloud: flag({ default: true }),
    }),
    execute({ word, times, aloud }) {
      expectTypeOf(word).toEqualTypeOf<string | undefined>();
      expectTypeOf(times).toEqualTypeOf<number>();
      expectTypeOf(aloud).toEqualTypeOf<boolean>();
      return ok(null);
    },
  });

  expectTypeOf(tool.execute).toBeFunction();
  expectTypeOf<{ times: number; aloud: true }>().toExtend<Parameters<typeof tool.execute>[0]>();
  expectTypeOf<{ word: string; times: number }>().not.toExtend<
    Parameters<typeof tool.execute>[0]
  >();
});

test('a choice has the type of its values', () => {
  const tool = defineTool({
    name: 'example',
    description: 'An example.',
    parameters: object({
      order: oneOf(['newest', 'oldest'], { default: 'newest' }),
      unit: optional(oneOf(['metric'])),
    }),
    execute({ order, unit }) {
      expectTypeOf(order).toEqualTypeOf<'newest' | 'oldest'>();
      expectTypeOf(unit).toEqualTypeOf<'metric' | undefined>();
      return ok(null);
    },
  });

  expectTypeOf(tool.execute).toBeFunction();
});

test('a tool sees its settings and nothing of the server', () => {
  expectTypeOf<ToolContext['settings']>().toEqualTypeOf<ToolSettings>();
  expectTypeOf<ToolSettings>().toHaveProperty('wikipediaBaseUrl');
  expectTypeOf<ToolSettings>().not.toHaveProperty('databaseUrl');
  expectTypeOf<ToolSettings>().not.toHaveProperty('authSecret');
});
