import { describe, expect, test } from 'vitest';
import { extractPage } from '../../../server/tools/fetch/html/extract-page.ts';
import { article, paragraphs } from './fetch-run.ts';

const URL_OF_PAGE = 'https://docs.example/guide/start';
const markdownOf = (body: string): string =>
  extractPage(article('Guide', body), URL_OF_PAGE).text.replace(/^# Guide\n\n/, '');

describe('a page as Markdown', () => {
  test('headings keep their levels, and lose the signs that lead to themselves', () => {
    const body = `<h2 id="a">First<a class="x" href="#a">#</a></h2><p>One.</p><h3>Second <a href="#b">¶</a></h3><p>Two.</p>`;

    expect(markdownOf(body)).toBe('## First\n\nOne.\n\n### Second\n\nTwo.');
  });

  test('lists keep their order, numbers and depth', () => {
    const body = `<ol start="3"><li>three<li>four<ul><li>inner</li></ul></ol><ul><li><p>Loose</p><p>item</p></li><li><input type="checkbox" checked> done</li></ul>`;

    expect(markdownOf(body)).toBe('3. three\n4. four\n  - inner\n\n- Loose\n\n  item\n- [x] done');
  });

  test('links are complete, and those that lead nowhere are text', () => {
    const body = `<p><a href="../other?a=1&amp;b=2">up</a> <a href="//cdn.example/x">cdn</a> <a href="#here">here</a> <a href="javascript:x()">run</a> <a>bare</a></p>`;

    expect(markdownOf(body)).toBe(
      '[up](https://docs.example/other?a=1&b=2) [cdn](https://cdn.example/x) here run bare',
    );
  });

  test('a relative base of the page counts', () => {
    const html = `<html><head><base href="/v2/"></head><body><p>See <a href="x">x</a>.</p></body></html>`;

    expect(extractPage(html, URL_OF_PAGE).text).toBe('See [x](https://docs.example/v2/x).');
  });

  test('pictures with a description stay, decorations and inlined ones go', () => {
    const body = `<p>See <img src="a.png" alt="Tide chart"><img src="b.png" alt=""><img src="data:image/png;base64,AAAA" alt="Inlined"></p>`;

    expect(markdownOf(body)).toBe('See ![Tide chart](https://docs.example/guide/a.png)');
  });

  test('tables keep their cells in place, with spans, bars and breaks', () => {
    const body = `<table><caption>Tides</caption><thead><tr><th>Port</th><th colspan="2">High | low</th></tr></thead><tbody><tr><td rowspan="2">Emden</td><td>3<br>m</td><td><ul><li>a</li><li>b</li></ul></td></tr><tr><td>2</td><td></td></tr></tbody></table>`;

    expect(markdownOf(body)).toBe(
      [
        '**Tides**',
        '',
        '| Port | High \\| low |  |',
        '| --- | --- | --- |',
        '| Emden | 3 m | - a - b |',
        '|  | 2 |  |',
      ].join('\n'),
    );
  });

  test.each([
    [
      'a class',
      '<pre><code class="hljs language-ts">const a = 1;\n\n  b_c();\n</code></pre>',
      '```ts\nconst a = 1;\n\n  b_c();\n```',
    ],
    [
      'a line in an element each',
      '<div class="highlight-source-py"><pre><span class="line">a = 1</span><span class="line">b = 2</span></pre></div>',
      '```py\na = 1\nb = 2\n```',
    ],
    ['breaks for lines', '<pre>one<br>two</pre>', '```\none\ntwo\n```'],
    [
      'its lines numbered in a table',
      '<div class="highlight"><table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td><td class="code"><pre><code class="language-sh">ls\npwd</code></pre></td></tr></table></div>',
      '```sh\nls\npwd\n```',
    ],
    ['backticks inside', '<pre>a\n```\nb</pre>', '````\na\n```\nb\n````'],
  ])('code with %s stays as it was written', (_what, html, expected) => {
    expect(markdownOf(`<p>Before.</p>${html}`)).toBe(`Before.\n\n${expected}`);
  });

  test('formulas are the TeX they were made of', () => {
    const body = `<p>So <math><semantics><mi>E</mi><annotation encoding="application/x-tex">E = mc^2</annotation></semantics></math> and <script type="math/tex">a<b</script>.</p>`;

    expect(markdownOf(body)).toBe('So `E = mc^2` and `a<b`.');
  });

  test('names with underscores and signs of Markdown are readable and harmless', () => {
    expect(markdownOf('<p>snake_case *stars*</p><p># no heading</p><p>1. no list</p>')).toBe(
      'snake_case \\*stars\\*\n\n\\# no heading\n\n\\1. no list',
    );
  });

  test('terms stand above what they mean', () => {
    expect(
      markdownOf('<dl><dt>Ebb</dt><dd>Falling water</dd><dt>Flood</dt><dd>Rising</dd></dl>'),
    ).toBe('**Ebb**\nFalling water\n\n**Flood**\nRising');
  });
});

describe('what is said about a page', () => {
  const head = (html: string, body = '') =>
    extractPage(
      `<html><head>${html}</head><body>${body}${paragraphs(3)}</body></html>`,
      URL_OF_PAGE,
    );

  test.each([
    ['<meta property="og:title" content="Open"><title>Shown</title>', '', 'Open'],
    ['<title>Tides rise | The Post</title>', '<h1>Tides rise</h1>', 'Tides rise'],
    ['<title> Only\n this </title>', '', 'Only this'],
    ['', '<h1>Heading</h1>', 'Heading'],
    ['', '', ''],
  ])('%s%s has the title %j', (html, body, title) => {
    expect(head(html, body).title).toBe(title);
  });

  test.each([
    ['<meta name="author" content="Ada">', 'Ada'],
    [
      '<script type="application/ld+json">{"@type":"NewsArticle","author":[{"name":"Ada"},{"name":"Bob"}]}</script>',
      'Ada, Bob',
    ],
    [
      '<script type="application/ld+json">{"@graph":[{"@type":"BlogPosting","author":"Eve"}]}</script>',
      'Eve',
    ],
    ['<script type="application/ld+json">{broken</script>', null],
    ['<meta property="article:author" content="https://social.example/ada">', null],
  ])('%s has the author %j', (html, author) => {
    expect(head(html).author).toBe(author);
  });
});
