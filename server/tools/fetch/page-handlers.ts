import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../../errors.ts';
import { isPageHandler, type PageHandler } from '../kit/page-handler.ts';

const HANDLER_FILE = /^[^.].*\.handler\.(ts|js|mjs)$/;

/** The handlers that come with the service, in the order in which they are asked. */
const BUILT_IN: readonly (() => Promise<PageHandler>)[] = [];

export interface LoadedHandlers {
  /** Those of the operator's folders first, so that they can take over what is built in. */
  readonly handlers: readonly PageHandler[];
  /** Whole sentences about files that could not be loaded; they cost their own handlers only. */
  readonly problems: readonly string[];
}

const loadedFolders = new Map<string, Promise<LoadedHandlers>>();

/**
 * All handlers of this thread, each file loaded once.
 *
 * @param folders - what TOOLS_PATH names.
 */
export async function loadPageHandlers(folders: readonly string[]): Promise<LoadedHandlers> {
  const custom = await Promise.all(folders.map(loadOnce));
  const builtIn = await Promise.all(BUILT_IN.map((importHandler) => importHandler()));
  return {
    handlers: [...custom.flatMap(({ handlers }) => handlers), ...builtIn],
    problems: custom.flatMap(({ problems }) => problems),
  };
}

async function loadOnce(folder: string): Promise<LoadedHandlers> {
  const loading = loadedFolders.get(folder) ?? loadFolder(folder);
  loadedFolders.set(folder, loading);
  const loaded = await loading;
  // What failed once may be mended meanwhile.
  if (loaded.problems.length > 0) loadedFolders.delete(folder);
  return loaded;
}

async function loadFolder(folder: string): Promise<LoadedHandlers> {
  const handlers: PageHandler[] = [];
  const problems: string[] = [];
  try {
    const names = (await readdir(resolve(folder))).filter((name) => HANDLER_FILE.test(name)).sort();
    for (const name of names) {
      try {
        handlers.push(...(await importHandlers(resolve(folder, name))));
      } catch (error) {
        problems.push(`The page handler ${name} cannot be loaded: ${messageOf(error)}`);
      }
    }
  } catch (error) {
    problems.push(`A folder of TOOLS_PATH cannot be read: ${messageOf(error)}`);
  }
  return { handlers, problems };
}

async function importHandlers(path: string): Promise<readonly PageHandler[]> {
  const exports = (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  const handlers = [...new Set(Object.values(exports).filter(isPageHandler))];
  if (handlers.length > 0) return handlers;
  throw new Error('it exports none; definePageHandler makes one.');
}
