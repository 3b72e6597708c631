// Tells whether what was made from some files is still up to date, in a few milliseconds.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';

/**
 * @typedef {object} Target
 * @property {string} name - key of its entry in the stamp file.
 * @property {readonly string[]} inputs - files and folders that it is made from.
 * @property {readonly string[]} outputs - files and folders that must be there when it is made.
 * @property {readonly string[]} [ignore] - folders and files inside the inputs that do not count.
 *
 * @typedef {object} Stamp
 * @property {string} glance - hash over path, size and modification time of each input.
 * @property {string} content - hash over path and content of each input.
 */

/**
 * Remembers from which inputs each target was made.
 *
 * Sizes and times are compared first. Only if those differ is the content read: a fresh checkout
 * or a `touch` changes times alone, and needs no rebuild.
 *
 * @param {string} folder - all paths are relative to it.
 * @param {string} stampFile - path of the JSON file with the stamps.
 */
export function createFreshness(folder, stampFile) {
  const path = join(folder, stampFile);

  function readStamps() {
    if (!existsSync(path)) return {};
    try {
      return JSON.parse(readFileSync(path, 'utf8'));
    } catch {
      return {}; // A damaged file only means that everything is made again.
    }
  }

  function writeStamp(name, stamp) {
    mkdirSync(dirname(path), { recursive: true });
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify({ ...readStamps(), [name]: stamp }, null, 2)}\n`);
    renameSync(draft, path);
  }

  /** @param {Target} target */
  function isFresh(target) {
    if (!target.outputs.every((output) => existsSync(join(folder, output)))) return false;
    const stamp = readStamps()[target.name];
    if (!stamp) return false;
    const files = listFiles(folder, target);
    if (stamp.glance === glanceHash(files)) return true;
    if (stamp.content !== contentHash(folder, files)) return false;
    writeStamp(target.name, { glance: glanceHash(files), content: stamp.content });
    return true;
  }

  return {
    isFresh,

    /**
     * Makes a target and remembers what it was made from. The inputs are looked at before the
     * work: a file that is saved while it runs makes the target stale again.
     *
     * @param {Target} target
     * @param {() => Promise<void>} make
     */
    async make(target, make) {
      const files = listFiles(folder, target);
      const stamp = { glance: glanceHash(files), content: contentHash(folder, files) };
      await make();
      const missing = target.outputs.filter((output) => !existsSync(join(folder, output)));
      if (missing.length > 0)
        throw new Error(`This was not made, although no step failed: ${missing.join(', ')}`);
      writeStamp(target.name, stamp);
    },
  };
}

/** @returns {{ path: string, size: number, modifiedAt: number }[]} in the order of their paths. */
function listFiles(folder, { inputs, ignore = [] }) {
  const found = [];
  const visit = (path) => {
    if (ignore.includes(path)) return;
    const stats = statSync(join(folder, path), { throwIfNoEntry: false });
    if (!stats) return;
    if (stats.isDirectory()) {
      for (const name of readdirSync(join(folder, path))) visit(`${path}/${name}`);
    } else {
      found.push({ path, size: stats.size, modifiedAt: stats.mtimeMs });
    }
  };
  for (const input of inputs) visit(input.split(sep).join('/'));
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function glanceHash(files) {
  const hash = createHash('sha256');
  for (const { path, size, modifiedAt } of files) hash.update(`${path}\0${size}\0${modifiedAt}\0`);
  return hash.digest('hex');
}

function contentHash(folder, files) {
  const hash = createHash('sha256');
  for (const { path, size } of files) {
    hash.update(`${path}\0${size}\0`);
    hash.update(readFileSync(join(folder, path)));
  }
  return hash.digest('hex');
}
