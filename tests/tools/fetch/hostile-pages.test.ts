import { monitorEventLoopDelay } from 'node:perf_hooks';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PageReport } from '../../../server/tools/fetch/page-report.ts';
import {
  call,
  describeOutcome,
  startTestExecutor,
  type TestExecutor,
} from '../../executor/support.ts';
import { type FakeRoute, type FakeWeb, startFakeWeb } from '../../support/fake-web.ts';

/** Pages made to hurt whoever reads them, met in real tool threads that can be ended. */

const TOOL = 'fetch_loopback';
let web: FakeWeb;
let threads: TestExecutor;

beforeAll(async () => {
  web = await startFakeWeb();
  threads = await startTestExecutor({
    TOOLS_PATH: new URL('../../fixtures/fetch-tools', import.meta.url).pathname,
    TOOLS_ALLOWLIST: TOOL,
    DIRECT_WEB_FETCH_ENABLED: 'true',
    TOOL_OUTPUT_LIMIT: '20000',
  });
});
afterAll(async () => {
  await threads?.close();
  await web?.close();
});

/** Fetches a page in a thread and watches how long the server's own thread was held meanwhile. */
async function meet(route: FakeRoute) {
  web.serve('/hostile', route);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const [outcome] = await threads.run(
    [call('hostile', TOOL, { urls: [web.url('/hostile', '127.0.0.1')] })],
    { activeTools: new Set([TOOL]) },
  );
  delay.disable();
  const { status, model } = describeOutcome(outcome!);
  const page = (model['data'] as PageReport | undefined)?.results[0];
  // Two cores are shared with other suites; a page read on this thread would hold it for seconds.
  expect(delay.max / 1e6).toBeLessThan(1_000);
  return { status, page, message: String(model['message'] ?? '') };
}

const html = (body: string): FakeRoute => ({ body: `<html><body>${body}` });
const NESTED = '<div><!---->'.repeat(20_000);
const words = (count: number) => 'The tide came in and the boats went out. '.repeat(count);

describe('a hostile page', () => {
  test('of 220 KB with 20,000 nested elements is read within seconds', async () => {
    const body = `${'<div>'.repeat(20_000)}${words(40)}${'</div>'.repeat(20_000)}`;
    expect(body.length).toBeGreaterThan(220_000);
    const startedAt = performance.now();

    const { status, page } = await meet(html(body));

    expect(status).toBe('SUCCESS');
    expect(page?.text).toContain('The tide came in');
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  test.each([
    ['nested emphasis', `${'<b><i>'.repeat(10_000)}${words(20)}`],
    ['nested lists', `${'<ul><li>'.repeat(10_000)}${words(20)}`],
    ['nested tables', `${'<table><tr><td>'.repeat(7_000)}${words(20)}`],
    ['nested quotes', `${'<blockquote>'.repeat(20_000)}${words(20)}`],
    ['nested elements with comments', `${NESTED}${words(20)}`],
    ['ends without a beginning', `${words(20)}${'</div>'.repeat(60_000)}`],
    ['many paragraphs', '<p>Low tide.</p>'.repeat(50_000)],
    ['many boxes that are named as menus', '<div class="sidebar"><p>x</p></div>'.repeat(20_000)],
    [
      'a table with huge spans',
      `<table>${'<tr><td rowspan=9999 colspan=9999>x'.repeat(3_000)}</table>`,
    ],
    ['a numbered list without end', `<ol>${'<li>x'.repeat(40_000)}</ol>`],
    ['one attribute of a megabyte', `<p title="${'x'.repeat(1_000_000)}">${words(20)}</p>`],
  ])('with %s is read', async (_what, body) => {
    const { status, page } = await meet(html(body));

    expect(status).toBe('SUCCESS');
    expect(page?.text).toMatch(/tide|x/i);
  });

  test.each([
    ['quotes that never close', '<a href="'.repeat(50_000)],
    ['tags that never end', '<a'.repeat(200_000)],
    ['comments that never end', '<!--'.repeat(100_000)],
    ['scripts that never end', '<script>'.repeat(50_000)],
  ])('with %s ends with a reason', async (_what, body) => {
    const { status, message } = await meet(html(body));

    expect(status).toBe('ERROR');
    expect(message).toContain('no readable text');
  });

  test.each<[string, FakeRoute, string]>([
    [
      'that unpacks to 100 MB',
      { headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(100_000_000, ' ')) },
      'has more than 5000000 bytes',
    ],
    [
      'without an end',
      (response) => {
        const write = () => {
          while (!response.destroyed && response.write('<p>more</p>'.repeat(1_000)));
        };
        response.on('drain', write).writeHead(200, { 'content-type': 'text/html' });
        write();
      },
      'has more than 5000000 bytes',
    ],
    [
      'that redirects to itself',
      { status: 302, headers: { location: '/hostile' } },
      'redirects in a circle',
    ],
    [
      'that redirects into the private network',
      { status: 302, headers: { location: 'http://169.254.169.254/latest/meta-data/' } },
      '169.254.169.254 does not belong to the public internet',
    ],
  ])('%s ends with a reason', async (_what, route, reason) => {
    const { status, message } = await meet(route);

    expect(status).toBe('ERROR');
    expect(message).toContain(reason);
  });
});
