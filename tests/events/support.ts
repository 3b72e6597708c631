import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, type Database } from '../../server/db/client.ts';
export async function createTestDatabase(): Promise<{ database: Database; close(): Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-events-'));
  const database = await openDatabase({ url: null, dataDir, isDurable: false });
  return { database, async close() { await database.close(); rmSync(dataDir, { recursive: true, force: true }); } };
}
