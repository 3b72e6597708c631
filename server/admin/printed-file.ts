import { readFileSync, writeFileSync } from 'node:fs';

/** Writes a committed file that is made from the code; with `--check` only says whether it is up to date. */
export function printFile(name: string, text: string): void {
  const file = new URL(`../../${name}`, import.meta.url);
  if (!process.argv.includes('--check')) return writeFileSync(file, text);
  if (readFileSync(file, 'utf8') === text) return;
  process.stderr.write(`${name} is not what the code prints: run \`npm run generate\`.\n`);
  process.exitCode = 1;
}
