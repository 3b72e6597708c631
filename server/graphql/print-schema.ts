import { readFileSync, writeFileSync } from 'node:fs';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from './schema.ts';

/** Writes `schema.graphql`; with `--check` only says whether it is as the code prints it. */
const file = new URL('../../schema.graphql', import.meta.url);
const printed = `${printSchema(lexicographicSortSchema(schema))}\n`;
if (process.argv.includes('--check')) {
  if (readFileSync(file, 'utf8') !== printed) {
    process.stderr.write('schema.graphql is not what the code prints: run `npm run generate`.\n');
    process.exitCode = 1;
  }
} else {
  writeFileSync(file, printed);
}
