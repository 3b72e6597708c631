import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchWebPage } from '../../../server/tools/fetch-web-page.ts';
import type { JsonSchema } from '../../../server/tools/kit/tool-descriptor.ts';
import { compileSchema } from '../../../server/tools/kit/schema-check.ts';
import { article, type FetchTests, paragraphs, startFetchTests } from './fetch-run.ts';

let tests: FetchTests;
beforeAll(async () => {
  tests = await startFetchTests();
});
afterAll(() => tests.close());

const page = (path: string, body: string, title = 'Harbour news'): string => {
  tests.web.serve(path, { body: article(title, body) });
  return tests.web.url(path);
};

describe('what fetch_web_page takes', () => {
  test.each([
    [{ query: 'boats' }, 'query goes with mode "highlights"'],
    [{ mode: 'highlights', offset: 5 }, 'offset is 5'],
    [{ mode: 'highlights', read_full: true }, 'read_full is true'],
  ] as const)('%j is refused before anything is fetched', async (input, message) => {
    const before = tests.web.requests.length;

    expect(await tests.fetch({ urls: [tests.web.url('/x')], ...input })).toMatchObject({
      status: 'error',
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining(message) as string,
    });
    expect(tests.web.requests.length).toBe(before);
  });

  test('an empty query is none', async () => {
    const url = page('/blank-query', paragraphs(3));

    expect(await tests.readOne(url, { query: '  ' })).toMatchObject({ fetch_status: 'success' });
  });

  test('options of earlier versions have messages of their own', () => {
    expect(Object.keys(fetchWebPage.retiredParameters ?? {})).toEqual(
      expect.arrayContaining(['livecrawl', 'subpages', 'links', 'summary', 'cache_only']),
    );
  });
});

describe('a page that is read directly', () => {
  test('has every field of the contract, and the report fits its schema', async () => {
    const url = page('/plain', paragraphs(4));

    const report = await tests.read({ urls: [url] });

    expect(report.results[0]).toEqual({
      url,
      title: 'Harbour news',
      author: null,
      text: expect.stringMatching(/^# Harbour news\n\nSentence 1 tells/) as string,
      offset: 0,
      total_characters: report.results[0]?.text.length,
      truncated: false,
      fetch_status: 'success',
      error: null,
    });
    const check = compileSchema(fetchWebPage.result as JsonSchema, {
      fillDefaults: false,
      whole: 'the data',
    });
    expect(check(report)).toBeNull();
  });

  test.each(['[::1]', '127.0.0.2', '169.254.169.254', 'localhost', 'user:secret@site.example'])(
    'an address at %s is refused, and nobody else is asked for it',
    async (host) => {
      const result = await tests.readOne(
        `http://${host}:${tests.web.port}/`,
        {},
        { parallel: true },
      );

      expect(result).toMatchObject({ fetch_status: 'error', text: '', truncated: false });
      expect(tests.parallel.bodies.flatMap(({ urls }) => urls).join()).not.toContain(host);
    },
  );

  test('a page that redirects into a private network is not asked of anybody else', async () => {
    tests.web.serve('/inward', { status: 302, headers: { location: 'http://10.0.0.1/' } });
    const before = tests.parallel.bodies.length;

    const result = await tests.readOne(tests.web.url('/inward'), {}, { parallel: true });

    expect(result.error).toBe('The address 10.0.0.1 does not belong to the public internet.');
    expect(tests.parallel.bodies.length).toBe(before);
  });

  test('plain text, JSON and the like come as they are', async () => {
    tests.web.serve('/notes%20of%20may.txt', {
      headers: { 'content-type': 'text/plain' },
      body: 'a < b\r\n*not bold*',
    });
    const json = '{"a": [1, 2]}';
    tests.web.serve('/data.json', { headers: { 'content-type': 'application/json' }, body: json });

    expect(await tests.readOne(tests.web.url('/notes%20of%20may.txt'))).toMatchObject({
      title: 'notes of may.txt',
      text: 'a < b\n*not bold*',
    });
    expect((await tests.readOne(tests.web.url('/data.json'))).text).toBe(json);
  });

  test.each([
    ['/picture', { headers: { 'content-type': 'image/png' }, body: '\x89PNG' }, 'is image/png'],
    [
      '/binary',
      { headers: { 'content-type': 'application/octet-stream' }, body: '\0\0\x01' },
      'not read',
    ],
    ['/nothing', { body: '' }, 'no readable text'],
    ['/shell', { body: article('', '<div id="root"></div>') }, 'no readable text'],
    ['/missing', { status: 404, body: 'gone' }, 'status 404'],
    ['/broken', { status: 500, body: 'oops' }, 'status 500'],
  ])('%s fails with the reason', async (path, route, reason) => {
    tests.web.serve(path, route);

    expect(await tests.fetch({ urls: [tests.web.url(path)] })).toMatchObject({
      status: 'error',
      message: expect.stringContaining(reason) as string,
      data: {
        results: [{ fetch_status: 'error', error: expect.stringContaining(reason) as string }],
      },
    });
  });
});

describe('a text that is longer than a piece', () => {
  test('is continued by the offset that the piece names, without a gap and without a repetition', async () => {
    const url = page('/long', paragraphs(120, 'Häfen 🚢 and quays'));
    const whole = await tests.readOne(url, { max_characters: 90_000 });
    expect(whole.truncated).toBe(false);

    const chat = await tests.createChat();
    let joined = '';
    for (let offset = 0; ;) {
      const piece = await tests.readOne(url, { max_characters: 777, offset }, { chat });
      const [, text = piece.text, next] =
        /^([^]*)\n\n\[Characters \d+ to \d+ of \d+\. For the rest, fetch this page with offset (\d+)\.\]$/.exec(
          piece.text,
        ) ?? [];
      expect(piece).toMatchObject({ offset, total_characters: whole.text.length });
      expect(text.length).toBeLessThanOrEqual(777);
      joined += text;
      if (!piece.truncated) break;
      offset = Number(next);
    }
    await chat.close();

    expect(joined).toBe(whole.text);
  });

  test('is continued as it was when it was begun, although the page has changed', async () => {
    const url = page('/changing', paragraphs(60, 'lighthouse'));
    const chat = await tests.createChat();
    await tests.readOne(url, { max_characters: 500 }, { chat });
    page('/changing', paragraphs(60, 'warehouse'));

    const next = await tests.readOne(url, { max_characters: 500, offset: 500 }, { chat });
    expect(next.text).toContain('lighthouse');

    const anew = await tests.readOne(url, { max_characters: 500 }, { chat });
    expect(anew.text).toContain('warehouse');
    await chat.close();
  });

  test('an offset beyond the end is told', async () => {
    const url = page('/short', paragraphs(3));

    expect(await tests.readOne(url, { offset: 5_000 })).toMatchObject({
      text: expect.stringContaining('beyond the end of the text') as string,
      truncated: false,
    });
  });

  test('read_full passes over max_characters', async () => {
    const url = page('/full', paragraphs(300));

    const { text, truncated } = await tests.readOne(url, { max_characters: 500, read_full: true });

    expect(truncated).toBe(false);
    expect(text).toContain('Sentence 300');
  });

  test.each([4_000, 20_000, 60_000])(
    'all pages together stay within an output limit of %i characters',
    async (outputLimit) => {
      const urls = [
        page('/one', paragraphs(400, '"quoted" \\ harbour')),
        page('/two', paragraphs(400)),
        page('/small', paragraphs(2)),
        tests.web.url('/absent'),
      ];

      const report = await tests.read({ urls, read_full: true }, { outputLimit });

      expect(JSON.stringify({ status: 'success', data: report }).length).toBeLessThan(outputLimit);
      const [one, two, small, absent] = report.results;
      expect(one).toMatchObject({ truncated: true, fetch_status: 'success' });
      expect(two).toMatchObject({ truncated: true, fetch_status: 'success' });
      expect(small).toMatchObject({ truncated: false });
      expect(absent).toMatchObject({ fetch_status: 'error' });
      // What the small page leaves belongs to the large ones.
      const used = (one?.text.length ?? 0) + (two?.text.length ?? 0);
      expect(used).toBeGreaterThan(outputLimit * 0.5 - 1_000);
    },
  );
});

describe('several pages at once', () => {
  test('come in the order in which they were asked for, each once', async () => {
    const urls = [page('/b', paragraphs(3, 'second')), page('/a', paragraphs(3, 'first'))];

    const { results } = await tests.read({ urls: [...urls, `${urls[0]} `] });

    expect(results.map(({ url }) => url)).toEqual(urls);
  });

  test('a page that fails costs only itself', async () => {
    const good = page('/good', paragraphs(3));

    const { results } = await tests.read({ urls: ['no address', tests.web.url('/404'), good] });

    expect(results.map(({ fetch_status }) => fetch_status)).toEqual(['error', 'error', 'success']);
    expect(results[0]?.error).toContain('"no address" is not a complete URL');
  });

  test('a page that hangs is given up in time for the others', async () => {
    tests.web.serve('/hang', () => undefined);
    const urls = [tests.web.url('/hang'), page('/quick', paragraphs(3))];

    const { results } = await tests.read({ urls }, { deadlineMs: 3_300 });

    expect(results).toMatchObject([
      { fetch_status: 'error', error: expect.stringContaining('site.example') as string },
      { fetch_status: 'success' },
    ]);
  });
});

describe('the way by Parallel', () => {
  const known = (path: string, content: string, excerpts?: readonly string[]): string => {
    const url = `https://far.example${path}`;
    tests.parallel.know(url, { title: 'Far away', content, ...(excerpts ? { excerpts } : {}) });
    return url;
  };
  const byParallel = { direct: false, parallel: true } as const;

  test('is taken for all ordinary pages in one request when direct reading is off', async () => {
    const urls = [known('/1', 'One'), known('/2', 'Two'), known('/none', '')];
    tests.parallel.know('https://far.example/gone', { status: 404 });
    const before = tests.parallel.bodies.length;

    const { results } = await tests.read(
      { urls: [...urls, 'https://far.example/gone', 'https://far.example/forgotten'] },
      byParallel,
    );

    expect(results.map(({ text }) => text)).toEqual(['One', 'Two', '', '', '']);
    expect(results.map(({ error }) => error)).toEqual([
      null,
      null,
      'Parallel found no text on the page.',
      'Parallel could not read the page (status 404).',
      'Parallel gave no answer for this page.',
    ]);
    expect(tests.parallel.bodies.length).toBe(before + 1);
    expect(tests.parallel.bodies.at(-1)?.advanced_settings).toEqual({
      full_content: { max_chars_per_result: 90_000 },
    });
  });

  test('live allows no older copy than ten minutes', async () => {
    await tests.readOne(known('/live', 'Live'), { freshness: 'live' }, byParallel);

    expect(tests.parallel.bodies.at(-1)?.advanced_settings?.fetch_policy).toEqual({
      max_age_seconds: 600,
      disable_cache_fallback: true,
    });
  });

  test('highlights go with their query, and without whole pages', async () => {
    const url = known('/focus', 'All of it', ['First passage.', 'Second passage.']);

    const { mode, results } = await tests.read(
      { urls: [url], mode: 'highlights', query: 'tides' },
      { direct: true, parallel: true },
    );

    expect(mode).toBe('highlights');
    expect(results[0]?.text).toBe('First passage.\n\nSecond passage.');
    expect(tests.parallel.bodies.at(-1)).toEqual({
      urls: [url],
      objective: 'tides',
      search_queries: ['tides'],
    });
  });

  test('its first 90,000 characters are all there is, and that is told', async () => {
    const url = known('/huge', 'word '.repeat(30_000));

    const end = await tests.readOne(url, { offset: 89_000 }, byParallel);

    expect(end).toMatchObject({ total_characters: 90_000, truncated: false });
    expect(end.text).toContain('Parallel gives the first 90000 characters');
  });

  test('is taken when the direct way fails or finds next to nothing', async () => {
    const failing = tests.web.url('/teapot');
    tests.web.serve('/teapot', { status: 418 });
    tests.web.serve('/app', { body: article('', `<p>Please enable JavaScript.</p>`) });
    tests.parallel.know(failing, { title: null, content: 'From afar' });
    tests.parallel.know(tests.web.url('/app'), { title: null, content: 'Rendered' });

    const { results } = await tests.read(
      { urls: [failing, tests.web.url('/app')] },
      { parallel: true },
    );

    expect(results).toMatchObject([
      { title: 'site.example', text: 'From afar' },
      { text: 'Rendered' },
    ]);
  });

  test('both reasons are told when both ways fail', async () => {
    tests.parallel.misbehave({ status: 402 });

    expect(await tests.readOne(tests.web.url('/nowhere'), {}, { parallel: true })).toMatchObject({
      error:
        'site.example answered with status 404. Parallel answered with status 402: Try again later.',
    });
  });

  test('a page with little text is better than none', async () => {
    tests.web.serve('/little', { body: article('', `<p>Please enable JavaScript.</p>`) });
    tests.parallel.misbehave({ status: 503 });

    expect(await tests.readOne(tests.web.url('/little'), {}, { parallel: true })).toMatchObject({
      text: 'Please enable JavaScript.',
      fetch_status: 'success',
    });
  });

  test('what is missing is told when there is no way at all', async () => {
    const neither = { direct: false } as const;

    expect(await tests.readOne('https://far.example/1', {}, neither)).toMatchObject({
      error: expect.stringContaining('DIRECT_WEB_FETCH_ENABLED=true or PARALLEL_API_KEY') as string,
    });
    expect(
      await tests.readOne('https://far.example/1', { mode: 'highlights' }, { direct: true }),
    ).toMatchObject({ error: expect.stringContaining('PARALLEL_API_KEY is not set') as string });
  });
});

describe('page handlers of an operator', () => {
  const folder = (name: string) =>
    fileURLToPath(new URL(`../../fixtures/page-handlers/${name}`, import.meta.url));
  const environment = { TOOLS_PATH: folder('working') };
  const url = (path: string) => tests.web.url(path, 'almanac.example');

  test('join from their folder, come before every other way and work without settings', async () => {
    tests.web.serve('/today', { body: 'full' });

    expect(await tests.readOne(url('/today'), {}, { environment, direct: false })).toMatchObject({
      title: 'Almanac',
      author: 'A. Stargazer',
      text: 'Moon: full\n\n[The year is left out.]',
      total_characters: 10,
    });
  });

  test('read what an ordinary address turned out to be', async () => {
    tests.web.serve('/file', { headers: { 'content-type': 'application/x-almanac' }, body: 'new' });

    expect(await tests.readOne(tests.web.url('/file'), {}, { environment })).toMatchObject({
      text: 'Read: new',
    });
  });

  test.each([
    ['/fail', {}, 'The handler Almanac failed: The almanac is closed.'],
    ['/empty', {}, 'Almanac found no text at this address.'],
    [
      '/today',
      { mode: 'highlights' },
      'Almanac pages have no highlights; ask for them with mode "text".',
    ],
  ] as const)('%s %j fails with a sentence', async (path, input, error) => {
    expect(await tests.readOne(url(path), input, { environment })).toMatchObject({ error });
  });

  test('one that does not heed its signal is left behind', async () => {
    const options = { environment, deadlineMs: 3_200 };

    expect(await tests.readOne(url('/hang'), {}, options)).toMatchObject({
      error: 'almanac.example took too long.',
    });
  });

  test('a file that cannot be loaded costs its own handlers, and is told', async () => {
    tests.web.serve('/today', { body: 'full' });
    const both = { TOOLS_PATH: `${folder('broken')},${folder('working')},/no/such/folder` };

    const report = await tests.read({ urls: [url('/today')] }, { environment: both });

    expect(report.results[0]).toMatchObject({ fetch_status: 'success' });
    expect(report.warnings).toMatchObject([
      'The page handler absent.handler.mjs cannot be loaded: it exports none; definePageHandler makes one.',
      expect.stringContaining('A folder of TOOLS_PATH cannot be read'),
    ]);
  });
});
