import { fsyncSync } from 'node:fs';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/** Where PGlite mounts the data folder inside its own tree of files. */
const MOUNT_POINT = '/pglite/data';

type Initialise = NodeFS['init'];
type InitialiseResult = Awaited<ReturnType<Initialise>>;

/** The part of Emscripten's file system that the hook below touches. */
interface EmscriptenModule {
  readonly FS: {
    lookupPath(path: string): {
      readonly node: {
        readonly mount: { readonly type: { readonly stream_ops: StreamOperations } };
      };
    };
  };
}

interface StreamOperations {
  fsync?: (stream: { readonly nfd?: number }) => number;
}

/**
 * The data folder as PGlite sees it, with `fsync` passed on to the machine: PGlite's own answers
 * it with "done", so that a commit would survive a killed process but not a power cut.
 */
export class DurableFileSystem extends NodeFS {
  override async init(...parameters: Parameters<Initialise>): Promise<InitialiseResult> {
    const result = await super.init(...parameters);
    const passOnSync = (module: EmscriptenModule): void => {
      const operations = module.FS.lookupPath(MOUNT_POINT).node.mount.type.stream_ops;
      operations.fsync = ({ nfd }) => {
        if (nfd !== undefined) fsyncSync(nfd); // folders have none
        return 0;
      };
    };
    const hooks = [...(result.emscriptenOpts.preRun ?? []), passOnSync];
    // The published type of a hook leaves out the file system that it is handed.
    result.emscriptenOpts.preRun = hooks as NonNullable<typeof result.emscriptenOpts.preRun>;
    return result;
  }
}
