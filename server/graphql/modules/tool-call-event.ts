import { eventType, ids } from './event-type.ts';
import { EventFileType } from './file.ts';
import { ProgressState, ToolCallStatus } from './tool-call.ts';

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
      nullable: true,
      description: 'Files that it made.',
      resolve: ({ event }) => [...event.files],
    }),
  }),
});
