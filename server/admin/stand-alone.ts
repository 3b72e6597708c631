import { systemClock } from '../clock.ts';
import { toolSettings, type Config } from '../config.ts';
import { openDataFolder, readSecret } from '../data-folder.ts';
import { openDatabase } from '../db/client.ts';
import { createLog } from '../log.ts';
import { createModelCatalogue } from '../models/model-catalogue.ts';
import type { ToolRegistry } from '../registry/registry.ts';
import { createToolRegistry } from '../registry/tool-registry.ts';
import { createAccounts } from '../services/accounts.ts';
import { createAuth } from '../services/auth.ts';
import { runCommand, type AdminCommand, type AdminOutcome } from './commands.ts';

/** Does a command while no server runs on the data folder: opens what it needs, and closes it again. */
export async function runAlone(config: Config, command: AdminCommand): Promise<AdminOutcome> {
  const log = createLog({ level: 'error' });
  const clock = systemClock;
  const dataFolder = await openDataFolder(config.dataDir);
  const secret = config.authSecret ?? (await readSecret(dataFolder));
  const database = await openDatabase({ url: config.databaseUrl, dataDir: dataFolder });
  try {
    const publicUrl = (): string => config.publicUrl ?? `http://${config.host}:${config.port}`;
    const auth = createAuth({ database, config, clock, secret, publicUrl });
    const accounts = createAccounts({
      ...{ database, auth, clock, publicUrl },
      onCredentialEnd: () => undefined,
    });
    const settings = toolSettings(config);
    let registry: ToolRegistry | null = null;
    const openRegistry = async (): Promise<ToolRegistry> =>
      (registry ??= await createToolRegistry({ config, settings, log, clock }));
    try {
      const catalogue = createModelCatalogue({ config, log });
      return await runCommand({ config, database, accounts, catalogue, openRegistry }, command);
    } finally {
      await (registry as ToolRegistry | null)?.close();
    }
  } finally {
    await database.close();
  }
}
