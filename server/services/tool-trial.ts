import type { Database } from '../db/client.ts';
import { AppError, notFound } from '../errors.ts';
import type { CallOutcome, ToolExecutor } from '../executor/tool-call.ts';
import { createId } from '../id.ts';
import type { Log } from '../log.ts';
import type { ModelCatalogue } from '../models/model.ts';
import type { ToolRegistry } from '../registry/registry.ts';
import type { ToolHost } from '../tools/kit/tool-host.ts';
import { storeCallEnd } from './call-end.ts';
import { toToolCallRecord } from './chat-mapping.ts';
import type { ToolCallRecord } from './chat-records.ts';
import { isUniqueViolation } from './database-errors.ts';
import type { EventWriter } from './event-writer.ts';
import { storableText } from './storable.ts';
import type { Viewer } from './viewer.ts';

export interface ToolTrialDependencies {
  readonly database: Database;
  readonly events: EventWriter;
  readonly registry: ToolRegistry;
  readonly executor: ToolExecutor;
  readonly catalogue: ModelCatalogue;
  readonly log: Log;
  createHost(scope: { chatId: string; userId: string; callId: string }): ToolHost;
}

/** Runs single tools for an operator, through every gate but `chat`. */
export interface ToolTrial {
  /**
   * @throws AppError `NOT_FOUND` if no tool has that name.
   * @throws AppError `UNAVAILABLE` if a gate stops the tool, with its reason.
   */
  run(viewer: Viewer, toolName: string, input: unknown): Promise<ToolCallRecord>;
}

export function createToolTrial(dependencies: ToolTrialDependencies): ToolTrial {
  const { database, events, executor, log } = dependencies;
  return {
    async run(viewer, toolName, input) {
      checkGates(dependencies, viewer, toolName);
      const chatId = await findTestChat(dependencies, viewer);
      const callId = createId();
      const argumentsText = JSON.stringify(input) ?? '';
      const place = { turnId: null, stepIndex: 0, position: 0 };
      await events.transact(async (transaction, collected) => {
        await transaction.toolCall.create({
          data: {
            chatId,
            callId,
            toolName,
            argumentsText: storableText(argumentsText),
            argumentsCharacters: argumentsText.length,
          },
        });
        collected.chat(chatId, {
          type: 'tool-call-start',
          ...place,
          callId,
          toolName,
          argumentsText,
        });
      });
      await executor.execute({
        scope: { chatId, userId: viewer.id },
        calls: [{ callId, toolName, argumentsText }],
        activeTools: new Set([toolName]),
        host: () => dependencies.createHost({ chatId, userId: viewer.id, callId }),
        signal: new AbortController().signal,
        runOnServer: () =>
          Promise.reject(new AppError('BAD_INPUT', `${toolName} only works inside an answer.`)),
        observer: {
          onQueued: () => undefined,
          onStart: () => undefined,
          onProgress: (_callId, { message = null, fraction = null, data = null }) =>
            events.emit(chatId, {
              type: 'tool-call-progress',
              state: 'running',
              callId,
              toolName,
              message,
              fraction,
              data,
            }),
          onStopping: () => undefined,
          onEnd: (outcome) =>
            keep(events, { chatId, outcome }).catch((error: unknown) =>
              log.error({ error, callId }, 'The result of a trial could not be stored.'),
            ),
        },
      });
      const row = await database.client.toolCall.findUniqueOrThrow({
        where: { chatId_callId: { chatId, callId } },
        include: { files: true },
      });
      return toToolCallRecord(row, viewer);
    },
  };
}

const keep = (events: EventWriter, end: { chatId: string; outcome: CallOutcome }): Promise<void> =>
  events.transact((transaction, collected) =>
    storeCallEnd(transaction, collected, { ...end, turnId: null }),
  );

function checkGates(
  { registry, catalogue }: ToolTrialDependencies,
  viewer: Viewer,
  toolName: string,
): void {
  const protocol = catalogue.find(catalogue.defaultModelId())?.protocol ?? 'direct';
  const report = registry.report(toolName, { role: viewer.role, protocol, activeGroups: null });
  if (report === null) throw notFound('Tool', toolName.slice(0, 100));
  const gate = report.gates.find(({ name }) => name === report.stoppedBy);
  if (gate !== undefined) {
    throw new AppError(
      'UNAVAILABLE',
      `${toolName} is stopped at the gate ${gate.name}: ${gate.reason}`,
    );
  }
}

/** The operator's hidden chat for trials; made at the first one. */
async function findTestChat(
  { database, catalogue }: ToolTrialDependencies,
  viewer: Viewer,
): Promise<string> {
  const find = () =>
    database.client.chat.findFirst({
      where: { ownerId: viewer.id, kind: 'TEST' },
      select: { id: true },
    });
  const earlier = await find();
  if (earlier !== null) return earlier.id;
  try {
    const made = await database.client.chat.create({
      data: {
        id: createId(),
        ownerId: viewer.id,
        kind: 'TEST',
        title: 'Tests',
        titleByPerson: true,
        modelId: catalogue.defaultModelId(),
      },
    });
    return made.id;
  } catch (error) {
    const same = isUniqueViolation(error) ? await find() : null;
    if (same === null) throw error;
    return same.id;
  }
}
