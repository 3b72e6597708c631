import { isTimeZone } from '../agent/prompt.ts';
import type { Transaction } from '../db/client.ts';
import { AppError } from '../errors.ts';
import { createId } from '../id.ts';
import type { ModelCatalogue } from '../models/model.ts';
import { CHAT_HEAD, toChatRecord, toTurnRecord, WITH_STEPS } from './chat-mapping.ts';
import type { ChatRecord, TurnRecord } from './chat-records.ts';
import type { EventCollector } from './event-writer.ts';
import { chatChange } from './owned-chat.ts';
import { provisionalTitle } from './titles.ts';
import { LEASE_SECONDS } from './turn-lease.ts';
import { settleQuestion, type Question } from './turn-question.ts';

const MAX_TEXT_CHARACTERS = 1_000_000;

/** What a client asks for when it starts a turn. */
export interface TurnRequest {
  readonly requestId: string;
  readonly timeZone: string | null;
  readonly modelId: string | null;
  readonly question: Question;
}

/** Says which turn of the chat is in the way of another. */
export const busy = (turnId: string): AppError =>
  new AppError(
    'CONFLICT',
    `The chat is still answering in turn ${turnId}; stop it or wait for it.`,
    {
      details: { turnId },
    },
  );

/** @throws AppError `BAD_INPUT` for a request that no chat could take. */
export function checkRequest({ requestId, timeZone, question }: TurnRequest): void {
  if (requestId === '' || requestId.length > 100) {
    throw new AppError('BAD_INPUT', 'requestId must have 1 to 100 characters.');
  }
  if (timeZone !== null && !isTimeZone(timeZone)) {
    throw new AppError(
      'BAD_INPUT',
      `timeZone is ${JSON.stringify(timeZone.slice(0, 60))}, but must be an IANA zone such as Europe/Berlin.`,
    );
  }
  if (question.kind === 'stored') return;
  const hasFiles = question.kind === 'new' && question.fileIds.length > 0;
  if (question.text.trim() === '' && !hasFiles) {
    throw new AppError('BAD_INPUT', 'The message is empty: write something or attach a file.');
  }
  if (question.text.length > MAX_TEXT_CHARACTERS) {
    throw new AppError(
      'BAD_INPUT',
      `The message has ${question.text.length} characters; at most ${MAX_TEXT_CHARACTERS} are possible. Attach it as a file instead.`,
    );
  }
}

/** The turn that an earlier, equal request has started. */
export async function findTurn(
  transaction: Pick<Transaction, 'turn'>,
  key: { readonly chatId: string; readonly requestId: string },
): Promise<TurnRecord | null> {
  const turn = await transaction.turn.findUnique({
    where: { chatId_requestId: key },
    include: WITH_STEPS,
  });
  return turn === null ? null : toTurnRecord(turn);
}

/**
 * Stores the question, the empty answer and the turn, which the given process owns from now on.
 * @throws AppError `CONFLICT` while another turn of the chat is open.
 */
export async function storeTurn(
  transaction: Transaction,
  events: EventCollector,
  start: {
    readonly chat: ChatRecord;
    readonly request: TurnRequest;
    readonly catalogue: ModelCatalogue;
    readonly leaseOwner: string;
  },
): Promise<TurnRecord> {
  const { chat, request, catalogue, leaseOwner } = start;
  const open = await transaction.turn.findFirst({
    where: { chatId: chat.id, status: { not: 'ENDED' } },
  });
  if (open !== null) throw busy(open.id);
  const modelId = request.modelId ?? chat.modelId;
  catalogue.adapter(modelId);

  const userMessageId = await settleQuestion(transaction, events, {
    chat,
    question: request.question,
  });
  const assistantMessageId = createId();
  await transaction.message.create({
    data: {
      id: assistantMessageId,
      chatId: chat.id,
      parentId: userMessageId,
      role: 'ASSISTANT',
      text: '',
    },
  });
  const turn = await transaction.turn.create({
    data: {
      id: createId(),
      chatId: chat.id,
      requestId: request.requestId,
      userMessageId,
      assistantMessageId,
      modelId,
      timeZone: request.timeZone,
      leaseOwner,
    },
    include: WITH_STEPS,
  });
  await transaction.$executeRaw`
    UPDATE "Turn" SET "leaseExpiresAt" = now() + make_interval(secs => ${LEASE_SECONDS})
    WHERE "id" = ${turn.id}`;
  await updateChat(transaction, events, { chat, assistantMessageId, userMessageId });
  events.chat(chat.id, {
    type: 'turn-start',
    turnId: turn.id,
    userMessageId,
    assistantMessageId,
    modelId,
  });
  return toTurnRecord(turn);
}

async function updateChat(
  transaction: Transaction,
  events: EventCollector,
  change: { chat: ChatRecord; assistantMessageId: string; userMessageId: string },
): Promise<void> {
  const { chat, assistantMessageId, userMessageId } = change;
  const isUntitled = chat.title === '';
  const message = isUntitled
    ? await transaction.message.findUniqueOrThrow({ where: { id: userMessageId } })
    : null;
  const title = message === null ? chat.title : provisionalTitle(message.text);
  const updated = await transaction.chat.update({
    where: { id: chat.id },
    data: { activeLeafId: assistantMessageId, title, updatedAt: new Date(), archived: false },
    select: CHAT_HEAD,
  });
  events.chat(chat.id, {
    type: 'chat-update',
    activeLeafId: assistantMessageId,
    ...(isUntitled ? { title } : {}),
    ...(chat.archived ? { archived: false } : {}),
  });
  events.viewer(chat.ownerId, chatChange({ ...toChatRecord(updated), busy: true }));
}
