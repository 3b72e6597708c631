// `npm start`: brings the checkout up to date, then runs the server in the foreground.
import { bootstrap } from './bootstrap.mjs';
import { runMain, runNodeInForeground } from './processes.mjs';
import { SERVER_FLAGS, serverEnvironment } from './server-process.mjs';

await runMain(async () => {
  await bootstrap();
  return runNodeInForeground([...SERVER_FLAGS, 'server/main.ts', ...process.argv.slice(2)], {
    env: serverEnvironment(),
  });
});
