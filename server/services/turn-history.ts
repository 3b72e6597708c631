import type { StoredStep } from '../agent/turn-store.ts';
import { historyOfSteps } from '../agent/history.ts';
import type { Database, Prisma } from '../db/client.ts';
import type { HistoryEntry, ModelProtocol, RawItems, StepPart } from '../models/model.ts';
import { holderOfFiles } from './chat-mapping.ts';

const WITH_CALLS = {
  toolCalls: { orderBy: [{ stepIndex: 'asc' }, { position: 'asc' }] },
  steps: { orderBy: { index: 'asc' } },
} satisfies Prisma.TurnInclude;

interface StepRow {
  readonly index: number;
  readonly parts: unknown;
  readonly rawItems: unknown;
  readonly protocol: string;
  readonly family: string;
  readonly complete: boolean;
}

interface CallRow {
  readonly stepIndex: number;
  readonly callId: string;
  readonly toolName: string;
  readonly argumentsText: string;
  readonly result: unknown;
  readonly status: string;
}

/** The ids from the root of the chat down to a message. */
async function readPath(database: Database, messageId: string): Promise<readonly string[]> {
  const rows = await database.client.$queryRaw<{ id: string }[]>`
    WITH RECURSIVE path AS (
      SELECT "id", "parentId", 0 AS depth FROM "Message" WHERE "id" = ${messageId}
      UNION ALL
      SELECT parent."id", parent."parentId", path.depth + 1
      FROM "Message" parent JOIN path ON parent."id" = path."parentId"
    )
    SELECT "id" FROM path ORDER BY depth DESC`;
  return rows.map(({ id }) => id);
}

/** The branch that ends in a user message, as a model request carries it. */
export async function readHistory(database: Database, messageId: string): Promise<HistoryEntry[]> {
  const path = await readPath(database, messageId);
  const messages = await database.client.message.findMany({
    where: { id: { in: [...path] } },
    select: {
      id: true,
      role: true,
      text: true,
      originalId: true,
      turnAsAnswer: { include: WITH_CALLS },
    },
  });
  const byId = new Map(messages.map((message) => [message.id, message]));
  const labelsOf = await readLabels(database, messages.map(holderOfFiles));
  return path.flatMap((id): HistoryEntry[] => {
    const message = byId.get(id);
    if (message === undefined) return [];
    if (message.role === 'USER') {
      const labels = labelsOf.get(holderOfFiles(message)) ?? [];
      return [{ type: 'user', text: withAttachments(message.text, labels) }];
    }
    const turn = message.turnAsAnswer;
    return turn === null ? [] : historyOfSteps(toStoredSteps(turn.steps, turn.toolCalls));
  });
}

async function readLabels(
  database: Database,
  messageIds: readonly string[],
): Promise<ReadonlyMap<string | null, readonly string[]>> {
  const files = await database.client.chatFile.findMany({
    where: { messageId: { in: [...messageIds] } },
    orderBy: { id: 'asc' },
    select: { messageId: true, label: true },
  });
  const byMessage = Map.groupBy(files, ({ messageId }) => messageId);
  return new Map([...byMessage].map(([id, rows]) => [id, rows.map(({ label }) => label)]));
}

function withAttachments(text: string, labels: readonly string[]): string {
  if (labels.length === 0) return text;
  return `${text}\n\n[Attached files: ${labels.join(', ')}]`.trimStart();
}

export function toStoredSteps(
  steps: readonly StepRow[],
  calls: readonly CallRow[],
): readonly StoredStep[] {
  const callsOf = Map.groupBy(calls, ({ stepIndex }) => stepIndex);
  return steps.map((step) => ({
    index: step.index,
    parts: step.parts as StepPart[],
    raw: rawItemsOf(step),
    calls: (callsOf.get(step.index) ?? []).map(toStoredCall),
  }));
}

export const toStoredCall = (call: CallRow) => ({
  callId: call.callId,
  toolName: call.toolName,
  argumentsText: call.argumentsText,
  modelResult: call.result as Record<string, unknown> | null,
  isError: !['SUCCESS', 'NOOP'].includes(call.status),
  isWaiting: call.status === 'WAITING',
});

function rawItemsOf(step: StepRow): RawItems | null {
  const items = step.rawItems as unknown[];
  if (!step.complete || items.length === 0) return null;
  return { protocol: step.protocol as ModelProtocol, family: step.family, items };
}
