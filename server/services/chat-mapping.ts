import type { Prisma } from '../db/client.ts';
import type { EventFile, MessagePart, Usage } from '../events/chat-event.ts';
import type { StepPart } from '../models/model.ts';
import type {
  ActivationRecord,
  CallProgress,
  ChatRecord,
  FileRecord,
  StepRecord,
  ToolCallRecord,
  TurnRecord,
} from './chat-records.ts';

/** How rows become what the services hand out. */

export const downloadUrl = (chatId: string, storedName: string): string =>
  `/generated-files/${chatId}/${encodeURIComponent(storedName)}`;

interface FileRow {
  readonly id: string;
  readonly chatId: string;
  readonly messageId: string | null;
  readonly toolCallId: string | null;
  readonly label: string;
  readonly storedName: string;
  readonly origin: 'UPLOADED' | 'GENERATED';
  readonly mimeType: string;
  readonly bytes: number;
  readonly createdAt: Date;
}

export function toFileRecord(row: FileRow): FileRecord {
  const { storedName, ...rest } = row;
  return {
    ...rest,
    downloadUrl: downloadUrl(row.chatId, storedName),
    codeInterpreterPath:
      row.origin === 'UPLOADED' ? `/mnt/data/${row.label}` : `/mnt/data/generated/${storedName}`,
  };
}

export const toEventFile = (file: FileRecord): EventFile => ({
  id: file.id,
  label: file.label,
  origin: file.origin,
  mimeType: file.mimeType,
  bytes: file.bytes,
  downloadUrl: file.downloadUrl,
});

/** The message to which a message's files belong: a new wording shares those of the first one. */
export const holderOfFiles = (message: {
  readonly id: string;
  readonly originalId: string | null;
}): string => message.originalId ?? message.id;

interface ChatRow extends Omit<ChatRecord, 'busy'> {
  readonly turns: readonly unknown[];
}

/** Columns and the open turn: what a chat's head needs, and no more. */
export const CHAT_HEAD = {
  id: true,
  ownerId: true,
  title: true,
  modelId: true,
  pinned: true,
  archived: true,
  createdAt: true,
  updatedAt: true,
  lastSequence: true,
  activeLeafId: true,
  turns: { where: { status: { in: ['RUNNING', 'WAITING'] } }, select: { id: true }, take: 1 },
} satisfies Prisma.ChatSelect;

export function toChatRecord({ turns, ...row }: ChatRow): ChatRecord {
  return { ...row, busy: turns.length > 0 };
}

interface StepRow extends Usage {
  readonly index: number;
  readonly modelId: string;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

const toStepRecord = (row: StepRow): StepRecord => ({
  index: row.index,
  modelId: row.modelId,
  usage: usageOf(row),
  startedAt: row.startedAt,
  endedAt: row.endedAt,
});

export const usageOf = (row: Usage): Usage => ({
  inputTokens: row.inputTokens,
  outputTokens: row.outputTokens,
  cachedTokens: row.cachedTokens,
  reasoningTokens: row.reasoningTokens,
});

/** Null where no step said anything. */
export function sumUsage(usages: readonly Usage[]): Usage {
  const sum = (key: keyof Usage): number | null => {
    const known = usages.flatMap((usage) => (usage[key] === null ? [] : [usage[key]]));
    return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
  };
  return {
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    cachedTokens: sum('cachedTokens'),
    reasoningTokens: sum('reasoningTokens'),
  };
}

interface TurnRow extends Omit<TurnRecord, 'steps'> {
  readonly steps: readonly StepRow[];
}

export const toTurnRecord = (row: TurnRow): TurnRecord => ({
  id: row.id,
  chatId: row.chatId,
  requestId: row.requestId,
  userMessageId: row.userMessageId,
  assistantMessageId: row.assistantMessageId,
  modelId: row.modelId,
  status: row.status,
  endReason: row.endReason,
  endMessage: row.endMessage,
  createdAt: row.createdAt,
  endedAt: row.endedAt,
  steps: row.steps.map(toStepRecord),
});

/** Steps in order, without the raw items. */
export const WITH_STEPS = {
  steps: { orderBy: { index: 'asc' }, omit: { parts: true, rawItems: true } },
} satisfies Prisma.TurnInclude;

interface ToolCallRow extends Omit<ToolCallRecord, 'progress' | 'userId' | 'userName' | 'files'> {
  readonly files: readonly FileRow[];
}

export const toToolCallRecord = (
  row: ToolCallRow,
  owner: { readonly id: string; readonly name: string },
  progress: CallProgress | null = null,
): ToolCallRecord => ({
  id: row.id,
  chatId: row.chatId,
  turnId: row.turnId,
  callId: row.callId,
  toolName: row.toolName,
  stepIndex: row.stepIndex,
  position: row.position,
  argumentsText: row.argumentsText,
  arguments: row.arguments,
  result: row.result,
  message: row.message,
  status: row.status,
  code: row.code,
  argumentsCharacters: row.argumentsCharacters,
  outputCharacters: row.outputCharacters,
  queuedAt: row.queuedAt,
  startedAt: row.startedAt,
  endedAt: row.endedAt,
  userId: owner.id,
  userName: owner.name,
  files: row.files.map(toFileRecord),
  progress,
});

interface ActivationRow extends Omit<ActivationRecord, 'callIds'> {
  readonly toolCalls: readonly { readonly callId: string }[];
}

export const toActivationRecord = (row: ActivationRow): ActivationRecord => ({
  id: row.id,
  chatId: row.chatId,
  turnId: row.turnId,
  callIds: row.toolCalls.map(({ callId }) => callId),
  group: row.group,
  reason: row.reason,
  toolNames: row.toolNames,
  status: row.status,
  createdAt: row.createdAt,
  expiresAt: row.expiresAt,
});

/** The parts of a message from the parts of one of its steps. */
export const toMessageParts = (stepIndex: number, parts: readonly StepPart[]): MessagePart[] =>
  parts.map((part): MessagePart =>
    part.type === 'tool-call'
      ? { type: 'tool-call', stepIndex, callId: part.callId }
      : { type: part.type, stepIndex, text: part.text },
  );

/** The text of a message: its text parts, those of different steps a blank line apart. */
export function textOfParts(parts: readonly MessagePart[]): string {
  return parts
    .flatMap((part) => (part.type === 'text' ? [part.text.trim()] : []))
    .filter((text) => text !== '')
    .join('\n\n');
}
