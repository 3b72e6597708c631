import { expect, test } from 'vitest';
import { createCallAssembler, type CallFragment } from '../../server/models/call-assembler.ts';

const part = (
  place: { index?: number | null; id?: string | null },
  name: string | null | undefined,
  text: string | null | undefined,
): CallFragment => ({
  ...place,
  function: {
    ...(name === undefined ? {} : { name }),
    ...(text === undefined ? {} : { arguments: text }),
  },
});

test.each<[string, readonly CallFragment[], readonly (readonly [string, string, string])[]]>([
  [
    'by their index, also in turns',
    [
      part({ index: 0, id: 'a' }, 'get', ''),
      part({ index: 1, id: 'b' }, 'put', '{"y"'),
      part({ index: 0 }, undefined, '{"x":1}'),
      part({ index: 1 }, undefined, ':2}'),
    ],
    [
      ['a', 'get', '{"x":1}'],
      ['b', 'put', '{"y":2}'],
    ],
  ],
  [
    'by their id where there is no index',
    [
      part({ id: 'a' }, 'get', '{"x":'),
      part({ id: 'b' }, 'get', '{"x":2}'),
      part({ id: 'a' }, undefined, '1}'),
    ],
    [
      ['a', 'get', '{"x":1}'],
      ['b', 'get', '{"x":2}'],
    ],
  ],
  [
    'by their id where all have the index 0',
    [part({ index: 0, id: 'a' }, 'get', '{"x":1}'), part({ index: 0, id: 'b' }, 'get', '{}')],
    [
      ['a', 'get', '{"x":1}'],
      ['b', 'get', '{}'],
    ],
  ],
  [
    'where each piece repeats id and name',
    [part({ index: 0, id: 'a' }, 'get', '{"x"'), part({ index: 0, id: 'a' }, 'get', ':1}')],
    [['a', 'get', '{"x":1}']],
  ],
  [
    'where later pieces have an empty id and name',
    [part({ index: 0, id: 'a' }, 'get', '{"x"'), part({ index: 0, id: '' }, '', ':1}')],
    [['a', 'get', '{"x":1}']],
  ],
  [
    'where nulls stand for what is missing',
    [part({ index: 0, id: 'a' }, 'get', null), part({ index: null, id: null }, null, '{"x":1}')],
    [['a', 'get', '{"x":1}']],
  ],
  [
    'where no piece has an id',
    [part({ index: 0 }, 'get', '{}'), part({ index: 1 }, 'put', '{}')],
    [
      ['', 'get', '{}'],
      ['', 'put', '{}'],
    ],
  ],
  [
    'by a new name where pieces have neither index nor id',
    [part({}, 'get', '{"x":1}'), part({}, 'put', '{"y":'), part({}, undefined, '2}')],
    [
      ['', 'get', '{"x":1}'],
      ['', 'put', '{"y":2}'],
    ],
  ],
])('calls are put together %s', (_how, fragments, calls) => {
  const assembler = createCallAssembler();
  for (const fragment of fragments) assembler.push([fragment]);

  expect(assembler.calls.map(({ id, name, argumentsText }) => [id, name, argumentsText])).toEqual(
    calls,
  );
});

test('what a server adds to a call is kept for sending it back', () => {
  const assembler = createCallAssembler();
  const extra = { google: { thought_signature: 'abc' } };
  assembler.push([{ ...part({ index: 0, id: 'a' }, 'get', '{}'), extra_content: extra }]);

  expect(assembler.calls[0]!.extra).toEqual(extra);
});
