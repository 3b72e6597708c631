import { render } from 'vitest-browser-svelte';
import { expect, test } from 'vitest';
import { ShownCall } from '#lib/chat/shown-call.svelte.ts';
import ToolCallCard from '#lib/chat/ToolCallCard.svelte';

type Loaded = Parameters<typeof ShownCall.load>[0];

const load = (fields: Partial<Loaded>): ShownCall =>
  ShownCall.load({
    ...{ callId: 'c1', toolName: 'echo', argumentsText: '{"value":"tide"}', status: 'SUCCESS' },
    ...{ code: null, message: null, result: null, progress: null, files: [] },
    ...{ elapsedMs: null, queuedMs: null, outputCharacters: null },
    ...fields,
  } as Loaded);

const show = (fields: Partial<Loaded>) =>
  render(ToolCallCard, { call: load(fields), chatId: 'chat' });

test('a card shows tool, arguments and time at a glance, and the result on demand', async () => {
  const screen = await show({ elapsedMs: 1_200, result: { status: 'success', data: 'high' } });
  const head = screen.getByRole('button', { name: /echo/ });
  await expect.element(head).toBeVisible();
  expect(head.element().textContent).toContain('tide');
  expect(head.element().textContent).toContain('1.2 s');
  await expect.element(head).toHaveAttribute('aria-expanded', 'false');
  expect(screen.container.textContent).not.toContain('high');
  await head.click();

  await expect.element(head).toHaveAttribute('aria-expanded', 'true');
  expect(screen.container.textContent).toContain('"value": "tide"');
  expect(screen.container.textContent).toContain('"data": "high"');
});

test('arguments that are no JSON show as the model wrote them', async () => {
  const screen = await show({ argumentsText: '{"value":', status: 'ERROR' });
  await screen.getByRole('button', { name: /echo/ }).click();

  expect(screen.container.querySelector('pre')?.textContent).toBe('{"value":');
});

test('an error tells its sentence without being opened', async () => {
  const screen = await show({ status: 'ERROR', code: 'TIMEOUT', message: 'It took too long.' });

  await expect.element(screen.getByText('It took too long.')).toBeVisible();
  await expect.element(screen.getByRole('img', { name: 'Failed' })).toBeVisible();
});

test('a call that runs shows its progress and can be stopped; one that waits for a person cannot', async () => {
  const running = await show({
    status: 'RUNNING',
    progress: { state: 'RUNNING', message: 'Reading page 2', fraction: 0.5 },
  });
  await expect.element(running.getByText('Reading page 2')).toBeVisible();
  await expect.element(running.getByRole('progressbar')).toHaveAttribute('value', '0.5');
  await expect.element(running.getByRole('button', { name: 'Stop' })).toBeEnabled();
  await running.unmount();
  const waiting = await show({ status: 'WAITING' });

  await expect.element(waiting.getByRole('button', { name: /echo/ })).toBeVisible();
  expect(waiting.getByRole('button', { name: 'Stop' }).elements()).toEqual([]);
});

test('pages of wiki_lookup are drawn with their links', async () => {
  const screen = await show({
    toolName: 'wiki_lookup',
    result: {
      status: 'success',
      data: { pages: [{ title: 'Tide', url: 'https://w.example/Tide', extract: 'Water.' }] },
    },
  });

  const link = screen.getByRole('link', { name: 'Tide' });
  await expect.element(link).toHaveAttribute('href', 'https://w.example/Tide');
  await expect.element(screen.getByText('Water.')).toBeVisible();
});
