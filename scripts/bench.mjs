// `npm run bench [filter] [-- options]`: measures, one benchmark after another.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { projectFolder, runMain, runNodeInForeground } from './processes.mjs';

const FOLDER = 'tests/bench';
/** Exit codes above this one tell of a signal. */
const STOPPED = 128;

await runMain(async () => {
  await bootstrap();
  const parameters = process.argv.slice(2);
  const filters = parameters.filter((parameter) => !parameter.startsWith('-'));
  const options = parameters.filter((parameter) => parameter.startsWith('-'));
  const benches = listBenches().filter(
    (name) => filters.length === 0 || filters.some((filter) => name.includes(filter)),
  );
  if (benches.length === 0) {
    process.stderr.write(`No file in ${FOLDER} matches ${filters.join(' ') || '*.bench.ts'}.\n`);
    return 1;
  }
  let failures = 0;
  for (const name of benches) {
    process.stdout.write(`\n${name}\n`);
    const code = await runNodeInForeground(['--expose-gc', `${FOLDER}/${name}`, ...options]);
    if (code > STOPPED) return code;
    if (code !== 0) failures += 1;
  }
  return failures === 0 ? 0 : 1;
});

function listBenches() {
  const folder = join(projectFolder, FOLDER);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.bench.ts'))
    .sort();
}
