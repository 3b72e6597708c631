// `node prisma/make-migration.mjs`: writes the tables of migrations/0001_initial anew from
// schema.prisma. What stands below the mark in that file is written by hand, and kept.
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const MARK = '-- By hand: what schema.prisma cannot say.';

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url));
const target = pathOf('./migrations/0001_initial/migration.sql');

const { stdout } = await promisify(execFile)(process.execPath, [
  ...[pathOf('../node_modules/prisma/build/index.js'), 'migrate', 'diff'],
  ...['--config', pathOf('./prisma.config.ts'), '--script'],
  ...['--from-empty', '--to-schema', pathOf('./schema.prisma')],
]);
const before = await readFile(target, 'utf8').catch((error) => {
  if (error.code === 'ENOENT') return MARK;
  throw error;
});
const byHand = before.slice(before.indexOf(MARK));
await mkdir(pathOf('./migrations/0001_initial'), { recursive: true });
await writeFile(target, `${stdout.trim()}\n\n${byHand.trim()}\n`);
