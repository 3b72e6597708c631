import { ActivationStatus } from './activation.ts';
import { eventType, ids } from './event-type.ts';
import { EventFileType } from './file.ts';
import { MessagePartType } from './message.ts';
import { TurnEndReason } from './turn.ts';
import { UsageType } from './usage.ts';

const turnStart = eventType('turn-start', 'A turn began; its answer is a new message.');
turnStart.ref.implement({
  ...turnStart.options,
  fields: (t) => ({
    turnId: t.id({ nullable: true, description: ids.turnId, resolve: ({ event }) => event.turnId }),
    userMessageId: t.id({
      description: 'The message that is answered.',
      resolve: ({ event }) => event.userMessageId,
    }),
    assistantMessageId: t.id({
      description: 'The answer.',
      resolve: ({ event }) => event.assistantMessageId,
    }),
    modelId: t.string({
      nullable: true,
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
      nullable: true,
      description: 'Files that came with it.',
      resolve: ({ event }) => [...event.files],
    }),
  }),
});

const stepStart = eventType('step-start', 'The model is asked.');
stepStart.ref.implement({
  ...stepStart.options,
  fields: (t) => ({
    turnId: t.id({ nullable: true, description: ids.turnId, resolve: ({ event }) => event.turnId }),
    stepIndex: t.int({ description: ids.stepIndex, resolve: ({ event }) => event.stepIndex }),
    modelId: t.string({
      nullable: true,
      description: 'The model.',
      resolve: ({ event }) => event.modelId,
    }),
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
      turnId: t.id({
        nullable: true,
        description: ids.turnId,
        resolve: ({ event }) => event.turnId,
      }),
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
    turnId: t.id({ nullable: true, description: ids.turnId, resolve: ({ event }) => event.turnId }),
    stepIndex: t.int({ description: ids.stepIndex, resolve: ({ event }) => event.stepIndex }),
    usage: t.field({
      type: UsageType,
      description: 'Tokens of the step.',
      resolve: ({ event }) => event.usage,
    }),
  }),
});

const requested = eventType('activation-request', 'The model asks for a tool group.');
requested.ref.implement({
  ...requested.options,
  fields: (t) => ({
    requestId: t.id({ description: 'The question.', resolve: ({ event }) => event.requestId }),
    turnId: t.id({ nullable: true, description: ids.turnId, resolve: ({ event }) => event.turnId }),
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
    turnId: t.id({ nullable: true, description: ids.turnId, resolve: ({ event }) => event.turnId }),
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
      turnId: t.id({
        nullable: true,
        description: ids.turnId,
        resolve: ({ event }) => event.turnId,
      }),
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
    turnId: t.id({ nullable: true, description: ids.turnId, resolve: ({ event }) => event.turnId }),
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
    turnId: t.id({ nullable: true, description: ids.turnId, resolve: ({ event }) => event.turnId }),
    messageId: t.id({ description: 'The answer.', resolve: ({ event }) => event.messageId }),
    endReason: t.field({
      type: TurnEndReason,
      description: 'Why.',
      resolve: ({ event }) => event.reason,
    }),
    endMessage: t.string({
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
