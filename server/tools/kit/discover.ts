import { readdir } from 'node:fs/promises';
import { isTool, type Tool } from './define-tool.ts';

/** A file that should declare tools. */
export interface ToolFile {
  /** File name, e.g. `stock-quote.ts`. */
  readonly file: string;
  readonly moduleUrl: string;
  readonly source: 'built-in' | 'custom';
}

const TOOL_FILE = /^[^.].*\.(ts|js|mjs)$/;
/** Types, tests and URL handlers may lie beside tools. */
const OTHER_FILE = /\.(d|test|test-d|handler)\.(ts|js|mjs)$/;

/**
 * The tool files directly in a folder, sorted by name; subfolders are left alone.
 *
 * @throws the file system's error if the folder cannot be read.
 */
export async function listToolFiles(
  folder: URL,
  source: ToolFile['source'],
): Promise<readonly ToolFile[]> {
  const base = folder.href.endsWith('/') ? folder.href : `${folder.href}/`;
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map(({ name }) => name)
    .filter((name) => TOOL_FILE.test(name) && !OTHER_FILE.test(name))
    .filter((name) => source === 'custom' || name.endsWith('.ts'))
    .sort()
    .map((file) => ({ file, moduleUrl: new URL(encodeURIComponent(file), base).href, source }));
}

/** The tools that a module exports, each once, in the order of its exports. */
export function listExportedTools(exports: Readonly<Record<string, unknown>>): readonly Tool[] {
  return [...new Set(Object.values(exports).filter(isTool))];
}
