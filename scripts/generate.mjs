// `npm run generate`: makes everything again that is made from other files.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap, generatedCode, make } from './bootstrap.mjs';
import { projectFolder, runMain, runNodeQuietly } from './processes.mjs';
import { printedFiles } from './printed-files.mjs';
import { showStep } from './progress.mjs';

await runMain(async () => {
  await bootstrap({ console: false });
  const isThere = (path) => existsSync(join(projectFolder, path));
  const [prismaClient, consoleCode] = generatedCode;
  await make(prismaClient);
  // The schema is printed before the console's types, which are made from it.
  for (const { output, script } of printedFiles.filter((file) => isThere(file.script))) {
    await showStep(`Printing ${output}`, () => runNodeQuietly([script]));
  }
  if (isThere(consoleCode.needs)) await make(consoleCode);
});
