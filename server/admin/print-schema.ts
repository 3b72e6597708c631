import { lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from '../graphql/schema.ts';
import { printFile } from './printed-file.ts';

printFile('schema.graphql', `${printSchema(lexicographicSortSchema(schema))}\n`);
