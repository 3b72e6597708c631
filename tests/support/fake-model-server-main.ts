import { startFakeModelServer } from './fake-model-server.ts';

/**
 * Runs the server by itself: `node tests/support/fake-model-server-main.ts`, with the port in
 * FAKE_MODEL_PORT (8099) and the milliseconds between two words in FAKE_MODEL_PACE_MS (40).
 */
const port = Number(process.env['FAKE_MODEL_PORT'] ?? 8_099);
const paceMs = Number(process.env['FAKE_MODEL_PACE_MS'] ?? 40);
const server = await startFakeModelServer({ port, paceMs });

process.stdout.write(`The model server listens at ${server.origin}/v1.\n`);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void server.close());
