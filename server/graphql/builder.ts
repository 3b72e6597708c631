import SchemaBuilder from '@pothos/core';
import { GraphQLError } from 'graphql';
import type { GraphQLContext } from './context.ts';
import { isTooDeep, MAX_JSON_DEPTH } from './json-depth.ts';

interface SchemaTypes {
  Context: GraphQLContext;
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: Date; Output: Date | string };
    JSON: { Input: unknown; Output: unknown };
  };
}

/** The one builder; it declares scalars and the three roots, the modules declare everything else. */
export const builder = new SchemaBuilder<SchemaTypes>({ defaultFieldNullability: false });

builder.scalarType('DateTime', {
  description: 'A point in time in ISO 8601 with zone, e.g. `2026-11-30T12:00:00.000Z`.',
  serialize: (value) => (typeof value === 'string' ? value : value.toISOString()),
  parseValue(value) {
    const time = typeof value === 'string' ? new Date(value) : new Date(Number.NaN);
    if (Number.isNaN(time.getTime())) throw new GraphQLError('A DateTime must be ISO 8601 text.');
    return time;
  },
});

builder.scalarType('JSON', {
  description: 'Any JSON value.',
  serialize: (value) => value,
  parseValue(value) {
    if (!isTooDeep(value)) return value;
    throw new GraphQLError(`A JSON value may be nested ${MAX_JSON_DEPTH} levels deep at most.`);
  },
});

builder.queryType({ description: 'What can be read.' });
builder.mutationType({ description: 'What can be changed.' });
builder.subscriptionType({ description: 'What can be followed, over WebSocket and SSE.' });
