import type { FilesHost, LocatedFile } from '../kit/tool-host.ts';

/**
 * The file that a model means: by its label, or by the address or the path in Python that it was told
 * earlier, or by the label in other case. Null when none fits, or several do.
 */
export async function findFile(files: FilesHost, name: string): Promise<LocatedFile | null> {
  const exact = await files.locate(name);
  if (exact !== null) return exact;
  const wanted = fold(name);
  const fitting = (await files.list()).filter(
    ({ label, codeInterpreterPath, downloadUrl }) =>
      fold(label) === wanted || codeInterpreterPath === name || downloadUrl === name,
  );
  const [only] = fitting;
  return fitting.length === 1 && only !== undefined ? files.locate(only.label) : null;
}

/** Systems differ in how they write accents, and people in how they write capitals. */
const fold = (label: string): string => label.trim().normalize('NFC').toLowerCase();
