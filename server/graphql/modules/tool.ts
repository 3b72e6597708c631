import type { Gate, GateName } from '../../registry/gate.ts';
import type { ToolGroup } from '../../registry/registry.ts';
import type { ToolStatistics, ToolView } from '../../services/services.ts';
import { builder } from '../builder.ts';
import { requireViewer, type GraphQLContext } from '../context.ts';

const GATE_DESCRIPTIONS: Record<GateName, string> = {
  installed: 'Its file loads.',
  denylist: 'TOOLS_DENYLIST does not name it.',
  allowlist: 'TOOLS_ALLOWLIST, or the default list, names it.',
  selectable: 'People may select it in a chat.',
  availability: 'What it depends on is there.',
  schema: 'The model protocol takes its name and parameters.',
  role: 'You may use it.',
  chat: 'It is a core tool, or its group is on in the chat.',
};

const GateNameType = builder.enumType('GateName', {
  description: 'The gates, in the order in which they are judged.',
  values: Object.fromEntries(
    Object.entries(GATE_DESCRIPTIONS).map(([name, description]) => [
      name.toUpperCase(),
      { value: name as GateName, description },
    ]),
  ),
});

const GateOutcome = builder.enumType('GateOutcome', {
  description: 'What a gate says.',
  values: {
    PASS: { description: 'It lets the tool through.' },
    FAIL: { description: 'It stops the tool; the gates behind it are not reached.' },
    DEFERRED: { description: 'It could not be judged, and lets the tool through.' },
    NOT_REACHED: {
      description: 'A gate before it stops the tool, or there is no chat to judge for.',
    },
  } as const,
});

const GateType = builder.objectRef<Gate>('Gate').implement({
  description: 'One ordered check between an installed tool and a call of it.',
  fields: (t) => ({
    name: t.field({
      type: GateNameType,
      description: 'Which check.',
      resolve: (gate) => gate.name,
    }),
    outcome: t.field({
      type: GateOutcome,
      description: 'What it says.',
      resolve: (gate) => gate.outcome,
    }),
    reason: t.exposeString('reason', {
      description: 'Why, in plain words; empty when not reached.',
    }),
    fix: t.exposeString('fix', { nullable: true, description: 'What would change it.' }),
    checkedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was judged.',
      resolve: (gate) => gate.checkedAt,
    }),
  }),
});

const Statistics = builder.objectRef<ToolStatistics>('ToolStatistics').implement({
  description: 'How a tool did in the last 24 hours, over all chats.',
  fields: (t) => ({
    calls: t.exposeInt('calls', { description: 'Calls that were made.' }),
    failed: t.exposeInt('failed', { description: 'Calls that ended in an error.' }),
    p50Ms: t.exposeInt('p50Ms', {
      nullable: true,
      description: 'Half of the calls took at most so many milliseconds.',
    }),
    p95Ms: t.exposeInt('p95Ms', {
      nullable: true,
      description: '95 of 100 calls took at most so many milliseconds.',
    }),
    lastError: t.exposeString('lastError', {
      nullable: true,
      description: 'Code of the newest error.',
    }),
    lastErrorAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it happened.',
      resolve: (statistics) => statistics.lastErrorAt,
    }),
  }),
});

const ToolSource = builder.enumType('ToolSource', {
  description: 'Where a tool comes from.',
  values: {
    BUILT_IN: { description: 'It came with the server.' },
    CUSTOM: { description: 'The operator added it with TOOLS_PATH.' },
    BROKEN_FILE: { description: 'A file that holds no tool that loads.' },
  } as const,
});

async function reportOf(tool: ToolView, chatId: string | null, context: GraphQLContext) {
  const view = await context.lookups.gateView(requireViewer(context), chatId);
  return context.services.tools.report(tool.entry.name, view);
}

export const Tool = builder.objectRef<ToolView>('Tool').implement({
  description: 'An installed tool, whatever its gates say.',
  fields: (t) => ({
    name: t.id({
      description: 'Name by which models call it.',
      resolve: ({ entry }) => entry.name,
    }),
    description: t.exposeString('description', {
      description: 'What it does, as models are told.',
    }),
    parameters: t.field({
      type: 'JSON',
      description: 'JSON Schema of its input as declared; calls are checked against it.',
      resolve: (tool) => tool.parameters,
    }),
    modelSchema: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'What a model is sent, rewritten for its protocol and compacted; null if it is not sent.',
      args: { modelId: t.arg.id({ description: 'Default: the default model.' }) },
      resolve: (tool, { modelId }, context) =>
        context.services.tools.modelSchema(
          requireViewer(context),
          tool.entry.name,
          modelId ?? null,
        ),
    }),
    group: t.string({
      nullable: true,
      description: 'Group that it is switched on with; null for a core tool.',
      resolve: ({ entry }) => entry.descriptor?.group ?? null,
    }),
    core: t.boolean({
      description: 'It is on in every chat once it is registered.',
      resolve: ({ entry }) => entry.descriptor?.group === null,
    }),
    registered: t.boolean({
      description: 'The gates up to `availability` let it pass.',
      resolve: ({ entry }) => entry.isRegistered,
    }),
    concurrencySafe: t.boolean({
      description: 'Its calls may run beside each other.',
      resolve: ({ entry }) => entry.descriptor?.concurrencySafe ?? false,
    }),
    source: t.field({
      type: ToolSource,
      description: 'Where it comes from.',
      resolve: ({ entry }) => {
        if (entry.descriptor === null) return 'BROKEN_FILE' as const;
        return entry.descriptor.source === 'built-in' ? ('BUILT_IN' as const) : ('CUSTOM' as const);
      },
    }),
    availabilityReason: t.string({
      nullable: true,
      description: 'Why it is not registered; null when it is.',
      resolve: async (tool, _args, context) => {
        if (tool.entry.isRegistered) return null;
        const report = await reportOf(tool, null, context);
        return report?.gates.find(({ outcome }) => outcome === 'FAIL')?.reason ?? null;
      },
    }),
    gates: t.field({
      type: [GateType],
      description: 'All gates of the tool for you, in order.',
      args: {
        chatId: t.arg.id({ description: 'Judge for this chat; without it `CHAT` is not reached.' }),
      },
      resolve: async (tool, { chatId }, context) => [
        ...((await reportOf(tool, chatId ?? null, context))?.gates ?? []),
      ],
    }),
    active: t.boolean({
      description: 'No gate stops it.',
      args: { chatId: t.arg.id({ description: 'In this chat.' }) },
      resolve: async (tool, { chatId }, context) =>
        (await reportOf(tool, chatId ?? null, context))?.isActive ?? false,
    }),
    statistics: t.field({
      type: Statistics,
      nullable: true,
      description: 'For operators: how it did lately; null without a call.',
      resolve: async (tool, _args, context) =>
        (await context.lookups.toolStatistics(requireViewer(context))).get(tool.entry.name) ?? null,
    }),
  }),
});

const ToolGroupType = builder
  .objectRef<{ readonly group: ToolGroup; readonly chatId: string | null }>('ToolGroup')
  .implement({
    description: 'Custom tools that are switched on together.',
    fields: (t) => ({
      name: t.id({ description: 'Its name.', resolve: ({ group }) => group.name }),
      description: t.string({
        description: 'What it is for.',
        resolve: ({ group }) => group.description,
      }),
      tools: t.field({
        type: [Tool],
        description: 'Its registered tools.',
        resolve: ({ group }, _args, context) => {
          const viewer = requireViewer(context);
          return group.toolNames.flatMap((name) => context.services.tools.find(viewer, name) ?? []);
        },
      }),
      active: t.boolean({
        description: 'It is on in the chat that was asked for.',
        resolve: async ({ group, chatId }, _args, context) => {
          const view = await context.lookups.gateView(requireViewer(context), chatId);
          return view.activeGroups?.has(group.name) ?? false;
        },
      }),
    }),
  });

builder.queryFields((t) => ({
  tools: t.field({
    type: [Tool],
    description: 'Every installed tool, by name.',
    resolve: (_root, _args, context) => [...context.services.tools.list(requireViewer(context))],
  }),
  tool: t.field({
    type: Tool,
    nullable: true,
    description: 'One tool; null if none has the name.',
    args: { name: t.arg.string({ required: true, description: 'Its name.' }) },
    resolve: (_root, { name }, context) =>
      context.services.tools.find(requireViewer(context), name),
  }),
  toolGroups: t.field({
    type: [ToolGroupType],
    description: 'Groups with at least one registered tool.',
    args: { chatId: t.arg.id({ description: 'Tell what is on in this chat.' }) },
    resolve: async (_root, { chatId }, context) => {
      const viewer = requireViewer(context);
      await context.lookups.gateView(viewer, chatId ?? null);
      return context.services.tools
        .groups(viewer)
        .map((group) => ({ group, chatId: chatId ?? null }));
    },
  }),
}));

const groupArguments = {
  chat: 'The chat.',
  group: 'Name of the group.',
} as const;

builder.mutationFields((t) => ({
  activateToolGroup: t.stringList({
    nullable: true,
    description: 'Switches a tool group on in a chat; returns the names that are active then.',
    args: {
      chatId: t.arg.id({ required: true, description: groupArguments.chat }),
      group: t.arg.string({ required: true, description: groupArguments.group }),
    },
    resolve: async (_root, { chatId, group }, context) => [
      ...(await context.services.tools.activateGroup(requireViewer(context), chatId, group)),
    ],
  }),
  deactivateToolGroup: t.stringList({
    nullable: true,
    description: 'Switches a tool group off in a chat; returns the names that are active then.',
    args: {
      chatId: t.arg.id({ required: true, description: groupArguments.chat }),
      group: t.arg.string({ required: true, description: groupArguments.group }),
    },
    resolve: async (_root, { chatId, group }, context) => [
      ...(await context.services.tools.deactivateGroup(requireViewer(context), chatId, group)),
    ],
  }),
}));
