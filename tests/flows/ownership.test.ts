import { readFileSync } from 'node:fs';
import {
  buildSchema,
  getNamedType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
  isScalarType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, type TestPerson } from '../support/app.ts';
import { openChat } from '../support/chat.ts';
import { startFakeProviders, type FakeProviderServer } from '../support/fake-provider-server.ts';

const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));

/** Ids of the owner's things by the argument that takes them; one that is missing here fails the test. */
type OwnedIds = Readonly<Record<string, string>>;

/** Arguments of the type ID that name nobody's property. */
const PUBLIC = new Set(['modelId']);
/** Only operators get as far as an id. */
const FOR_OPERATORS = new Set([
  'toolCalls',
  'setRole',
  'revokeInvitation',
  'recheckTool',
  'runTool',
]);
/** `requestId` is chosen by the client everywhere but here. */
const ANSWERS = 'answerActivationRequest';
const STRANGE_ID = '0198f000-0000-7000-8000-00000000dead';

let providers: FakeProviderServer;
let app: TestApp;
let owner: TestPerson;
let other: TestPerson;
let owned: OwnedIds;
let file: string;

beforeAll(async () => {
  providers = await startFakeProviders();
  app = await startTestApp({ environment: providers.environment });
  owner = await app.signUp('USER', 'Owner');
  other = await app.signUp('USER', 'Other');
  const chat = await openChat(owner, { modelId: 'direct' });
  await chat.ask('/create_file filename=secret.txt content="the secret of the owner"');
  await chat.send(
    '/request_tool_activation group="Scientific Research" reason="I am curious about it."',
  );
  await chat.events.until(({ __typename }) => __typename === 'TurnWait');
  const shown = await chat.read();
  const { rememberFact } = await owner.query<{ rememberFact: { id: string } }>(
    'mutation { rememberFact(text: "Owns a secret.") { id } }',
  );
  const { createApiKey } = await owner.query<{ createApiKey: { apiKey: { id: string } } }>(
    'mutation { createApiKey(name: "mine") { apiKey { id } } }',
  );
  const upload = await fetch(`${app.url}/uploads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.key}`, 'x-file-name': 'u.txt' },
    body: 'mine',
  });
  file = shown.files[0]!.downloadUrl;
  owned = {
    chatId: chat.id,
    id: chat.id,
    messageId: shown.messages[0]!.id,
    parentId: shown.messages[0]!.id,
    turnId: shown.runningTurn!.id,
    callId: shown.messages[1]!.toolCalls[0]!.callId,
    requestId: shown.openActivationRequests[0]!.id,
    fileId: shown.files[0]!.id,
    fileIds: shown.files[0]!.id,
    factId: rememberFact.id,
    apiKeyId: createApiKey.apiKey.id,
    uploadId: ((await upload.json()) as { id: string }).id,
    userId: owner.id,
    invitationId: STRANGE_ID,
  };
  chat.close();
});

afterAll(async () => {
  await app?.close();
  await providers?.close();
});

const rootFields = [
  schema.getQueryType()!,
  schema.getMutationType()!,
  schema.getSubscriptionType()!,
].flatMap((type) =>
  Object.values(type.getFields()).map((field) => ({
    operation: type.name.toLowerCase(),
    field,
    ids: idArguments(field.args),
  })),
);
const taking = rootFields.filter(({ ids, field }) => ids.some((name) => isOwned(name, field.name)));

function isOwned(name: string, field: string): boolean {
  if (PUBLIC.has(name)) return false;
  return name !== 'requestId' || field === ANSWERS;
}

/** Names of all arguments that take an id, inside input objects too. */
function idArguments(args: readonly GraphQLArgument[]): string[] {
  return args.flatMap(({ name, type }) => idsWithin(name, type));
}

function idsWithin(name: string, type: GraphQLInputType): string[] {
  const named = getNamedType(type);
  if (isInputObjectType(named)) {
    return Object.values(named.getFields()).flatMap((field) => idsWithin(field.name, field.type));
  }
  return named.name === 'ID' ? [name] : [];
}

/** A value for an argument: the given ids, and something right for all else that is required. */
function valueFor(name: string, type: GraphQLInputType, ids: OwnedIds): unknown {
  const named = getNamedType(type);
  const isId = named.name === 'ID';
  if (!isNonNullType(type) && !(isId && name in ids && name !== 'fileIds' && name !== 'parentId')) {
    return undefined;
  }
  if (isInputObjectType(named)) {
    const entries = Object.values(named.getFields()).map((field) => [
      field.name,
      valueFor(field.name, field.type, ids),
    ]);
    return Object.fromEntries(entries);
  }
  if (isId) return ids[name] ?? 'request-1';
  if (named.name === 'String') return name === 'group' ? 'Scientific Research' : 'text';
  if (named.name === 'JSON') return {};
  if (isScalarType(named)) return 1;
  return 'values' in named || 'getValues' in named
    ? (named as unknown as { getValues(): { name: string }[] }).getValues()[0]!.name
    : undefined;
}

function operationOf(
  operation: string,
  field: GraphQLField<unknown, unknown>,
  ids: OwnedIds,
): { document: string; variables: Record<string, unknown> } {
  const definitions = field.args.map(({ name, type }) => `$${name}: ${String(type)}`);
  const passed = field.args.map(({ name }) => `${name}: $${name}`);
  const selection =
    isObjectType(getNamedType(field.type)) || String(field.type).includes('Event')
      ? '{ __typename }'
      : '';
  const scope = field.name === ANSWERS ? ids : { ...ids, requestId: 'request-1' };
  const variables = Object.fromEntries(
    field.args.map(({ name, type }) => [name, valueFor(name, type, scope)]),
  );
  return {
    document: `${operation} (${definitions.join(', ')}) { ${field.name}(${passed.join(', ')}) ${selection} }`,
    variables,
  };
}

describe('an id of somebody else', () => {
  test('the walk meets every field that takes an id, and knows an id for each', () => {
    const names = new Set(
      taking.flatMap(({ ids, field }) => ids.filter((id) => isOwned(id, field.name))),
    );

    expect([...names].filter((name) => !(name in owned))).toEqual([]);
    expect(taking.length).toBeGreaterThan(20);
  });

  test.each(taking.map(({ field, operation }) => [operation, field.name] as const))(
    '%s %s answers it exactly as one that does not exist',
    async (operation, name) => {
      const { field } = taking.find((one) => one.field.name === name)!;
      const theirs = await answerOf(operation, field, owned);
      const nobodys = await answerOf(
        operation,
        field,
        Object.fromEntries(Object.keys(owned).map((key) => [key, STRANGE_ID])),
      );

      const code = FOR_OPERATORS.has(name) ? 'FORBIDDEN' : 'NOT_FOUND';
      expect([theirs.code, nobodys.code]).toEqual([code, code]);
      const anonymous = (text: string) =>
        Object.values(owned).reduce((masked, id) => masked.replaceAll(id, STRANGE_ID), text);
      expect(anonymous(theirs.message)).toBe(nobodys.message);
    },
  );

  test.each([
    ['tools', 'query ($chatId: ID) { tool(name: "view") { active(chatId: $chatId) } }'],
    ['gates', 'query ($chatId: ID) { tool(name: "view") { gates(chatId: $chatId) { name } } }'],
  ])('the field %s of a tool does not take it either', async (_name, document) => {
    const { errors } = await other.ask(document, { chatId: owned['chatId']! });

    expect(errors?.[0]?.extensions?.['code']).toBe('NOT_FOUND');
  });

  test('a file of it is not there, in whole or in part, and unguessable without signing in', async () => {
    const get = (headers: Record<string, string>) => fetch(`${app.url}${file}`, { headers });
    const key = (person: TestPerson) => ({ authorization: `Bearer ${person.key}` });

    expect((await get(key(owner))).status).toBe(200);
    expect((await get(key(other))).status).toBe(404);
    expect((await get({ ...key(other), range: 'bytes=0-3' })).status).toBe(404);
    expect((await get({})).status).toBe(401);
  });

  test('no list shows it', async () => {
    const { chats, facts, apiKeys } = await other.query<{
      chats: { edges: unknown[] };
      facts: unknown[];
      apiKeys: { name: string }[];
    }>('{ chats(search: "secret") { edges { node { id } } } facts { id } apiKeys { name } }');

    expect([chats.edges, facts, apiKeys.map(({ name }) => name)]).toEqual([[], [], ['tests']]);
  });
});

async function answerOf(
  operation: string,
  field: GraphQLField<unknown, unknown>,
  ids: OwnedIds,
): Promise<{ code: string; message: string }> {
  const { document, variables } = operationOf(operation, field, ids);
  if (operation === 'subscription') {
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${other.key}`,
        accept: 'text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ query: document, variables }),
    });
    const line = (await response.text()).split('\n').find((text) => text.startsWith('data: {'));
    const { errors } = JSON.parse(line!.slice(6)) as {
      errors: { message: string; extensions: { code: string } }[];
    };
    return { code: errors[0]!.extensions.code, message: errors[0]!.message };
  }
  const { errors } = await other.ask(document, variables);
  const [error] = errors ?? [];
  return { code: String(error?.extensions?.['code']), message: error?.message ?? '' };
}
