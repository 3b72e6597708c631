import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrokenToolFile, ToolDescriptor } from '../tools/kit/tool-descriptor.ts';
import type { LoadedFile } from './load-tools.ts';

/** One tool that is installed, or one file that is of no use. */
export interface InstalledTool {
  /** For a file that does not load: its file name. */
  readonly name: string;
  readonly file: string;
  readonly descriptor: ToolDescriptor | null;
  readonly broken: BrokenToolFile | null;
}

/**
 * Brings files together: of two tools with one name the first stays, and the other's file is broken.
 *
 * @param files - in the order of precedence, built-in ones first.
 */
export function listInstalledTools(files: readonly LoadedFile[]): readonly InstalledTool[] {
  const tools = new Map<string, InstalledTool>();
  const broken = new Map<string, InstalledTool>();
  const addBroken = ({ file }: LoadedFile, reason: string): void => {
    const name = pickName(file.file, file.moduleUrl, (taken) => broken.has(taken));
    const problem = { file: file.file, moduleUrl: file.moduleUrl, reason };
    broken.set(name, { name, file: file.file, descriptor: null, broken: problem });
  };

  for (const loaded of files) {
    if (loaded.problem !== null) addBroken(loaded, loaded.problem);
    for (const descriptor of loaded.tools) {
      const first = tools.get(descriptor.name);
      if (first !== undefined) addBroken(loaded, describeClash(descriptor, first, loaded));
      else
        tools.set(descriptor.name, {
          ...loaded.file,
          name: descriptor.name,
          descriptor,
          broken: null,
        });
    }
  }
  return [...tools.values(), ...broken.values()];
}

function describeClash(
  { name }: ToolDescriptor,
  first: InstalledTool,
  { file }: LoadedFile,
): string {
  const isReplacement = first.descriptor?.source === 'built-in' && file.source === 'custom';
  const owner = isReplacement ? `the built-in ${first.file}` : first.file;
  return `${file.file} declares ${name}, but ${owner} has declared it already; give it another name.`;
}

/** Files of one name may lie in several folders. */
function pickName(file: string, moduleUrl: string, isTaken: (name: string) => boolean): string {
  const path = fileURLToPath(moduleUrl);
  const candidates = [file, `${basename(dirname(path))}/${file}`, path];
  return candidates.find((name) => !isTaken(name)) ?? moduleUrl;
}
