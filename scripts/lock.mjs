// Lets one launcher at a time install and build; the others wait and then find everything done.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { showStep } from './progress.mjs';

const RETRY_MS = 200;
/** No process has this number. */
const NOBODY = 0;

/**
 * @template T
 * @param {string} path - file that holds the number of the process at work.
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(path, work) {
  mkdirSync(dirname(path), { recursive: true });
  if (!tryLock(path)) {
    await showStep('Waiting for another start of this checkout', async () => {
      while (!tryLock(path)) await sleep(RETRY_MS);
    });
  }
  const release = () => rmSync(path, { force: true });
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
}

function tryLock(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (isRunning(readOwner(path))) return false;
  rmSync(path, { force: true });
  return tryLock(path);
}

function readOwner(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return NOBODY; // It was released just now.
    throw error;
  }
}

function isRunning(processId) {
  if (!Number.isInteger(processId) || processId <= 0) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
