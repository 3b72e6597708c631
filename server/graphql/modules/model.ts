import type { ModelInfo } from '../../models/model.ts';
import { builder } from '../builder.ts';
import { requireViewer } from '../context.ts';

const Model = builder.objectRef<ModelInfo & { readonly isDefault: boolean }>('Model').implement({
  description: 'A model that a chat can be held with.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description: '`<provider>/<model>`, or `direct` for calling tools by hand.',
    }),
    label: t.exposeString('label', { description: 'Name to show.' }),
    provider: t.exposeString('provider', { description: 'Who runs it.' }),
    protocol: t.exposeString('protocol', {
      description: 'How it is spoken with, e.g. `openai-responses`.',
    }),
    isDefault: t.exposeBoolean('isDefault', { description: 'New chats begin with it.' }),
    unavailableReason: t.exposeString('unavailableReason', {
      nullable: true,
      description: 'Why it does not work now; null while it works.',
    }),
  }),
});

builder.queryField('models', (t) =>
  t.field({
    type: [Model],
    description: 'All models of this server, in the order to offer them.',
    resolve: (_root, _args, context) => {
      requireViewer(context);
      const { list, defaultId } = context.services.models();
      return list.map((model) => ({ ...model, isDefault: model.id === defaultId }));
    },
  }),
);
