import type { CallProgress, ToolCallRecord } from '../../services/chat-records.ts';
import { builder } from '../builder.ts';
import { connectionOf, edgeOf } from '../connection.ts';
import { requireViewer } from '../context.ts';
import { ChatFile } from './file.ts';

export const ToolCallStatus = builder.enumType('ToolCallStatus', {
  description: 'How a tool call stands.',
  values: {
    RUNNING: { description: 'Asked for, and not ended.' },
    WAITING: { description: 'A person is asked.' },
    SUCCESS: { description: 'It gave data.' },
    NOOP: { description: 'There was nothing to do.' },
    ERROR: { description: 'It failed; `code` says how.' },
    CANCELLED: { description: 'It was stopped.' },
    INTERRUPTED: { description: 'The server stopped during it.' },
  } as const,
});

type Status = 'RUNNING' | 'WAITING' | 'SUCCESS' | 'NOOP' | 'ERROR' | 'CANCELLED' | 'INTERRUPTED';

const millisecondsBetween = (from: Date | null, to: Date | null): number | null =>
  from === null || to === null ? null : to.getTime() - from.getTime();

export const ProgressState = builder.enumType('ToolCallProgressState', {
  description: 'Where a call is.',
  values: {
    QUEUED: { value: 'queued', description: 'It waits for a thread.' },
    RUNNING: { value: 'running', description: 'It runs.' },
    STOPPING: { value: 'stopping', description: 'It was asked to stop.' },
  } as const,
});

const CallProgressType = builder.objectRef<CallProgress>('CallProgress').implement({
  description: 'What a running call told last.',
  fields: (t) => ({
    state: t.expose('state', { type: ProgressState, description: 'Where it stands.' }),
    message: t.exposeString('message', { nullable: true, description: 'In words.' }),
    fraction: t.exposeFloat('fraction', { nullable: true, description: 'How far, 0 to 1.' }),
  }),
});

export const ToolCall = builder.objectRef<ToolCallRecord>('ToolCall').implement({
  description: 'One call of a tool. Its texts are null in another person’s call.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID.' }),
    chatId: t.exposeID('chatId', { description: 'The chat that it ran in.' }),
    callId: t.exposeID('callId', {
      description: 'Id by which the model names it; unique in the chat.',
    }),
    turnId: t.exposeID('turnId', { nullable: true, description: 'Its turn; null for a trial.' }),
    toolName: t.exposeString('toolName', { description: 'The tool that was called.' }),
    stepIndex: t.exposeInt('stepIndex', { description: 'The step of the turn, from 0.' }),
    position: t.exposeInt('position', {
      description: 'Place among the calls of the step, from 0.',
    }),
    argumentsText: t.exposeString('argumentsText', {
      nullable: true,
      description: 'Arguments as the model sent them.',
    }),
    arguments: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Arguments as they were checked and run; null when they were refused.',
      resolve: (call) => call.arguments,
    }),
    result: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What the model was told.',
      resolve: (call) => call.result,
    }),
    status: t.field({
      type: ToolCallStatus,
      description: 'How it stands.',
      resolve: (call) => call.status as Status,
    }),
    code: t.exposeString('code', { nullable: true, description: 'What went wrong, in a word.' }),
    message: t.exposeString('message', {
      nullable: true,
      description: 'What went wrong, in a sentence.',
    }),
    queuedMs: t.int({
      nullable: true,
      description: 'Milliseconds until it began.',
      resolve: (call) => millisecondsBetween(call.queuedAt, call.startedAt),
    }),
    elapsedMs: t.int({
      nullable: true,
      description: 'Milliseconds that it ran; null while it runs.',
      resolve: (call) => millisecondsBetween(call.startedAt ?? call.queuedAt, call.endedAt),
    }),
    progress: t.field({
      type: CallProgressType,
      nullable: true,
      description: 'What it told last, in a chat that is read; null once it has ended.',
      resolve: (call) => call.progress,
    }),
    argumentsCharacters: t.exposeInt('argumentsCharacters', {
      description: 'Length of its arguments.',
    }),
    outputCharacters: t.exposeInt('outputCharacters', {
      nullable: true,
      description: 'Length of its output before any cut.',
    }),
    queuedAt: t.field({
      type: 'DateTime',
      description: 'When it was asked for.',
      resolve: (call) => call.queuedAt,
    }),
    startedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it began.',
      resolve: (call) => call.startedAt,
    }),
    endedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it ended.',
      resolve: (call) => call.endedAt,
    }),
    userId: t.exposeID('userId', { description: 'Whose chat it ran in.' }),
    userName: t.exposeString('userName', { description: 'Name of that person.' }),
    files: t.field({
      type: [ChatFile],
      description: 'Files that it made.',
      resolve: (call) => [...call.files],
    }),
  }),
});

const ToolCallConnection = connectionOf('ToolCall', edgeOf('ToolCall', ToolCall));

const ToolCallFilter = builder.inputType('ToolCallFilter', {
  description: 'Only calls that fit all that is given.',
  fields: (t) => ({
    toolName: t.string({ description: 'Of this tool.' }),
    status: t.field({ type: ToolCallStatus, description: 'In this state.' }),
    userId: t.id({ description: 'In chats of this person.' }),
  }),
});

builder.queryField('toolCalls', (t) =>
  t.field({
    type: ToolCallConnection,
    nullable: true,
    description: 'For operators: calls of the whole instance, newest first.',
    args: {
      first: t.arg.int({ defaultValue: 50, description: 'At most 100.' }),
      after: t.arg.string({ description: 'Cursor to go on after.' }),
      filter: t.arg({ type: ToolCallFilter, description: 'Narrows the list.' }),
    },
    resolve: async (_root, { first, after, filter }, context) => {
      const page = await context.services.operator.toolCalls(requireViewer(context), {
        first: first ?? 50,
        after: after ?? null,
        toolName: filter?.toolName ?? null,
        status: filter?.status ?? null,
        userId: filter?.userId ?? null,
      });
      return { ...page, after: after ?? null };
    },
  }),
);
