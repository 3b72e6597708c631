import type { FactRecord } from '../../services/services.ts';
import { builder } from '../builder.ts';
import { requireViewer } from '../context.ts';

const Fact = builder.objectRef<FactRecord>('Fact').implement({
  description: 'Something durable about you that models are told in every chat.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID.' }),
    text: t.exposeString('text', { description: 'The fact in plain words.' }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was remembered.',
      resolve: (fact) => fact.createdAt,
    }),
  }),
});

builder.queryField('facts', (t) =>
  t.field({
    type: [Fact],
    description: 'Your remembered facts, oldest first.',
    resolve: async (_root, _args, context) => [
      ...(await context.services.facts.list(requireViewer(context))),
    ],
  }),
);

builder.mutationFields((t) => ({
  rememberFact: t.field({
    type: Fact,
    nullable: true,
    description: 'Remembers a fact; the same words twice are kept once.',
    args: { text: t.arg.string({ required: true, description: 'At most 2,000 characters.' }) },
    resolve: (_root, { text }, context) =>
      context.services.facts.remember(requireViewer(context), text),
  }),
  forgetFact: t.boolean({
    nullable: true,
    description: 'Forgets a fact for good.',
    args: { factId: t.arg.id({ required: true, description: 'The fact.' }) },
    resolve: async (_root, { factId }, context) => {
      await context.services.facts.forget(requireViewer(context), factId);
      return true;
    },
  }),
}));
