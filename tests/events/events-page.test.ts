import { readFileSync } from 'node:fs';
import { GraphQLInterfaceType } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../server/graphql/schema.ts';

test('docs/events.md has a row for every event', () => {
  const page = readFileSync(new URL('../../docs/events.md', import.meta.url), 'utf8');
  const names = ['ChatEvent', 'ViewerEvent'].flatMap((name) => {
    const type = schema.getType(name);
    if (!(type instanceof GraphQLInterfaceType)) throw new Error(`${name} is no interface.`);
    return schema.getPossibleTypes(type).map((event) => event.name);
  });

  expect(names.filter((name) => !new RegExp(`^\\|.*\`${name}\``, 'm').test(page))).toEqual([]);
  expect(names.length).toBeGreaterThan(20);
});
