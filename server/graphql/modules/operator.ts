import type { AuditRecord, PoolView, SettingView } from '../../services/services.ts';
import { builder } from '../builder.ts';
import { connectionOf, edgeOf } from '../connection.ts';
import { requireViewer } from '../context.ts';
import { Tool } from './tool.ts';
import { ToolCall } from './tool-call.ts';

const Pool = builder.objectRef<PoolView>('Pool').implement({
  description: 'What the server is busy with.',
  fields: (t) => ({
    threads: t.exposeInt('threads', { description: 'Threads that run tools.' }),
    busy: t.exposeInt('busy', { description: 'Threads with a call.' }),
    queued: t.exposeInt('queued', { description: 'Calls that wait for a thread.' }),
    queueLimit: t.exposeInt('queueLimit', {
      description: 'Calls that may wait; more are refused.',
    }),
    completed: t.exposeInt('completed', { description: 'Calls that ended since the start.' }),
    refused: t.exposeInt('refused', { description: 'Calls that were refused since the start.' }),
    killed: t.exposeInt('killed', { description: 'Threads that had to be ended since the start.' }),
    liveSubscriptions: t.exposeInt('liveSubscriptions', {
      description: 'Streams that are followed.',
    }),
    runningTurns: t.exposeInt('runningTurns', { description: 'Turns that run here.' }),
    eventLoopP99Ms: t.exposeFloat('eventLoopP99Ms', {
      description: 'How late the event loop was, in 99 of 100 cases at most.',
    }),
    memoryMb: t.exposeInt('memoryMb', { description: 'Memory of the process.' }),
  }),
});

const SettingSource = builder.enumType('SettingSource', {
  description: 'Where a value came from.',
  values: {
    ENVIRONMENT: { value: 'environment', description: 'The environment of the process.' },
    ENV_FILE: { value: '.env', description: 'The file `.env`.' },
    DEFAULT: { value: 'default', description: 'It is not set.' },
  } as const,
});

const Setting = builder.objectRef<SettingView>('Setting').implement({
  description: 'A setting as the server read it.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name in the environment.' }),
    value: t.exposeString('value', { description: 'Its value; a secret is masked.' }),
    source: t.field({
      type: SettingSource,
      description: 'Where it came from.',
      resolve: ({ source }) => source,
    }),
    about: t.exposeString('about', { description: 'What it does.' }),
    secret: t.boolean({ description: 'It is masked.', resolve: ({ isSecret }) => isSecret }),
  }),
});

const AuditEntry = builder.objectRef<AuditRecord>('AuditEntry').implement({
  description: 'What an operator did.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID.' }),
    actorName: t.exposeString('actorName', { description: 'Who.' }),
    action: t.exposeString('action', { description: 'What, e.g. `invitation.create`.' }),
    subject: t.exposeString('subject', { description: 'To what.' }),
    details: t.field({
      type: 'JSON',
      description: 'More about it.',
      resolve: ({ details }) => details,
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When.',
      resolve: (entry) => entry.createdAt,
    }),
  }),
});

const AuditConnection = connectionOf('AuditEntry', edgeOf('AuditEntry', AuditEntry));

builder.queryFields((t) => ({
  pool: t.field({
    type: Pool,
    nullable: true,
    description: 'For operators: what the server is busy with.',
    resolve: (_root, _args, context) => context.services.operator.pool(requireViewer(context)),
  }),
  settings: t.field({
    type: [Setting],
    nullable: true,
    description: 'For operators: the settings as the server read them.',
    resolve: (_root, _args, context) => [
      ...context.services.operator.settings(requireViewer(context)),
    ],
  }),
  auditEntries: t.field({
    type: AuditConnection,
    nullable: true,
    description: 'For operators: what operators did, newest first.',
    args: {
      first: t.arg.int({ defaultValue: 50, description: 'At most 100.' }),
      after: t.arg.string({ description: 'Cursor to go on after.' }),
    },
    resolve: async (_root, { first, after }, context) => {
      const request = { first: first ?? 50, after: after ?? null };
      const page = await context.services.operator.auditEntries(requireViewer(context), request);
      return { ...page, after: request.after };
    },
  }),
}));

builder.mutationFields((t) => ({
  recheckTool: t.field({
    type: Tool,
    nullable: true,
    description: 'For operators: loads and probes a tool again.',
    args: { name: t.arg.string({ required: true, description: 'Its name.' }) },
    resolve: async (_root, { name }, context) => {
      const viewer = requireViewer(context);
      await context.services.operator.recheckTool(viewer, name);
      return context.services.tools.find(viewer, name);
    },
  }),
  runTool: t.field({
    type: ToolCall,
    nullable: true,
    description:
      'For operators: runs a tool in a hidden chat of your own; only the gate CHAT is skipped.',
    args: {
      name: t.arg.string({ required: true, description: 'Its name.' }),
      arguments: t.arg({
        type: 'JSON',
        required: true,
        description: 'Its input; checked like a model’s.',
      }),
    },
    resolve: (_root, args, context) =>
      context.services.operator.runTool(requireViewer(context), args.name, args.arguments),
  }),
}));
