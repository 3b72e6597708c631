import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { listToolFiles, type ToolFile } from '../tools/kit/discover.ts';

export interface ToolFolders {
  readonly builtIn: URL;
  /** Paths that TOOLS_PATH names. */
  readonly custom: readonly string[];
}

/**
 * The tool files of all folders, built-in ones first. A folder of the operator that cannot be read
 * is logged and costs its own tools only.
 *
 * @throws the file system's error if the folder of the built-in tools cannot be read.
 */
export async function listAllToolFiles(
  folders: ToolFolders,
  log: Log,
): Promise<readonly ToolFile[]> {
  const [builtIn, ...custom] = await Promise.all([
    listToolFiles(folders.builtIn, 'built-in'),
    ...folders.custom.map((path) => listCustomFiles(path, log)),
  ]);
  return [...builtIn, ...custom.flat()];
}

async function listCustomFiles(path: string, log: Log): Promise<readonly ToolFile[]> {
  try {
    return await listToolFiles(pathToFileURL(resolve(path)), 'custom');
  } catch (error) {
    log.error(`TOOLS_PATH names ${path}, which cannot be read: ${messageOf(error)}`);
    return [];
  }
}

/** The file under an address of its present version: threads keep what they loaded by address. */
export async function renewToolFile(file: ToolFile): Promise<ToolFile> {
  const url = new URL(file.moduleUrl);
  const found = await stat(fileURLToPath(url)).catch(() => null);
  if (found === null) return file;
  url.searchParams.set('version', String(Math.round(found.mtimeMs)));
  return { ...file, moduleUrl: url.href };
}

/** Whether two addresses are versions of one file. */
export const isSameFile = (one: string, other: string): boolean =>
  fileURLToPath(one) === fileURLToPath(other);
