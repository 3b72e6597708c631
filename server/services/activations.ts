import type { TurnState } from '../agent/turn-store.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Database, Transaction } from '../db/client.ts';
import { notFound } from '../errors.ts';
import type { ActivationAnswer } from '../events/chat-event.ts';
import type { RequestedCall } from '../executor/tool-call.ts';
import { createId } from '../id.ts';
import type { Log } from '../log.ts';
import type { GateView } from '../registry/gate.ts';
import type { ToolRegistry } from '../registry/registry.ts';
import { toModelResult, type ToolResult } from '../tools/kit/tool-result.ts';
import { activationResults } from '../tools/request-tool-activation.ts';
import { toActivationRecord } from './chat-mapping.ts';
import type { ActivationRecord } from './chat-records.ts';
import type { EventCollector, EventWriter } from './event-writer.ts';
import type { ActivationService } from './services.ts';
import { storableText } from './storable.ts';
import { guardLease } from './turn-lease.ts';

export interface ActivationDependencies {
  readonly database: Database;
  readonly events: EventWriter;
  readonly registry: ToolRegistry;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: Pick<Config, 'activationTimeoutMs'>;
  readonly leaseOwner: string;
  /** Told after an answer is stored: the turn may go on. */
  onAnswer(turnId: string): void;
}

export interface Activations extends ActivationService {
  /**
   * Asks the person for a group on behalf of a call. A second call for the same group joins the open
   * question; after No or Ignore the same turn gets that answer again without asking.
   *
   * @returns null when the call now waits.
   */
  request(
    state: TurnState,
    call: RequestedCall,
    question: { readonly group: string; readonly reason: string; readonly view: GateView },
  ): Promise<ToolResult | null>;
  /** Answers the open question for a group that was switched on by hand, inside the caller's transaction. */
  resolveByHand(
    transaction: Transaction,
    collected: EventCollector,
    place: { readonly chatId: string; readonly group: string },
  ): Promise<string | null>;
  /** Counts questions as ignored whose time is over. */
  expire(): Promise<void>;
}

const ANSWERS = { ENABLE: 'ENABLED', NO: 'DECLINED', IGNORE: 'IGNORED' } as const;

type Answer = Exclude<ActivationAnswer, 'CANCELLED'>;

interface OpenRequest {
  readonly id: string;
  readonly chatId: string;
  readonly turnId: string;
  readonly group: string;
  readonly toolNames: readonly string[];
}

export function createActivations(dependencies: ActivationDependencies): Activations {
  const { database, events, clock, onAnswer } = dependencies;

  async function settle(request: OpenRequest, answer: Answer): Promise<boolean> {
    const isSettled = await events.transact((transaction, collected) =>
      storeAnswer(transaction, collected, { request, answer }),
    );
    if (isSettled) onAnswer(request.turnId);
    return isSettled;
  }

  async function read(viewerId: string, requestId: string) {
    const request = await database.client.activationRequest.findFirst({
      where: { id: requestId, chat: { ownerId: viewerId } },
      include: { toolCalls: { select: { callId: true } } },
    });
    if (request === null) throw notFound('Activation request', requestId);
    return request;
  }

  return {
    async answer(viewer, requestId, answer): Promise<ActivationRecord> {
      const request = await read(viewer.id, requestId);
      if (request.status === 'OPEN') await settle(request, ANSWERS[answer]);
      return toActivationRecord(await read(viewer.id, requestId));
    },

    request: (state, call, question) => ask(dependencies, state, { call, ...question }),

    async resolveByHand(transaction, collected, { chatId, group }) {
      const request = await transaction.activationRequest.findFirst({
        where: { chatId, group, status: 'OPEN' },
      });
      if (request === null) return null;
      await storeAnswer(transaction, collected, { request, answer: 'ENABLED' });
      return request.turnId;
    },

    async expire() {
      const overdue = await database.client.activationRequest.findMany({
        where: { status: 'OPEN', expiresAt: { lt: new Date(clock.now()) } },
      });
      for (const request of overdue) await settle(request, 'IGNORED');
    },
  };
}

const resultOf = (answer: Answer, { group, toolNames }: OpenRequest): ToolResult => {
  if (answer === 'ENABLED') return activationResults.enabled(group, toolNames);
  return answer === 'DECLINED'
    ? activationResults.declined(group)
    : activationResults.ignored(group);
};

/** False when somebody else was faster. */
async function storeAnswer(
  transaction: Transaction,
  events: EventCollector,
  { request, answer }: { request: OpenRequest; answer: Answer },
): Promise<boolean> {
  const { chatId, group, turnId } = request;
  const changed = await transaction.activationRequest.updateMany({
    where: { id: request.id, status: 'OPEN' },
    data: { status: answer, answeredAt: new Date() },
  });
  if (changed.count === 0) return false;
  events.chat(chatId, {
    type: 'activation-response',
    requestId: request.id,
    turnId,
    group,
    answer,
  });
  if (answer === 'ENABLED') await switchOn(transaction, events, { chatId, group });
  await endCalls(transaction, events, { request, result: resultOf(answer, request) });
  return true;
}

/** Switches a group on and tells which ones are on now. */
export async function switchOn(
  transaction: Transaction,
  events: EventCollector,
  { chatId, group }: { readonly chatId: string; readonly group: string },
): Promise<void> {
  await transaction.toolActivation.upsert({
    where: { chatId_group: { chatId, group } },
    create: { chatId, group },
    update: {},
  });
  await tellGroups(transaction, events, chatId);
}

export async function tellGroups(
  transaction: Transaction,
  events: EventCollector,
  chatId: string,
): Promise<void> {
  const active = await transaction.toolActivation.findMany({
    where: { chatId },
    orderBy: { group: 'asc' },
  });
  events.chat(chatId, { type: 'chat-update', activeGroups: active.map(({ group }) => group) });
}

async function endCalls(
  transaction: Transaction,
  events: EventCollector,
  { request, result }: { request: OpenRequest; result: ToolResult },
): Promise<void> {
  const modelResult = toModelResult(result);
  const status = result.status === 'success' ? 'SUCCESS' : 'NOOP';
  const message = result.status === 'success' ? null : result.message;
  const calls = await transaction.toolCall.findMany({
    where: { activationRequestId: request.id, status: 'WAITING' },
    orderBy: [{ stepIndex: 'asc' }, { position: 'asc' }],
  });
  for (const call of calls) {
    const endedAt = new Date();
    const outputCharacters = JSON.stringify(modelResult).length;
    await transaction.toolCall.update({
      where: { id: call.id },
      data: { status, message, result: modelResult as object, outputCharacters, endedAt },
    });
    events.chat(request.chatId, {
      type: 'tool-call-end',
      turnId: request.turnId,
      callId: call.callId,
      toolName: call.toolName,
      status,
      code: null,
      message,
      result: modelResult,
      queuedMs: 0,
      elapsedMs: endedAt.getTime() - call.queuedAt.getTime(),
      outputCharacters,
      files: [],
    });
  }
}

interface Question {
  readonly call: RequestedCall;
  readonly group: string;
  readonly reason: string;
  readonly view: GateView;
}

async function ask(
  dependencies: ActivationDependencies,
  state: TurnState,
  question: Question,
): Promise<ToolResult | null> {
  const { events, registry, leaseOwner } = dependencies;
  const { group, view } = question;
  const inactive = registry.inactiveGroups(view);
  const offered = inactive.find(({ name }) => name === group);
  if (offered === undefined) {
    const active = registry.groups().find(({ name }) => name === group);
    if (active !== undefined && view.activeGroups?.has(group) === true) {
      return activationResults.alreadyActive(group, active.toolNames);
    }
    return activationResults.unknown(
      group,
      inactive.map(({ name }) => name),
    );
  }
  return events.transact(async (transaction, collected) => {
    await guardLease(transaction, state.turnId, leaseOwner);
    const earlier = await transaction.activationRequest.findFirst({
      where: { turnId: state.turnId, group, status: { in: ['DECLINED', 'IGNORED'] } },
    });
    if (earlier !== null) {
      return earlier.status === 'DECLINED'
        ? activationResults.declined(group)
        : activationResults.ignored(group);
    }
    const requestId = await joinOrOpen(dependencies, transaction, {
      ...question,
      state,
      toolNames: offered.toolNames,
      collected,
    });
    await transaction.toolCall.update({
      where: { chatId_callId: { chatId: state.chatId, callId: question.call.callId } },
      data: { status: 'WAITING', activationRequestId: requestId, startedAt: new Date() },
    });
    return null;
  });
}

async function joinOrOpen(
  { clock, config }: ActivationDependencies,
  transaction: Transaction,
  opening: Question & {
    readonly state: TurnState;
    readonly toolNames: readonly string[];
    readonly collected: EventCollector;
  },
): Promise<string> {
  const { state, group, toolNames, call } = opening;
  const { chatId, turnId } = state;
  const open = await transaction.activationRequest.findFirst({
    where: { chatId, group, status: 'OPEN' },
  });
  if (open !== null) return open.id;
  const requestId = createId();
  const reason = storableText(opening.reason);
  const expiresAt = new Date(clock.now() + config.activationTimeoutMs);
  await transaction.activationRequest.create({
    data: { id: requestId, chatId, turnId, group, reason, toolNames: [...toolNames], expiresAt },
  });
  opening.collected.chat(chatId, {
    type: 'activation-request',
    requestId,
    turnId,
    callId: call.callId,
    group,
    reason,
    toolNames,
    expiresAt: expiresAt.toISOString(),
  });
  return requestId;
}
