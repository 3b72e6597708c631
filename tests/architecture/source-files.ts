import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const projectFolder = fileURLToPath(new URL('../..', import.meta.url));

/** What tools write and nobody edits; as names of folders anywhere, or paths from the project. */
const NOT_OURS = new Set([
  'node_modules',
  '.git',
  '.cache',
  '.svelte-kit',
  '.artifacts',
  'build',
  'data',
  'test-results',
  'playwright-report',
  'prisma/generated',
  'console/src/lib/paraglide',
]);

const files = walk('');

/**
 * @param folder - from the project's folder; absent for the whole project.
 * @returns every file in it that people write, as paths from the project's folder, sorted.
 */
export function listSourceFiles(folder?: string): string[] {
  return files.filter((path) => folder === undefined || path.startsWith(`${folder}/`));
}

/** @param path - from the project's folder. */
export function readSourceFile(path: string): string {
  return readFileSync(`${projectFolder}${path}`, 'utf8');
}

function walk(folder: string): string[] {
  return readdirSync(`${projectFolder}${folder}`, { withFileTypes: true })
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (NOT_OURS.has(entry.name) || NOT_OURS.has(path)) return [];
      if (entry.isDirectory()) return walk(path);
      return entry.isFile() ? [path] : [];
    })
    .sort();
}
