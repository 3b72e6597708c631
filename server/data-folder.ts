import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** The folder for everything that the server keeps; only its own account may look inside. */
export async function openDataFolder(path: string): Promise<string> {
  const folder = resolve(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** The key that signs sessions: made at the first start and kept beside the data. */
export async function readSecret(dataFolder: string): Promise<string> {
  const file = join(dataFolder, 'auth-secret');
  try {
    const kept = (await readFile(file, 'utf8')).trim();
    if (kept.length >= 32) return kept;
    throw new Error(
      `${file} holds ${kept.length} characters, but a secret needs at least 32; remove the file.`,
    );
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  const made = randomBytes(48).toString('base64url');
  await writeFile(file, `${made}\n`, { mode: 0o600, flag: 'wx' });
  await chmod(file, 0o600);
  return made;
}
