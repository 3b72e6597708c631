// `npm test [filter]`: brings the checkout up to date, then checks and tests it.
import { bootstrap } from './bootstrap.mjs';
import { runMain, runNodeInForeground } from './processes.mjs';

await runMain(async () => {
  await bootstrap();
  return runNodeInForeground(['scripts/suites.mjs', ...process.argv.slice(2)]);
});
