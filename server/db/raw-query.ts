import { types, type CustomTypesConfig, type QueryConfig } from 'pg';

type Parse = (text: string) => unknown;

/** Types that `pg` reads otherwise than Prisma does. */
const PARSERS: ReadonlyMap<number, Parse> = new Map<number, Parse>([
  [types.builtins.INT8, BigInt],
  [types.builtins.TIMESTAMP, (text) => new Date(`${text.replace(' ', 'T')}Z`)],
]);

const likePrisma: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary'): unknown =>
    PARSERS.get(oid) ?? types.getTypeParser(oid, format)) as CustomTypesConfig['getTypeParser'],
};

/**
 * A raw statement whose values mean the same as in Prisma: a `timestamp` is UTC on the way in and
 * out, an `int8` is a bigint. Objects become JSON; arrays become PostgreSQL arrays.
 */
export function rawQuery(sql: string, parameters: readonly unknown[] = []): QueryConfig {
  const values = parameters.map((value) => (value instanceof Date ? value.toISOString() : value));
  return { text: sql, values, types: likePrisma };
}
