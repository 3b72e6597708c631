import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'prisma/config';

/** Packages may hide their dependencies from the project: ask as Prisma's own command line would. */
const prismaRequire = createRequire(createRequire(import.meta.url).resolve('prisma/package.json'));
const enginesFolder = dirname(prismaRequire.resolve('@prisma/engines/package.json'));
const hasNativeEngine = readdirSync(enginesFolder).some((name) =>
  name.startsWith('schema-engine-'),
);

// Without a native engine every command first tries to download one, and fails where it cannot.
if (!hasNativeEngine) {
  process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= fileURLToPath(
    new URL('./schema-engine.mjs', import.meta.url),
  );
}

export default defineConfig({
  schema: './schema.prisma',
  migrations: { path: './migrations' },
  // Only the commands that ask a database need a real one; `generate` merely wants to see an address.
  datasource: {
    url: process.env['DATABASE_URL'] ?? 'postgresql://postgres@127.0.0.1:5432/signalbox',
  },
});
