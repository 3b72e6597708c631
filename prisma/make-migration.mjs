// `node prisma/make-migration.mjs <name>`: writes the next migration, from the schema.prisma that is
// committed to the one that lies here. What the schema cannot say is added to the file by hand.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url));
const run = promisify(execFile);

const [name = ''] = process.argv.slice(2);
if (!/^[a-z_]+$/.test(name)) {
  throw new Error(`The name is ${JSON.stringify(name)}, but must be words like "event_retention".`);
}
const migrations = pathOf('./migrations');
const numbers = (await readdir(migrations)).map((folder) => Number.parseInt(folder, 10) || 0);
const target = join(migrations, `${String(Math.max(...numbers) + 1).padStart(4, '0')}_${name}`);

const folder = await mkdtemp(join(tmpdir(), 'migration-'));
try {
  const { stdout: committed } = await run('git', ['show', 'HEAD:prisma/schema.prisma'], {
    cwd: pathOf('..'),
  });
  await writeFile(join(folder, 'schema.prisma'), committed);
  const { stdout } = await run(process.execPath, [
    ...[pathOf('../node_modules/prisma/build/index.js'), 'migrate', 'diff'],
    ...['--config', pathOf('./prisma.config.ts'), '--script'],
    ...['--from-schema', join(folder, 'schema.prisma'), '--to-schema', pathOf('./schema.prisma')],
  ]);
  await mkdir(target);
  await writeFile(join(target, 'migration.sql'), `${stdout.trim()}\n`);
} finally {
  await rm(folder, { recursive: true });
}
