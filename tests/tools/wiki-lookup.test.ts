import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ToolResult } from '../../server/tools/kit/tool-result.ts';
import { wikiLookup } from '../../server/tools/wiki-lookup.ts';
import { type FakeProviderServer, startFakeProviders } from '../support/fake-provider-server.ts';
import {
  createToolContext,
  createToolSettings,
  type ToolContextOptions,
} from '../support/tool-context.ts';

let server: FakeProviderServer;
beforeAll(async () => {
  server = await startFakeProviders();
});
afterAll(() => server.close());

type Input = Parameters<typeof wikiLookup.execute>[0];
const DEFAULTS = { source: 'wikipedia', language: 'en', limit: 3 } as const;

async function lookUp(
  input: Partial<Input> & { query: string },
  options: ToolContextOptions = {},
): Promise<ToolResult> {
  const { context, close } = await createToolContext({
    environment: server.environment,
    ...options,
  });
  try {
    return await wikiLookup.execute({ ...DEFAULTS, ...input }, context);
  } finally {
    await close();
  }
}

const withoutContact = () => ({ ...server.environment, OPERATOR_CONTACT: '' });

describe('wiki_lookup in Wikipedia', () => {
  test('articles come with extract, address, item and licence', async () => {
    expect(await lookUp({ query: 'harbour seal' })).toMatchObject({
      status: 'success',
      data: {
        source: 'wikipedia',
        language: 'en',
        pages: [
          {
            title: 'Harbour seal',
            kind: 'article',
            description: 'Species of seal',
            extract: 'The harbour seal is a seal found along northern coasts.',
            url: 'https://en.wikipedia.org/wiki/Harbour_seal',
            wikidata_id: 'Q99000001',
          },
        ],
        attribution: expect.stringContaining('CC BY-SA') as string,
      },
    });
  });

  test('a redirect and its target are one page', async () => {
    const result = await lookUp({ query: 'seal' });

    expect(result).toMatchObject({ data: { pages: [{ title: 'Harbour seal' }] } });
  });

  test('a page of meanings is marked, and a summary without optional parts is whole', async () => {
    const result = await lookUp({ query: 'mercury', limit: 2 });

    expect(result).toMatchObject({
      systemHint: expect.stringContaining('disambiguation') as string,
      data: {
        pages: [
          { title: 'Mercury', kind: 'disambiguation' },
          {
            title: 'Mercury (planet)',
            kind: 'article',
            description: '',
            url: 'https://en.wikipedia.org/wiki/Mercury_(planet)',
            wikidata_id: null,
          },
        ],
      },
    });
  });

  test('the snippet of the search, as plain text, stands in for a summary that is not there', async () => {
    const result = await lookUp({ query: 'mercury', limit: 4 });

    expect(result).toMatchObject({
      data: {
        pages: [
          {},
          {},
          { title: 'Mercury/Draft', extract: 'Mercury/Draft & its kin' },
          { title: 'Mercury lost', incomplete: expect.stringContaining('no summary') as string },
        ],
      },
    });
    expect(server.requests.some(({ path }) => path.endsWith('/Mercury%2FDraft'))).toBe(true);
  });

  test('a summary that fails leaves the other pages whole', async () => {
    server.misbehave('/summary/Mercury_', { status: 400, body: 'Broken.' });

    expect(await lookUp({ query: 'mercury', limit: 2 })).toMatchObject({
      status: 'success',
      data: {
        pages: [
          { title: 'Mercury' },
          { title: 'Mercury (planet)', incomplete: expect.stringContaining('Broken') as string },
        ],
      },
    });
  });

  test('a title that the search does not find is tried as it is', async () => {
    const before = server.requests.length;

    const result = await lookUp({ query: 'Common_seal' });

    expect(result).toMatchObject({ data: { pages: [{ title: 'Harbour seal' }] } });
    expect(server.requests.length).toBe(before + 3);
  });

  test('nothing found is no error, and another spelling is proposed', async () => {
    expect(await lookUp({ query: 'harbor', language: 'DE' })).toEqual({
      status: 'noop',
      message: 'Nothing was found in the de Wikipedia for "harbor". Its search proposes "harbour".',
    });
  });

  test('summaries are asked for once and every request waits for its turn', async () => {
    const { context, paced, close } = await createToolContext({ environment: server.environment });
    const input = { ...DEFAULTS, query: 'harbour seal' };

    await wikiLookup.execute(input, context);
    const before = server.requests.length;
    await wikiLookup.execute(input, context);

    expect(server.requests.length).toBe(before + 1);
    expect(paced).toEqual(['wikimedia', 'wikimedia', 'wikimedia']);
    await close();
  });

  test.each(['en.evil.example', 'en/..', '127.0.0.1', 'e', 'en@', '', 'x'.repeat(30)])(
    'the language %j is refused before anything is asked',
    async (language) => {
      const before = server.requests.length;

      expect(await lookUp({ query: 'seal', language })).toMatchObject({
        status: 'error',
        code: 'INVALID_ARGUMENTS',
      });
      expect(server.requests.length).toBe(before);
    },
  );

  test('an edition that does not exist is told as that', async () => {
    expect(await lookUp({ query: 'seal', language: 'xx' })).toMatchObject({
      status: 'error',
      code: 'NOT_FOUND',
      message: expect.stringContaining('language "xx"') as string,
    });
  });

  test.each(['  ', 'x'.repeat(301)])('a query of no useful length is refused', async (query) => {
    expect(await lookUp({ query })).toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });

  test('an error with status 200 is an error', async () => {
    expect(await lookUp({ query: 'broken' })).toEqual({
      status: 'error',
      code: 'FAILED',
      message: 'Wikipedia refused the request: The search is too busy.',
    });
  });

  test('a refusal for want of a contact names the setting', async () => {
    expect(await lookUp({ query: 'seal' }, { environment: withoutContact() })).toMatchObject({
      status: 'error',
      message: expect.stringContaining('OPERATOR_CONTACT') as string,
    });
  });

  test('a cancelled call ends while Wikipedia is silent', async () => {
    server.misbehave('/summary/Harbour_seal', 'silence');
    const controller = new AbortController();
    const before = server.requests.length;
    const result = lookUp({ query: 'harbour seal' }, { signal: controller.signal });
    await expect.poll(() => server.requests.length).toBe(before + 2);

    controller.abort();

    expect(await result).toMatchObject({ status: 'error', code: 'CANCELLED' });
  });

  test('a limit with a time beyond the deadline ends the call at once', async () => {
    server.misbehave('/w/api.php', { status: 429, headers: { 'retry-after': '20' }, body: '' });

    expect(await lookUp({ query: 'seal' }, { deadlineMs: 3_000 })).toMatchObject({
      status: 'error',
      code: 'UNAVAILABLE',
      message: expect.stringContaining('wait 20 seconds') as string,
    });
  });
});

describe('wiki_lookup in Wikidata', () => {
  const SEAL = {
    id: 'Q99000001',
    label: 'harbour seal',
    description: 'species of seal',
    aliases: ['common seal'],
    url: 'https://www.wikidata.org/wiki/Q99000001',
    wikipedia_url: 'https://en.wikipedia.org/wiki/Harbour_seal',
  };

  test('facts are told in words: best rank, years, units, unknown and none', async () => {
    const result = await lookUp({ query: 'q99000001', source: 'auto' });

    expect(result).toMatchObject({ status: 'success', data: { entities: [SEAL] } });
    const { entities } = (result as { data: { entities: { claims: unknown }[] } }).data;
    expect(entities[0]?.claims).toEqual([
      { property: 'P31', label: 'instance of', values: [{ text: 'taxon', id: 'Q16521' }] },
      { property: 'P569', label: 'date of birth', values: [{ text: '1758' }] },
      { property: 'P1082', label: 'population', values: [{ text: '400000' }] },
      { property: 'P112', label: 'founded by', values: [{ text: 'unknown' }] },
      { property: 'P50', label: 'author', values: [{ text: 'none' }] },
      { property: 'P2067', label: 'P2067', values: [{ text: '85.5 kilogram' }] },
    ]);
  });

  test('words are searched for when there is no id', async () => {
    expect(await lookUp({ query: 'common seal', source: 'wikidata' })).toMatchObject({
      data: { source: 'wikidata', entities: [SEAL] },
    });
  });

  test('a merged item is shown as what it became', async () => {
    expect(await lookUp({ query: 'Q99000002', source: 'wikidata' })).toMatchObject({
      data: { entities: [SEAL] },
    });
  });

  test('an item whose maps are printed as empty lists is bare, not an error', async () => {
    expect(await lookUp({ query: 'Q99000003', source: 'auto' })).toMatchObject({
      data: { entities: [{ id: 'Q99000003', label: '', claims: [], wikipedia_url: null }] },
    });
  });

  test.each(['Q77', 'Q999999999999999'])('the missing item %s is nothing found', async (query) => {
    expect(await lookUp({ query, source: 'auto' })).toEqual({
      status: 'noop',
      message: `Wikidata has no item ${query}.`,
    });
  });

  test('auto asks Wikipedia for everything that is no id', async () => {
    expect(await lookUp({ query: 'Q0', source: 'auto' })).toMatchObject({
      status: 'noop',
      message: expect.stringContaining('Wikipedia') as string,
    });
  });
});

describe('availability of wiki_lookup', () => {
  const check = async (environment: Readonly<Record<string, string>>) => {
    const settings = createToolSettings(environment);
    const context = { settings, signal: new AbortController().signal };
    const isAvailable = await wikiLookup.isAvailable?.(context);
    return { isAvailable, reason: await wikiLookup.availabilityReason?.(context) };
  };

  test('it is available when Wikipedia answers, and asked once', async () => {
    const before = server.requests.length;

    expect((await check(server.environment)).isAvailable).toBe(true);
    expect(server.requests.length).toBe(before + 1);
  });

  test('it is available while Wikipedia asks to come back later', async () => {
    server.misbehave('/w/api.php', { status: 429, headers: { 'retry-after': '20' }, body: '' });

    expect((await check(server.environment)).isAvailable).toBe(true);
  });

  test('it is not available when Wikipedia cannot be reached', async () => {
    const environment = { WIKIPEDIA_BASE_URL: 'http://127.0.0.1:9/{language}' };

    expect(await check(environment)).toEqual({
      isAvailable: false,
      reason: expect.stringContaining('Wikipedia cannot be reached') as string,
    });
  });

  test('it is not available when Wikipedia refuses', async () => {
    expect(await check(withoutContact())).toEqual({
      isAvailable: false,
      reason: expect.stringContaining('set a user-agent') as string,
    });
  });
});
