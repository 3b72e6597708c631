import type { ActivationRecord } from '../../services/chat-records.ts';
import { builder } from '../builder.ts';
import { requireViewer } from '../context.ts';

export const ActivationStatus = builder.enumType('ActivationStatus', {
  description: 'How a question for a tool group stands.',
  values: {
    OPEN: { description: 'It waits for an answer.' },
    ENABLED: { description: 'The group was switched on.' },
    DECLINED: { description: 'The person said no.' },
    IGNORED: { description: 'The person ignored it, or its time passed.' },
    CANCELLED: { description: 'The turn was stopped first.' },
  } as const,
});

const ActivationAnswer = builder.enumType('ActivationAnswer', {
  description: 'What a person says to it.',
  values: {
    ENABLE: { description: 'Switch the group on.' },
    NO: { description: 'Do not, and tell the model so.' },
    IGNORE: { description: 'Go on without an answer.' },
  } as const,
});

export const ActivationRequest = builder
  .objectRef<ActivationRecord>('ActivationRequest')
  .implement({
    description: 'A model’s question whether a tool group may be switched on.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'UUID.' }),
      chatId: t.exposeID('chatId', { description: 'The chat.' }),
      turnId: t.exposeID('turnId', { description: 'The turn that waits.' }),
      callIds: t.idList({
        description: 'The calls that wait for the answer.',
        resolve: ({ callIds }) => [...callIds],
      }),
      group: t.exposeString('group', { description: 'The group.' }),
      reason: t.exposeString('reason', { description: 'Why, in the model’s words.' }),
      toolNames: t.stringList({
        description: 'What it would add.',
        resolve: ({ toolNames }) => [...toolNames],
      }),
      status: t.field({
        type: ActivationStatus,
        description: 'How it stands.',
        resolve: ({ status }) => status,
      }),
      createdAt: t.field({
        type: 'DateTime',
        description: 'When it was asked.',
        resolve: (request) => request.createdAt,
      }),
      expiresAt: t.field({
        type: 'DateTime',
        description: 'When it counts as ignored.',
        resolve: (request) => request.expiresAt,
      }),
    }),
  });

builder.mutationField('answerActivationRequest', (t) =>
  t.field({
    type: ActivationRequest,
    nullable: true,
    description:
      'Answers a model’s question; the first answer counts, and the turn goes on at once.',
    args: {
      requestId: t.arg.id({ required: true, description: 'The question.' }),
      answer: t.arg({ type: ActivationAnswer, required: true, description: 'The answer.' }),
    },
    resolve: (_root, { requestId, answer }, context) =>
      context.services.activations.answer(requireViewer(context), requestId, answer),
  }),
);
