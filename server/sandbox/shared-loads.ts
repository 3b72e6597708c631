import type { PackageFile } from './package-lock.ts';
import { PackageError } from './package-error.ts';

/** Loads a file; callers that want one that is under way wait for it together. */
export interface SharedLoads {
  /**
   * Resolves when the file is there. A caller that aborts leaves at once; the loading itself ends
   * when the last of them has left.
   *
   * @throws PackageError, and whatever the loading throws.
   */
  load(file: PackageFile, signal: AbortSignal): Promise<void>;
}

interface Loading {
  readonly ended: Promise<void>;
  readonly abort: AbortController;
  callers: number;
}

export function createSharedLoads(
  loadFile: (file: PackageFile, signal: AbortSignal) => Promise<void>,
): SharedLoads {
  const underWay = new Map<string, Loading>();

  function start(file: PackageFile): Loading {
    const abort = new AbortController();
    const ended = loadFile(file, abort.signal).finally(() => {
      if (underWay.get(file.fileName) === loading) underWay.delete(file.fileName);
    });
    // Callers that have left do not hear of the end.
    ended.catch(() => undefined);
    const loading: Loading = { ended, abort, callers: 0 };
    underWay.set(file.fileName, loading);
    return loading;
  }

  return {
    async load(file, signal) {
      const loading = underWay.get(file.fileName) ?? start(file);
      const { promise: left, reject } = Promise.withResolvers<never>();
      const leave = (): void => reject(new PackageError('cancelled', 'The loading was cancelled.'));
      signal.addEventListener('abort', leave, { once: true });
      if (signal.aborted) leave();
      loading.callers += 1;
      try {
        await Promise.race([loading.ended, left]);
      } finally {
        signal.removeEventListener('abort', leave);
        loading.callers -= 1;
        if (loading.callers === 0) {
          // Whoever comes now begins anew.
          if (underWay.get(file.fileName) === loading) underWay.delete(file.fileName);
          loading.abort.abort();
        }
      }
    },
  };
}
