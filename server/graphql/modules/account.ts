import type { ApiKeyRecord, InvitationRecord, PersonRecord } from '../../services/services.ts';
import { builder } from '../builder.ts';
import { requireViewer } from '../context.ts';
import { Role } from './role.ts';

const Person = builder.objectRef<PersonRecord>('Person').implement({
  description: 'Somebody with an account.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID.' }),
    email: t.exposeString('email', { description: 'Address that the person signs in with.' }),
    name: t.exposeString('name', { description: 'Name.' }),
    role: t.field({
      type: Role,
      description: 'What the person may do.',
      resolve: ({ role }) => role,
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'Since when.',
      resolve: (person) => person.createdAt,
    }),
    chatCount: t.exposeInt('chatCount', { description: 'Chats of the person.' }),
  }),
});

const Invitation = builder.objectRef<InvitationRecord>('Invitation').implement({
  description: 'A link that lets one person make an account.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID.' }),
    role: t.field({
      type: Role,
      description: 'What the new account may do.',
      resolve: ({ role }) => role,
    }),
    note: t.exposeString('note', { description: 'For whom it is.' }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was made.',
      resolve: (invitation) => invitation.createdAt,
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'Until when it works.',
      resolve: (invitation) => invitation.expiresAt,
    }),
    usedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was used.',
      resolve: (invitation) => invitation.usedAt,
    }),
  }),
});

const NewInvitation = builder
  .objectRef<{ readonly invitation: InvitationRecord; readonly url: string }>('NewInvitation')
  .implement({
    description: 'An invitation with its link, which is shown this once.',
    fields: (t) => ({
      invitation: t.field({
        type: Invitation,
        description: 'The invitation.',
        resolve: ({ invitation }) => invitation,
      }),
      url: t.exposeString('url', { description: 'The link to hand over.' }),
    }),
  });

const ApiKey = builder.objectRef<ApiKeyRecord>('ApiKey').implement({
  description: 'A key for scripts, sent as `Authorization: Bearer …`.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID.' }),
    name: t.exposeString('name', { description: 'What it is for.' }),
    role: t.field({
      type: Role,
      description: 'What it may do at most.',
      resolve: ({ role }) => role,
    }),
    prefix: t.exposeString('prefix', { description: 'Its first characters.' }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was made.',
      resolve: (key) => key.createdAt,
    }),
    lastUsedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to the minute.',
      resolve: (key) => key.lastUsedAt,
    }),
  }),
});

const NewApiKey = builder
  .objectRef<{ readonly apiKey: ApiKeyRecord; readonly key: string }>('NewApiKey')
  .implement({
    description: 'A key with its text, which is shown this once.',
    fields: (t) => ({
      apiKey: t.field({
        type: ApiKey,
        description: 'The key’s entry.',
        resolve: ({ apiKey }) => apiKey,
      }),
      key: t.exposeString('key', { description: 'The key itself.' }),
    }),
  });

builder.queryFields((t) => ({
  people: t.field({
    type: [Person],
    nullable: true,
    description: 'For operators: everybody with an account.',
    resolve: async (_root, _args, context) => [
      ...(await context.services.accounts.people(requireViewer(context))),
    ],
  }),
  invitations: t.field({
    type: [Invitation],
    nullable: true,
    description: 'For operators: the newest invitations.',
    resolve: async (_root, _args, context) => [
      ...(await context.services.accounts.invitations(requireViewer(context))),
    ],
  }),
  apiKeys: t.field({
    type: [ApiKey],
    nullable: true,
    description: 'Your own keys.',
    resolve: async (_root, _args, context) => [
      ...(await context.services.accounts.apiKeys(requireViewer(context))),
    ],
  }),
}));

builder.mutationFields((t) => ({
  createInvitation: t.field({
    type: NewInvitation,
    nullable: true,
    description: 'For operators: makes a link for one new account; it works for seven days.',
    args: {
      role: t.arg({ type: Role, defaultValue: 'USER', description: 'What the account may do.' }),
      note: t.arg.string({ defaultValue: '', description: 'For whom it is.' }),
    },
    resolve: (_root, { role, note }, context) =>
      context.services.accounts.createInvitation(requireViewer(context), {
        role: role ?? 'USER',
        note: note ?? '',
      }),
  }),
  revokeInvitation: t.boolean({
    nullable: true,
    description: 'For operators: takes a link back.',
    args: { invitationId: t.arg.id({ required: true, description: 'The invitation.' }) },
    resolve: async (_root, { invitationId }, context) => {
      await context.services.accounts.revokeInvitation(requireViewer(context), invitationId);
      return true;
    },
  }),
  setRole: t.field({
    type: Person,
    nullable: true,
    description: 'For operators: changes what somebody may do, and ends their sessions.',
    args: {
      userId: t.arg.id({ required: true, description: 'The person.' }),
      role: t.arg({ type: Role, required: true, description: 'The new role.' }),
    },
    resolve: (_root, { userId, role }, context) =>
      context.services.accounts.setRole(requireViewer(context), userId, role),
  }),
  createApiKey: t.field({
    type: NewApiKey,
    nullable: true,
    description: 'Makes a key for yourself.',
    args: {
      name: t.arg.string({ required: true, description: 'What it is for.' }),
      role: t.arg({ type: Role, defaultValue: 'USER', description: 'What it may do at most.' }),
    },
    resolve: (_root, { name, role }, context) =>
      context.services.accounts.createApiKey(requireViewer(context), {
        name,
        role: role ?? 'USER',
      }),
  }),
  revokeApiKey: t.boolean({
    nullable: true,
    description: 'Ends a key of yours, and the streams that were opened with it.',
    args: { apiKeyId: t.arg.id({ required: true, description: 'The key.' }) },
    resolve: async (_root, { apiKeyId }, context) => {
      await context.services.accounts.revokeApiKey(requireViewer(context), apiKeyId);
      return true;
    },
  }),
}));
