import type { Viewer } from '../../services/viewer.ts';
import { builder } from '../builder.ts';
import { requireViewer } from '../context.ts';
import { Role } from './role.ts';

const ViewerType = builder.objectRef<Viewer>('Viewer').implement({
  description: 'You, as this request knows you.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID.' }),
    email: t.exposeString('email', { description: 'Address that you sign in with.' }),
    name: t.exposeString('name', { description: 'Name that others see.' }),
    role: t.field({ type: Role, description: 'What you may do.', resolve: ({ role }) => role }),
    lastSequence: t.int({
      description: 'Follow `viewerEvents` after this number.',
      resolve: (viewer, _args, { services }) => services.chats.viewerSequence(viewer),
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    type: ViewerType,
    description: 'You.',
    resolve: (_root, _args, context) => requireViewer(context),
  }),
);
