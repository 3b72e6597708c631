import type { FinishedStep, StoredCall, TurnState, TurnStore } from '../agent/turn-store.ts';
import type { Database, Transaction } from '../db/client.ts';
import type { GateView } from '../registry/gate.ts';
import type { ModelCatalogue } from '../models/model.ts';
import { storeCallEnd } from './call-end.ts';
import { toFileRecord } from './chat-mapping.ts';
import type { EventCollector, EventWriter } from './event-writer.ts';
import { storableJson, storableText } from './storable.ts';
import { endTurn } from './turn-ending.ts';
import { readHistory, toStoredCall, toStoredSteps } from './turn-history.ts';
import { guardLease } from './turn-lease.ts';

export interface TurnStoreDependencies {
  readonly database: Database;
  readonly events: EventWriter;
  readonly catalogue: ModelCatalogue;
  /** Id of this process. */
  readonly leaseOwner: string;
  /** Told after the end of a turn is stored. */
  onTurnEnd(turnId: string): void;
}

/** Keeps turns in the database; each write is one transaction with the events that tell of it. */
export function createTurnStore(dependencies: TurnStoreDependencies): TurnStore {
  const { database, events, leaseOwner } = dependencies;

  const write = <Outcome>(
    state: TurnState,
    work: (transaction: Transaction, collected: EventCollector) => Promise<Outcome>,
  ): Promise<Outcome> =>
    events.transact(async (transaction, collected) => {
      await guardLease(transaction, state.turnId, leaseOwner);
      return work(transaction, collected);
    });

  return {
    load: (turnId) => loadTurn(database, turnId),
    gateView: (state) => readGateView(dependencies, state),

    async usedCallIds(chatId, callIds) {
      if (callIds.length === 0) return new Set();
      const rows = await database.client.toolCall.findMany({
        where: { chatId, callId: { in: [...callIds] } },
        select: { callId: true },
      });
      return new Set(rows.map(({ callId }) => callId));
    },

    startStep: (state, { index, modelId }) =>
      write(state, async (transaction, collected) => {
        const row = { turnId: state.turnId, index, modelId, protocol: '', family: '' };
        await transaction.step.create({ data: row });
        collected.chat(state.chatId, {
          type: 'step-start',
          turnId: state.turnId,
          stepIndex: index,
          modelId,
        });
      }),

    finishStep: (state, step) =>
      write(state, (transaction, collected) => storeStep(transaction, collected, { state, step })),

    endCall: (state, outcome) =>
      write(state, (transaction, collected) =>
        storeCallEnd(transaction, collected, {
          chatId: state.chatId,
          turnId: state.turnId,
          outcome,
        }),
      ),

    async calls(state, stepIndex) {
      const rows = await database.client.toolCall.findMany({
        where: { turnId: state.turnId, stepIndex },
        orderBy: { position: 'asc' },
      });
      return rows.map(toStoredCall) satisfies StoredCall[];
    },

    wait: (state, elapsedMs) =>
      write(state, async (transaction, collected) => {
        const waiting = await transaction.toolCall.count({
          where: { turnId: state.turnId, status: 'WAITING', turn: { cancelRequestedAt: null } },
        });
        if (waiting === 0) return false;
        await transaction.turn.update({
          where: { id: state.turnId },
          data: {
            status: 'WAITING',
            leaseOwner: null,
            leaseExpiresAt: null,
            elapsedMs: Math.round(elapsedMs),
          },
        });
        collected.chat(state.chatId, { type: 'turn-wait', turnId: state.turnId });
        return true;
      }),

    async end(state, ending) {
      await write(state, (transaction, collected) =>
        endTurn(transaction, collected, { turnId: state.turnId, ending }),
      );
      dependencies.onTurnEnd(state.turnId);
    },
  };
}

async function loadTurn(database: Database, turnId: string): Promise<TurnState> {
  const turn = await database.client.turn.findUniqueOrThrow({
    where: { id: turnId },
    include: {
      chat: { select: { ownerId: true, files: { orderBy: { id: 'asc' } } } },
      steps: { orderBy: { index: 'asc' }, where: { endedAt: { not: null } } },
      toolCalls: { orderBy: [{ stepIndex: 'asc' }, { position: 'asc' }] },
    },
  });
  const { ownerId } = turn.chat;
  const facts = await database.client.fact.findMany({
    where: { userId: ownerId },
    orderBy: { createdAt: 'asc' },
    select: { text: true },
  });
  return {
    turnId,
    chatId: turn.chatId,
    userId: ownerId,
    assistantMessageId: turn.assistantMessageId,
    modelId: turn.modelId,
    timeZone: turn.timeZone,
    createdAt: turn.createdAt,
    elapsedMs: turn.elapsedMs,
    history: await readHistory(database, turn.userMessageId),
    steps: toStoredSteps(turn.steps, turn.toolCalls),
    facts: facts.map(({ text }) => text),
    files: turn.chat.files.map(toFileRecord),
  };
}

async function readGateView(
  { database, catalogue }: TurnStoreDependencies,
  state: TurnState,
): Promise<GateView> {
  const chat = await database.client.chat.findUniqueOrThrow({
    where: { id: state.chatId },
    select: {
      owner: { select: { role: true } },
      toolActivations: { select: { group: true } },
    },
  });
  return {
    role: chat.owner.role,
    protocol: catalogue.adapter(state.modelId).protocol,
    activeGroups: new Set(chat.toolActivations.map(({ group }) => group)),
  };
}

async function storeStep(
  transaction: Transaction,
  events: EventCollector,
  { state, step }: { state: TurnState; step: FinishedStep },
): Promise<void> {
  const { turnId, chatId } = state;
  await transaction.step.update({
    where: { turnId_index: { turnId, index: step.index } },
    data: {
      modelId: step.modelId,
      protocol: step.protocol,
      family: step.family,
      parts: storableJson(step.parts) as object[],
      rawItems: storableJson(step.rawItems) as object[],
      complete: step.complete,
      ...step.usage,
      endedAt: new Date(),
    },
  });
  events.chat(chatId, { type: 'step-end', turnId, stepIndex: step.index, usage: step.usage });

  const calls = step.parts.filter((part) => part.type === 'tool-call');
  await transaction.toolCall.createMany({
    data: calls.map((call, position) => ({
      chatId,
      turnId,
      stepIndex: step.index,
      position,
      callId: call.callId,
      toolName: storableText(call.toolName),
      argumentsText: storableText(call.argumentsText),
      argumentsCharacters: call.argumentsText.length,
    })),
  });
  calls.forEach(({ callId, toolName, argumentsText }, position) => {
    const place = { turnId, stepIndex: step.index, position };
    events.chat(chatId, { type: 'tool-call-start', ...place, callId, toolName, argumentsText });
  });
}
