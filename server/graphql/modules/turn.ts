import type { EndReason } from '../../events/chat-event.ts';
import { sumUsage } from '../../services/chat-mapping.ts';
import type { StepRecord, TurnRecord } from '../../services/chat-records.ts';
import { builder } from '../builder.ts';
import { requireViewer } from '../context.ts';
import { UsageType } from './usage.ts';

const TurnStatus = builder.enumType('TurnStatus', {
  description: 'How a turn stands.',
  values: {
    RUNNING: { description: 'The server works on it.' },
    WAITING: { description: 'A person is asked.' },
    ENDED: { description: 'It is over; `endReason` says how.' },
  } as const,
});

export const TurnEndReason = builder.enumType('TurnEndReason', {
  description: 'Why a turn ended.',
  values: {
    COMPLETED: { description: 'The model had nothing more to do.' },
    STEP_LIMIT: { description: 'It took TURN_STEP_LIMIT steps.' },
    DEADLINE: { description: 'It took TURN_TIMEOUT_MS.' },
    REPEATED_CALL: { description: 'The model made the same call over and over.' },
    CANCELLED: { description: 'Somebody stopped it.' },
    OUTPUT_LIMIT: { description: 'The model reached the length of one answer.' },
    CONTENT_FILTER: { description: 'The provider refused to go on.' },
    PROVIDER_ERROR: { description: 'The provider failed.' },
    INTERRUPTED: { description: 'The server stopped during it.' },
    FAILED: { description: 'The server made a mistake; the message has an id for the operator.' },
  } as const,
});

const Step = builder.objectRef<StepRecord>('Step').implement({
  description: 'One model call of a turn.',
  fields: (t) => ({
    index: t.exposeInt('index', { description: 'From 0.' }),
    modelId: t.exposeString('modelId', { description: 'The model that was called.' }),
    usage: t.field({
      type: UsageType,
      description: 'Tokens of the call.',
      resolve: ({ usage }) => usage,
    }),
    startedAt: t.field({
      type: 'DateTime',
      description: 'When it began.',
      resolve: (step) => step.startedAt,
    }),
    endedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the model was done.',
      resolve: (step) => step.endedAt,
    }),
  }),
});

export const Turn = builder.objectRef<TurnRecord>('Turn').implement({
  description: 'From a user message to the end of its answer.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID.' }),
    chatId: t.exposeID('chatId', { description: 'Its chat.' }),
    userMessageId: t.exposeID('userMessageId', { description: 'The message that it answers.' }),
    assistantMessageId: t.exposeID('assistantMessageId', {
      description: 'The message that it writes.',
    }),
    modelId: t.exposeString('modelId', { description: 'The model that answers.' }),
    status: t.field({
      type: TurnStatus,
      description: 'How it stands.',
      resolve: ({ status }) => status,
    }),
    endReason: t.field({
      type: TurnEndReason,
      nullable: true,
      description: 'Why it ended; null while it has not.',
      resolve: ({ endReason }) => endReason as EndReason | null,
    }),
    endMessage: t.exposeString('endMessage', {
      description: 'The same as a sentence; empty when it completed.',
    }),
    usage: t.field({
      type: UsageType,
      description: 'Tokens of all its steps.',
      resolve: ({ steps }) => sumUsage(steps.map(({ usage }) => usage)),
    }),
    steps: t.field({
      type: [Step],
      description: 'Its model calls so far, in order.',
      resolve: ({ steps }) => [...steps],
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it began.',
      resolve: (turn) => turn.createdAt,
    }),
    endedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it ended.',
      resolve: (turn) => turn.endedAt,
    }),
  }),
});

const describe = {
  chatId: 'The chat.',
  requestId: 'Made by you, unique in the chat: the same id again gets the same turn.',
  timeZone: 'IANA zone of your device, so that the model knows your day.',
};

const SendMessageInput = builder.inputType('SendMessageInput', {
  description: 'A message to send.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: describe.chatId }),
    requestId: t.id({ required: true, description: describe.requestId }),
    text: t.string({ required: true, description: 'May be empty if files come with it.' }),
    fileIds: t.idList({ description: 'Files of the chat that belong to the message.' }),
    timeZone: t.string({ description: describe.timeZone }),
    parentId: t.id({
      description: 'The answer that it follows; default: the end of the shown branch.',
    }),
  }),
});

const RegenerateInput = builder.inputType('RegenerateInput', {
  description: 'An answer to make anew.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: describe.chatId }),
    requestId: t.id({ required: true, description: describe.requestId }),
    messageId: t.id({ required: true, description: 'The answer, or the message to answer.' }),
    modelId: t.id({ description: 'Another model, for this answer alone.' }),
    timeZone: t.string({ description: describe.timeZone }),
  }),
});

const EditMessageInput = builder.inputType('EditMessageInput', {
  description: 'A message to send in other words.',
  fields: (t) => ({
    chatId: t.id({ required: true, description: describe.chatId }),
    requestId: t.id({ required: true, description: describe.requestId }),
    messageId: t.id({
      required: true,
      description: 'The message that is replaced on a new branch.',
    }),
    text: t.string({ required: true, description: 'The new words.' }),
    timeZone: t.string({ description: describe.timeZone }),
  }),
});

builder.mutationFields((t) => ({
  sendMessage: t.field({
    type: Turn,
    nullable: true,
    description:
      'Sends a message and starts its turn; CONFLICT with `turnId` while another one runs.',
    args: { input: t.arg({ type: SendMessageInput, required: true, description: 'The message.' }) },
    resolve: (_root, { input: { chatId, ...input } }, context) =>
      context.services.turns.sendMessage(requireViewer(context), chatId, {
        ...input,
        fileIds: input.fileIds ?? null,
        timeZone: input.timeZone ?? null,
        parentId: input.parentId ?? null,
      }),
  }),
  regenerate: t.field({
    type: Turn,
    nullable: true,
    description: 'Answers a message anew, beside the earlier answers.',
    args: {
      input: t.arg({ type: RegenerateInput, required: true, description: 'What to answer.' }),
    },
    resolve: (_root, { input: { chatId, ...input } }, context) =>
      context.services.turns.regenerate(requireViewer(context), chatId, {
        ...input,
        modelId: input.modelId ?? null,
        timeZone: input.timeZone ?? null,
      }),
  }),
  editMessage: t.field({
    type: Turn,
    nullable: true,
    description: 'Sends a message in other words, beside the earlier one, and answers it.',
    args: {
      input: t.arg({ type: EditMessageInput, required: true, description: 'The new words.' }),
    },
    resolve: (_root, { input: { chatId, ...input } }, context) =>
      context.services.turns.editMessage(requireViewer(context), chatId, {
        ...input,
        timeZone: input.timeZone ?? null,
      }),
  }),
  cancelTurn: t.field({
    type: Turn,
    nullable: true,
    description: 'Stops a turn, wherever it runs; harmless when it has ended.',
    args: { turnId: t.arg.id({ required: true, description: 'The turn.' }) },
    resolve: (_root, { turnId }, context) =>
      context.services.turns.cancel(requireViewer(context), turnId),
  }),
  cancelToolCall: t.boolean({
    nullable: true,
    description: 'Stops one call; the turn goes on. False when the call does not run any more.',
    args: {
      chatId: t.arg.id({ required: true, description: describe.chatId }),
      callId: t.arg.id({ required: true, description: 'The call.' }),
    },
    resolve: (_root, { chatId, callId }, context) =>
      context.services.turns.cancelToolCall(requireViewer(context), chatId, callId),
  }),
}));
