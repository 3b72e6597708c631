import { execute, GraphQLInterfaceType, GraphQLObjectType, getNamedType, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import type {
  ChatEvent,
  EventFile,
  LogReset,
  Sequenced,
  ToolEvent,
  Usage,
  ViewerEvent,
} from '../../server/events/chat-event.ts';
import { createContext } from '../../server/graphql/context.ts';
import { schema } from '../../server/graphql/schema.ts';
import { prepareSubscription } from '../../server/http/prepare-subscription.ts';
import { toToolEventLine } from '../../server/http/tool-event-line.ts';
import type { Services } from '../../server/services/services.ts';
import type { Viewer } from '../../server/services/viewer.ts';

const viewer: Viewer = {
  ...{ id: 'ada', role: 'USER', email: 'ada@example.org', name: 'Ada', credentialId: 'c' },
};
const services = {} as Services;
const turnId = 'turn';
const usage: Usage = {
  ...{ inputTokens: 10, outputTokens: null, cachedTokens: 3, reasoningTokens: null },
};
const file: EventFile = {
  ...{ id: 'f', label: 'a “b”.txt', origin: 'GENERATED', mimeType: 'text/plain', bytes: 3 },
  downloadUrl: '/generated-files/c/f',
};
const text = 'Grüße 😀 \u2028 "q" \\ \n';
const callId = 'call';
const toolName = 'web_search';
const step = { turnId, messageId: 'm', stepIndex: 1, text };

/** One of each type; the compiler finds the one that is missing. */
const CHAT_EVENTS: { readonly [Type in (ChatEvent | LogReset)['type']]: unknown } = {
  'turn-start': { turnId, userMessageId: 'u', assistantMessageId: 'a', modelId: 'direct' },
  'message-start': { messageId: 'm', parentId: null, text, files: [file] },
  'step-start': { turnId, stepIndex: 0, modelId: 'direct' },
  'text-delta': step,
  'reasoning-delta': step,
  'step-end': { turnId, stepIndex: 0, usage },
  'tool-call-start': {
    ...{ turnId: null, stepIndex: 0, position: 2, callId, toolName, argumentsText: '{"a":1}' },
  },
  'tool-call-progress': {
    ...{ callId, toolName, state: 'stopping', message: text, fraction: 0.5, data: { a: [1] } },
  },
  'tool-call-end': {
    ...{ turnId, callId, toolName, status: 'ERROR', code: 'TIMEOUT', message: text },
    ...{ result: { status: 'error', deep: [{ n: null }] }, queuedMs: 1, elapsedMs: 2 },
    ...{ outputCharacters: 3, files: [file] },
  },
  'activation-request': {
    ...{ requestId: 'r', turnId, callId, group: 'Grocery', reason: text, toolNames: ['a', 'b'] },
    expiresAt: '2026-01-02T00:00:00.000Z',
  },
  'activation-response': { requestId: 'r', turnId, group: 'Grocery', answer: 'DECLINED' },
  'turn-wait': { turnId },
  'turn-resume': { turnId },
  'message-end': {
    ...{ turnId, messageId: 'm', text },
    parts: [
      { type: 'text', stepIndex: 0, text },
      { type: 'reasoning', stepIndex: 0, text },
      { type: 'tool-call', stepIndex: 0, callId },
    ],
  },
  'turn-end': { turnId, messageId: 'm', reason: 'DEADLINE', message: text, usage },
  'chat-update': { title: text, activeGroups: [], files: [file], pinned: false },
  'chat-delete': {},
  'log-reset': {},
};

const VIEWER_EVENTS: { readonly [Type in ViewerEvent['type']]: unknown } = {
  'chat-change': {
    ...{ chatId: 'c', title: text, modelId: 'direct', pinned: true, archived: false, busy: true },
    updatedAt: '2026-01-02T00:00:00.000Z',
  },
  'chat-delete': { chatId: 'c' },
  'facts-change': {},
  'sign-out': { credentialId: 'c' },
};

/** A selection of everything that a type has. */
function selectAll(type: unknown, depth = 0): string {
  const named = getNamedType(type as never) as unknown;
  if (named instanceof GraphQLInterfaceType) {
    const parts = schema
      .getPossibleTypes(named)
      .map((member) => `... on ${member.name} ${selectAll(member, depth)}`);
    return `{ __typename ${parts.join(' ')} }`;
  }
  if (!(named instanceof GraphQLObjectType)) return '';
  const fields = Object.values(named.getFields())
    .filter(({ args }) => args.length === 0 && depth < 4)
    .map((field) => `${field.name} ${selectAll(field.type, depth + 1)}`);
  return `{ __typename ${fields.join(' ')} }`;
}

function documentOf(name: string, argumentsText = ''): string {
  const { type } = schema.getSubscriptionType()!.getFields()[name]!;
  return `subscription { ${name}${argumentsText} ${selectAll(type)} }`;
}

/** The words of graphql-js, which executes the operation as if it were a query. */
async function executeSlowly(query: string, rootValue: unknown): Promise<unknown> {
  const [{ operation, ...rest } = { operation: '' }] = parse(query).definitions as never as [
    { operation: string },
  ];
  const document = {
    kind: 'Document',
    definitions: [{ ...rest, operation: operation === 'subscription' ? 'query' : operation }],
  };
  const asQuery = Object.create(schema, {
    getQueryType: { value: () => schema.getSubscriptionType() },
    getRootType: { value: () => schema.getSubscriptionType() },
  }) as typeof schema;
  const contextValue = createContext(viewer, services);
  const result = await execute({
    ...{ schema: asQuery, document: document as never, rootValue, contextValue },
  });
  return JSON.parse(JSON.stringify(result));
}

const sequenced = (type: string, fields: unknown): Sequenced<never> => ({
  ...{ sequence: 5, previousSequence: 3, createdAt: '2026-01-01T00:00:00.000Z' },
  event: { type, ...(fields as object) } as never,
});

async function compare(query: string, line: unknown): Promise<Readonly<Record<string, unknown>>> {
  const { createEncoder } = prepareSubscription({ query }, viewer, services);
  const quick = JSON.parse(createEncoder()(line)) as { data: Record<string, unknown> };
  expect(quick).toEqual(await executeSlowly(query, line));
  return quick.data;
}

describe('what the hub sends is what graphql-js would answer', () => {
  test.each(Object.entries(CHAT_EVENTS))('of a chat: %s', async (type, fields) => {
    const query = documentOf('chatEvents', '(chatId: "c")');
    const { chatEvents } = await compare(query, sequenced(type, fields));

    expect(chatEvents).toMatchObject({ sequence: 5, previousSequence: 3 });
  });

  test.each(Object.entries(VIEWER_EVENTS))('of a person: %s', async (type, fields) => {
    const { viewerEvents } = await compare(documentOf('viewerEvents'), sequenced(type, fields));

    expect(viewerEvents).toMatchObject({ sequence: 5 });
  });

  test.each(Object.entries(CHAT_EVENTS).filter(([type]) => /^(tool-call|activation)/.test(type)))(
    'of a tool, own and foreign: %s',
    async (type, fields) => {
      for (const ownerId of ['ada', 'bob']) {
        const event = { type, ...(fields as object) } as ToolEvent;
        const line = toToolEventLine(
          {
            ...{ cursor: 'c', chatId: 'c', ownerId, ownerName: 'Bob', sequence: 5, event },
            createdAt: '2026-01-01T00:00:00.000Z',
          },
          viewer,
        );
        const data = JSON.stringify(await compare(documentOf('toolEvents'), line));
        if (ownerId === 'bob') expect(data).not.toMatch(/Grüße|"deep"|a “b”|\\"a\\"/);
      }
    },
  );
});

test('directives and aliases hold for each subscriber’s own variables', () => {
  const query = `subscription ($withTitle: Boolean!) {
    line: chatEvents(chatId: "c") { at: sequence ... on ChatUpdate { title @include(if: $withTitle) } }
  }`;
  const [brief, whole] = [false, true].map((withTitle) => {
    const prepared = prepareSubscription({ query, variables: { withTitle } }, viewer, services);
    return prepared.createEncoder()(sequenced('chat-update', { title: 'New' }));
  });

  expect(JSON.parse(brief ?? '')).toEqual({ data: { line: { at: 5 } } });
  expect(JSON.parse(whole ?? '')).toEqual({ data: { line: { at: 5, title: 'New' } } });
});
