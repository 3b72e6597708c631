import type { ToolFile } from '../tools/kit/discover.ts';
import { assumeAvailability, type Availability } from './availability.ts';
import type { GateSubject } from './gates.ts';
import { listInstalledTools, type InstalledTool } from './installed-tools.ts';
import type { LoadedFile } from './load-tools.ts';
import { isSameFile } from './tool-folders.ts';

/** What the tool files hold, and what was found out about each tool. */
export interface Inventory {
  /** Every installed tool that is no helper, and every file that is of no use; sorted by name. */
  subjects(): readonly GateSubject[];
  find(name: string): GateSubject | null;
  /** The file that declares a tool, or is broken. */
  fileOf(subject: GateSubject): ToolFile;
  /** Takes what became of files; each replaces its earlier version and the rest stays known. */
  take(files: readonly LoadedFile[]): void;
  note(name: string, availability: Availability): void;
}

export function createInventory(now: () => Date): Inventory {
  let files: readonly LoadedFile[] = [];
  let subjects: ReadonlyMap<string, GateSubject> = new Map();

  function toSubject(tool: InstalledTool, isFresh: boolean): GateSubject {
    const known = subjects.get(tool.name);
    if (known !== undefined && !isFresh) return { ...known, ...tool };
    const assumed: Availability =
      tool.descriptor === null ? { kind: 'none' } : assumeAvailability(tool.descriptor);
    // What the earlier version said holds until this one is asked: nobody sees it come and go.
    const availability = assumed.kind === 'unchecked' ? (known?.availability ?? assumed) : assumed;
    return { ...tool, loadedAt: now(), availability };
  }

  return {
    subjects: () => [...subjects.values()],
    find: (name) => subjects.get(name) ?? null,
    fileOf(subject) {
      const url = urlOf(subject);
      const found = files.find(({ file }) => file.moduleUrl === url);
      if (found !== undefined) return found.file;
      throw new Error(`The file of ${subject.name} is not among those that were loaded.`);
    },
    take(taken) {
      const takenNow = (url: string) => taken.find(({ file }) => isSameFile(file.moduleUrl, url));
      const kept = files.map((known) => takenNow(known.file.moduleUrl) ?? known);
      files = [...kept, ...taken.filter((file) => !kept.includes(file))];
      const next = listInstalledTools(files)
        .filter(({ descriptor }) => descriptor?.register !== false)
        .map((tool) => toSubject(tool, takenNow(urlOf(tool)) !== undefined))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
      subjects = new Map(next.map((subject) => [subject.name, subject]));
    },
    note(name, availability) {
      const subject = subjects.get(name);
      if (subject === undefined) return;
      subjects = new Map(subjects).set(name, { ...subject, availability });
    },
  };
}

const urlOf = ({ name, descriptor, broken }: InstalledTool): string => {
  const url = descriptor?.moduleUrl ?? broken?.moduleUrl;
  if (url !== undefined) return url;
  throw new Error(`${name} is neither a tool nor a broken file.`);
};
