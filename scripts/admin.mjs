// `npm run admin -- <command>`: an operator's work on the command line.
import { bootstrap } from './bootstrap.mjs';
import { runMain, runNodeInForeground } from './processes.mjs';

await runMain(async () => {
  await bootstrap({ console: false });
  return runNodeInForeground(['server/admin/admin.ts', ...process.argv.slice(2)]);
});
