import { GraphQLInterfaceType } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../server/graphql/schema.ts';

test('fields of one name have one type in all events, so that a client selects them without aliases', () => {
  for (const name of ['ChatEvent', 'ViewerEvent']) {
    const events = schema.getType(name);
    if (!(events instanceof GraphQLInterfaceType)) throw new Error(`${name} is no interface.`);
    const types = new Map<string, Set<string>>();
    for (const type of schema.getPossibleTypes(events)) {
      for (const field of Object.values(type.getFields())) {
        types.set(field.name, (types.get(field.name) ?? new Set()).add(String(field.type)));
      }
    }

    expect([...types].filter(([, found]) => found.size > 1)).toEqual([]);
    expect(types.size).toBeGreaterThan(5);
  }
});
