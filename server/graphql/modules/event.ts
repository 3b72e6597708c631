import type { ChatEvent, LogReset, Sequenced } from '../../events/chat-event.ts';
import { builder } from '../builder.ts';
import { ActivationStatus } from './activation.ts';
import { EventFileType } from './file.ts';
import { MessagePartType } from './message.ts';
import { ToolCallStatus } from './tool-call.ts';
import { TurnEndReason } from './turn.ts';
import { UsageType } from './usage.ts';

type AnyEvent = ChatEvent | LogReset;
type TypeName = AnyEvent['type'];
type Of<Name extends TypeName> = Extract<AnyEvent, { readonly type: Name }>;

/** The GraphQL type of each event. */
const TYPE_NAMES: Record<TypeName, string> = {
  'turn-start': 'TurnStart',
  'message-start': 'MessageStart',
  'step-start': 'StepStart',
  'text-delta': 'TextDelta',
  'reasoning-delta': 'ReasoningDelta',
  'step-end': 'StepEnd',
  'tool-call-start': 'ToolCallStart',
  'tool-call-progress': 'ToolCallProgress',
  'tool-call-end': 'ToolCallEnd',
  'activation-request': 'ActivationRequested',
  'activation-response': 'ActivationResponse',
  'turn-wait': 'TurnWait',
  'turn-resume': 'TurnResume',
  'message-end': 'MessageEnd',
  'turn-end': 'TurnEnd',
  'chat-update': 'ChatUpdate',
  'chat-delete': 'ChatDelete',
  'log-reset': 'LogReset',
};

export const ChatEventType = builder.interfaceRef<Sequenced<AnyEvent>>('ChatEvent').implement({
  description: 'A line of a chat’s log. Whoever folds the lines in order has the chat as it is.',
  resolveType: ({ event }) => TYPE_NAMES[event.type],
  fields: (t) => ({
    sequence: t.exposeInt('sequence', {
      description: 'Number in the chat’s log, without holes while live.',
    }),
    previousSequence: t.exposeInt('previousSequence', {
      description:
        'What the stream had covered before; reconnect only if it is above your own number.',
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was stored.',
      resolve: (line) => line.createdAt,
    }),
  }),
});

/** Declares the type of one event; `read` hands the resolvers the event itself. */
const eventType = <Name extends TypeName>(name: Name, description: string) => ({
  ref: builder.objectRef<Sequenced<Of<Name>>>(TYPE_NAMES[name]),
  options: { description, interfaces: [ChatEventType] as never },
});

const ids = {
  turnId: 'The turn.',
  messageId: 'The message.',
  stepIndex: 'The step, from 0.',
  callId: 'The call.',
  toolName: 'The tool.',
};

const turnStart = eventType('turn-start', 'A turn began; its answer is a new message.');
turnStart.ref.implement({
  ...turnStart.options,
  fields: (t) => ({
    turnId: t.id({ description: ids.turnId, resolve: ({ event }) => event.turnId }),
    userMessageId: t.id({
      description: 'The message that is answered.',
      resolve: ({ event }) => event.userMessageId,
    }),
    assistantMessageId: t.id({
      description: 'The answer.',
      resolve: ({ event }) => event.assistantMessageId,
    }),
    modelId: t.string({
      description: 'The model that answers.',
      resolve: ({ event }) => event.modelId,
    }),
  }),
});

const messageStart = eventType('message-start', 'A person’s message, whole.');
messageStart.ref.implement({
  ...messageStart.options,
  fields: (t) => ({
    messageId: t.id({ description: ids.messageId, resolve: ({ event }) => event.messageId }),
    parentId: t.id({
      nullable: true,
      description: 'What it follows.',
      resolve: ({ event }) => event.parentId,
    }),
    text: t.string({ description: 'Its text.', resolve: ({ event }) => event.text }),
    files: t.field({
      type: [EventFileType],
      description: 'Files that came with it.',
      resolve: ({ event }) => [...event.files],
    }),
  }),
});

const stepStart = eventType('step-start', 'The model is asked.');
stepStart.ref.implement({
  ...stepStart.options,
  fields: (t) => ({
    turnId: t.id({ description: ids.turnId, resolve: ({ event }) => event.turnId }),
    stepIndex: t.int({ description: ids.stepIndex, resolve: ({ event }) => event.stepIndex }),
    modelId: t.string({ description: 'The model.', resolve: ({ event }) => event.modelId }),
  }),
});

for (const [name, description] of [
  ['text-delta', 'More words of an answer; add them to what is there.'],
  ['reasoning-delta', 'More of what the model thinks; add it to what is there.'],
] as const) {
  const delta = eventType(name, description);
  delta.ref.implement({
    ...delta.options,
    fields: (t) => ({
      turnId: t.id({ description: ids.turnId, resolve: ({ event }) => event.turnId }),
      messageId: t.id({ description: 'The answer.', resolve: ({ event }) => event.messageId }),
      stepIndex: t.int({ description: ids.stepIndex, resolve: ({ event }) => event.stepIndex }),
      text: t.string({ description: 'The words.', resolve: ({ event }) => event.text }),
    }),
  });
}

const stepEnd = eventType('step-end', 'The model is done with a step.');
stepEnd.ref.implement({
  ...stepEnd.options,
  fields: (t) => ({
    turnId: t.id({ description: ids.turnId, resolve: ({ event }) => event.turnId }),
    stepIndex: t.int({ description: ids.stepIndex, resolve: ({ event }) => event.stepIndex }),
    usage: t.field({
      type: UsageType,
      description: 'Tokens of the step.',
      resolve: ({ event }) => event.usage,
    }),
  }),
});

const callStart = eventType('tool-call-start', 'A tool call was asked for.');
callStart.ref.implement({
  ...callStart.options,
  fields: (t) => ({
    turnId: t.id({ nullable: true, description: ids.turnId, resolve: ({ event }) => event.turnId }),
    stepIndex: t.int({ description: ids.stepIndex, resolve: ({ event }) => event.stepIndex }),
    position: t.int({
      description: 'Place among the calls of the step.',
      resolve: ({ event }) => event.position,
    }),
    callId: t.id({ description: ids.callId, resolve: ({ event }) => event.callId }),
    toolName: t.string({ description: ids.toolName, resolve: ({ event }) => event.toolName }),
    argumentsText: t.string({
      nullable: true,
      description: 'Arguments as sent; null in another person’s call.',
      resolve: ({ event }) => event.argumentsText,
    }),
  }),
});

const ProgressState = builder.enumType('ToolCallProgressState', {
  description: 'Where a call is.',
  values: {
    QUEUED: { value: 'queued', description: 'It waits for a thread.' },
    RUNNING: { value: 'running', description: 'It runs.' },
    STOPPING: { value: 'stopping', description: 'It was asked to stop.' },
  } as const,
});

const callProgress = eventType(
  'tool-call-progress',
  'What a running call tells; each replaces the one before.',
);
callProgress.ref.implement({
  ...callProgress.options,
  fields: (t) => ({
    callId: t.id({ description: ids.callId, resolve: ({ event }) => event.callId }),
    toolName: t.string({ description: ids.toolName, resolve: ({ event }) => event.toolName }),
    state: t.field({
      type: ProgressState,
      description: 'Where it is.',
      resolve: ({ event }) => event.state,
    }),
    message: t.string({
      nullable: true,
      description: 'A short sentence.',
      resolve: ({ event }) => event.message,
    }),
    fraction: t.float({
      nullable: true,
      description: 'Between 0 and 1.',
      resolve: ({ event }) => event.fraction,
    }),
    data: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What the tool’s card draws.',
      resolve: ({ event }) => event.data,
    }),
  }),
});

const callEnd = eventType('tool-call-end', 'A call has its one result.');
callEnd.ref.implement({
  ...callEnd.options,
  fields: (t) => ({
    turnId: t.id({ nullable: true, description: ids.turnId, resolve: ({ event }) => event.turnId }),
    callId: t.id({ description: ids.callId, resolve: ({ event }) => event.callId }),
    toolName: t.string({ description: ids.toolName, resolve: ({ event }) => event.toolName }),
    status: t.field({
      type: ToolCallStatus,
      description: 'How it ended.',
      resolve: ({ event }) => event.status,
    }),
    code: t.string({
      nullable: true,
      description: 'What went wrong, in a word.',
      resolve: ({ event }) => event.code,
    }),
    message: t.string({
      nullable: true,
      description: 'What went wrong, in a sentence.',
      resolve: ({ event }) => event.message,
    }),
    result: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What the model was told.',
      resolve: ({ event }) => event.result,
    }),
    queuedMs: t.int({
      description: 'Milliseconds in the queue.',
      resolve: ({ event }) => Math.round(event.queuedMs),
    }),
    elapsedMs: t.int({
      description: 'Milliseconds that it ran.',
      resolve: ({ event }) => Math.round(event.elapsedMs),
    }),
    outputCharacters: t.int({
      description: 'Length of its output before any cut.',
      resolve: ({ event }) => event.outputCharacters,
    }),
    files: t.field({
      type: [EventFileType],
      description: 'Files that it made.',
      resolve: ({ event }) => [...event.files],
    }),
  }),
});

const requested = eventType('activation-request', 'The model asks for a tool group.');
requested.ref.implement({
  ...requested.options,
  fields: (t) => ({
    requestId: t.id({ description: 'The question.', resolve: ({ event }) => event.requestId }),
    turnId: t.id({ description: ids.turnId, resolve: ({ event }) => event.turnId }),
    callId: t.id({ description: ids.callId, resolve: ({ event }) => event.callId }),
    group: t.string({ description: 'The group.', resolve: ({ event }) => event.group }),
    reason: t.string({
      description: 'Why, in the model’s words.',
      resolve: ({ event }) => event.reason,
    }),
    toolNames: t.stringList({
      description: 'What it would add.',
      resolve: ({ event }) => [...event.toolNames],
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When it counts as ignored.',
      resolve: ({ event }) => event.expiresAt,
    }),
  }),
});

const responded = eventType('activation-response', 'A question was answered, or taken back.');
responded.ref.implement({
  ...responded.options,
  fields: (t) => ({
    requestId: t.id({ description: 'The question.', resolve: ({ event }) => event.requestId }),
    turnId: t.id({ description: ids.turnId, resolve: ({ event }) => event.turnId }),
    group: t.string({ description: 'The group.', resolve: ({ event }) => event.group }),
    answer: t.field({
      type: ActivationStatus,
      description: 'The answer.',
      resolve: ({ event }) => event.answer,
    }),
  }),
});

for (const [name, description] of [
  ['turn-wait', 'The turn waits for a person, and no process holds it.'],
  ['turn-resume', 'The turn goes on after an answer.'],
] as const) {
  const change = eventType(name, description);
  change.ref.implement({
    ...change.options,
    fields: (t) => ({
      turnId: t.id({ description: ids.turnId, resolve: ({ event }) => event.turnId }),
    }),
  });
}

const messageEnd = eventType(
  'message-end',
  'An answer is finished; its text replaces what the deltas built.',
);
messageEnd.ref.implement({
  ...messageEnd.options,
  fields: (t) => ({
    turnId: t.id({ description: ids.turnId, resolve: ({ event }) => event.turnId }),
    messageId: t.id({ description: ids.messageId, resolve: ({ event }) => event.messageId }),
    text: t.string({ description: 'The whole text.', resolve: ({ event }) => event.text }),
    parts: t.field({
      type: [MessagePartType],
      description: 'All parts in order.',
      resolve: ({ event }) => [...event.parts],
    }),
  }),
});

const turnEnd = eventType('turn-end', 'A turn is over.');
turnEnd.ref.implement({
  ...turnEnd.options,
  fields: (t) => ({
    turnId: t.id({ description: ids.turnId, resolve: ({ event }) => event.turnId }),
    messageId: t.id({ description: 'The answer.', resolve: ({ event }) => event.messageId }),
    reason: t.field({
      type: TurnEndReason,
      description: 'Why.',
      resolve: ({ event }) => event.reason,
    }),
    message: t.string({
      description: 'The same as a sentence; empty when it completed.',
      resolve: ({ event }) => event.message,
    }),
    usage: t.field({
      type: UsageType,
      description: 'Tokens of all its steps.',
      resolve: ({ event }) => event.usage,
    }),
  }),
});

const chatUpdate = eventType(
  'chat-update',
  'Something about the chat changed; null means unchanged.',
);
chatUpdate.ref.implement({
  ...chatUpdate.options,
  fields: (t) => ({
    title: t.string({
      nullable: true,
      description: 'Its name.',
      resolve: ({ event }) => event.title ?? null,
    }),
    modelId: t.string({
      nullable: true,
      description: 'Its model.',
      resolve: ({ event }) => event.modelId ?? null,
    }),
    activeLeafId: t.id({
      nullable: true,
      description: 'End of the shown branch.',
      resolve: ({ event }) => event.activeLeafId ?? null,
    }),
    activeGroups: t.stringList({
      nullable: true,
      description: 'Groups that are on.',
      resolve: ({ event }) => (event.activeGroups === undefined ? null : [...event.activeGroups]),
    }),
    pinned: t.boolean({
      nullable: true,
      description: 'Above the others.',
      resolve: ({ event }) => event.pinned ?? null,
    }),
    archived: t.boolean({
      nullable: true,
      description: 'Put away.',
      resolve: ({ event }) => event.archived ?? null,
    }),
    files: t.field({
      type: [EventFileType],
      nullable: true,
      description: 'All its files.',
      resolve: ({ event }) => (event.files === undefined ? null : [...event.files]),
    }),
  }),
});

const chatDelete = eventType('chat-delete', 'The chat is gone; nothing follows.');
chatDelete.ref.implement({ ...chatDelete.options, fields: () => ({}) });

const logReset = eventType(
  'log-reset',
  'Earlier lines are no longer kept: load the chat, then go on after this number.',
);
logReset.ref.implement({ ...logReset.options, fields: () => ({}) });
