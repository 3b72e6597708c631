import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createAgentLoop } from '../../server/agent/agent-loop.ts';
import type { Database } from '../../server/db/client.ts';
import type { ChatEvent, ViewerEvent } from '../../server/events/chat-event.ts';
import { createDeltaWriter } from '../../server/events/delta-writer.ts';
import { createEvents } from '../../server/events/events.ts';
import { createLog } from '../../server/log.ts';
import { createActivations } from '../../server/services/activations.ts';
import { createChatFolder } from '../../server/services/chat-folder.ts';
import { createChatService } from '../../server/services/chats.ts';
import { createEventWriter } from '../../server/services/event-writer.ts';
import { createFactService } from '../../server/services/facts.ts';
import { createFileService } from '../../server/services/files.ts';
import { createToolHost } from '../../server/services/tool-host.ts';
import { createToolTrial } from '../../server/services/tool-trial.ts';
import { createToolService } from '../../server/services/tools.ts';
import { createTurnRunner } from '../../server/services/turn-runner.ts';
import { createTurnStore } from '../../server/services/turn-store.ts';
import { createTurnService } from '../../server/services/turns.ts';
import type { Viewer } from '../../server/services/viewer.ts';
import { createManualClock, type ManualClock } from '../support/clock.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createFakeExecutor, createFakeRegistry } from './fake-tools.ts';
import { createScriptedModels } from './scripted-models.ts';

/** Bytes: small enough to reach. */
export const LIMITS = { uploadMaxBytes: 1_000, chatMaxBytes: 2_500 };

/** The services on a real database and a real log; what lies beyond them is in the test's hands. */
export type Place = Awaited<ReturnType<typeof openPlace>>;

export async function openPlace() {
  const opened = await createTestDatabase();
  const clock = createManualClock(Date.now());
  const first = await createProcess(opened, clock);
  return {
    ...first,
    clock,
    filesFolder: join(opened.dataDir, 'files'),
    /** The same services once more, as another process has them that shares the database. */
    createOther: () => createProcess(opened, clock, { ...opened.database, isEmbedded: false }),
    async createViewer(role: Viewer['role'] = 'USER', name = 'Ada'): Promise<Viewer> {
      const email = `${randomUUID()}@example.org`;
      const user = await opened.database.client.user.create({ data: { name, email, role } });
      return { id: user.id, role, email, name, credentialId: randomUUID() };
    },
    chatEvents: (chatId: string) => readChatEvents(opened.database, chatId),
    async viewerEvents({ id }: Viewer): Promise<readonly ViewerEvent[]> {
      const rows = await opened.database.client.viewerEvent.findMany({
        where: { userId: id },
        orderBy: { sequence: 'asc' },
      });
      return rows.map(({ type, data }) => ({ type, ...(data as object) }) as ViewerEvent);
    },
    async close() {
      await first.runner.close();
      await first.folder.idle();
      await first.closeEvents();
      await opened.close();
    },
  };
}

async function readChatEvents(database: Database, chatId: string): Promise<readonly ChatEvent[]> {
  const rows = await database.client.event.findMany({
    where: { chatId },
    orderBy: { sequence: 'asc' },
  });
  return rows.map(({ type, data }) => ({ type, ...(data as object) }) as ChatEvent);
}

async function createProcess(
  { dataDir, database: whole }: TestDatabase,
  clock: ManualClock,
  database: Database = whole,
) {
  const log = createLog({ level: 'silent' });
  const catalogue = createScriptedModels();
  const registry = createFakeRegistry();
  const executor = createFakeExecutor();
  const events = await createEvents({ database: whole, clock, log });
  const writer = createEventWriter(events.log, log);
  const folder = createChatFolder({ root: join(dataDir, 'files'), database, log });
  const files = createFileService({ database, events: writer, folder, config: LIMITS });
  const facts = createFactService({ database, events: writer });
  const base = { database, events: writer, catalogue, registry, executor, clock, log, folder };
  const leaseOwner = randomUUID();
  const store = createTurnStore({ ...base, leaseOwner, onTurnEnd: () => {} });
  const onAnswer = (turnId: string): void => void runner.resume(turnId);
  const activations = createActivations({
    ...{ ...base, leaseOwner, onAnswer, config: { activationTimeoutMs: 60_000 } },
  });
  const createHost = (scope: { chatId: string; userId: string; callId: string }) =>
    createToolHost({ files, facts, cache: never, pace: never } as never, scope);
  const loop = createAgentLoop({
    ...{ store, registry, catalogue, executor, clock, log },
    config: {
      ...{ turnStepLimit: 10, turnTimeoutMs: 900_000, modelRetries: 0 },
      modelMaxOutputTokens: 1_000,
    },
    emit: (chatId, event) => writer.emit(chatId, event),
    createDeltaSink: (id) =>
      createDeltaWriter({
        append: (lines) => events.log.append({ kind: 'chat', id }, lines),
        clock,
      }),
    createHost: ({ chatId, userId }, callId) => createHost({ chatId, userId, callId }),
    async requestActivation(state, call, { group, reason }) {
      const question = { group: String(group), reason: String(reason) };
      return activations.request(state, call, { ...question, view: await store.gateView(state) });
    },
  });
  const runner = createTurnRunner({ ...base, loop, leaseOwner });
  return {
    ...{ database, events, writer, folder, files, facts, store, activations, runner },
    ...{ models: catalogue, registry, executor },
    chats: createChatService({ ...base, runner }),
    turns: createTurnService({ ...base, runner, leaseOwner }),
    tools: createToolService({ ...base, activations, onAnswer }),
    trial: createToolTrial({ ...base, createHost }),
    closeEvents: () => events.close(),
  };
}

const never = (): never => {
  throw new Error('No test needs it.');
};

/** A chat with the given person, ready to be written in. */
export const createChat = (place: Pick<Place, 'chats'>, viewer: Viewer) =>
  place.chats.create(viewer, { requestId: randomUUID() });

/** Resolves when no turn runs, also one that began in between. */
export async function idle(place: Pick<Place, 'runner'>): Promise<void> {
  await place.runner.idle();
}

type SendInput = Partial<Parameters<Place['turns']['sendMessage']>[2]>;

/** Sends "Hello", or what is given, under a request id of its own. */
export function send(
  place: Pick<Place, 'turns'>,
  viewer: Viewer,
  { chatId, ...input }: SendInput & { readonly chatId: string },
) {
  const defaults = { requestId: randomUUID(), text: 'Hello' };
  return place.turns.sendMessage(viewer, chatId, { ...defaults, ...input });
}

/** Asks again and again, on a machine that may have much else to do. */
export const poll = <Value>(ask: () => Promise<Value>) => expect.poll(ask, { timeout: 10_000 });

/** Something to wait for, and what ends the waiting. */
export function createGate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
