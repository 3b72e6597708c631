// Thread entry: makes an empty database in a folder, and ends.
import { workerData } from 'node:worker_threads';
import { openEngine } from './embedded-engine.ts';

const { folder } = workerData as { readonly folder: string };

const engine = await openEngine({
  folder,
  isDurable: false,
  onDeath(reason) {
    throw new Error(reason);
  },
});
await engine.close();
process.exit(0);
