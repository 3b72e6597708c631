import { expect, test, type Page } from '@playwright/test';
import { send, setStage, signIn, type Stage } from './support.ts';

let stage: Stage;

test.beforeAll(async () => {
  stage = await setStage();
});

test.afterAll(() => stage.close());

/** The words of the last answer as a page shows them. */
const answerText = (page: Page): Promise<string> =>
  page.getByRole('article', { name: 'Answer' }).last().innerText();

const withoutButtons = (text: string): string => text.replace(/\s+/g, ' ').trim();

test('two browsers show the same while it streams; one reloads, one loses its network: no gap, no repeat', async ({
  browser,
}) => {
  const words = Array.from({ length: 40 }, (_, index) => `word${index} `);
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  stage.models.script(
    {
      text: ['Beginning. '],
      hold: first.promise,
      calls: [{ id: 'c1', name: 'echo', arguments: '{"value":"x"}' }],
    },
    { text: words, hold: second.promise },
  );
  const [one, two] = [await browser.newContext(), await browser.newContext()];
  const [left, right] = [await one.newPage(), await two.newPage()];
  await signIn(left, stage);
  await signIn(right, stage);
  await send(left, 'Write forty words.');
  await left.waitForURL(/\/chats\//);
  await right.goto(left.url());
  await expect(right.getByText('Beginning.')).toBeVisible();

  await two.setOffline(true);
  first.resolve();
  await expect(left.getByText('word0')).toBeVisible();
  await left.reload();
  await expect(left.getByText('Beginning.')).toBeVisible();
  await expect(left.getByText('word0')).toBeVisible();
  second.resolve();
  await expect(left.getByText('word39')).toBeVisible();
  await two.setOffline(false);
  await expect(right.getByText('word39')).toBeVisible({ timeout: 40_000 });
  await expect(right.getByRole('button', { name: 'Answer again' })).toBeVisible();
  await expect(left.getByRole('button', { name: 'Answer again' })).toBeVisible();

  const [shownLeft, shownRight] = [
    withoutButtons(await answerText(left)),
    withoutButtons(await answerText(right)),
  ];
  expect(shownRight).toBe(shownLeft);
  expect(shownLeft).toContain(words.join('').trim());
  expect(shownLeft.match(/word7 /g)).toHaveLength(1);
  await one.close();
  await two.close();
});

test('with all tabs closed the turn still ends and is stored', async ({ browser }) => {
  const hold = Promise.withResolvers<void>();
  stage.models.script({ text: ['Written ', 'for nobody.'], hold: hold.promise });
  const context = await browser.newContext();
  const page = await context.newPage();
  await signIn(page, stage);
  await send(page, 'Go on without me.');
  await page.waitForURL(/\/chats\//);
  await expect(page.getByText('Written', { exact: true })).toBeVisible();
  const { pathname } = new URL(page.url());
  await context.close();
  hold.resolve();
  await stage.app.idle();

  const { chat } = await stage.person.query<{ chat: { messages: { text: string }[] } }>(
    'query ($id: ID!) { chat(id: $id) { messages { text } } }',
    { id: pathname.split('/').at(-1)! },
  );
  expect(chat.messages.at(-1)!.text).toBe('Written for nobody.');
});

test('what happens to a chat on one device shows in the list of the other', async ({ browser }) => {
  const [one, two] = [await browser.newContext(), await browser.newContext()];
  const [left, right] = [await one.newPage(), await two.newPage()];
  await signIn(left, stage);
  await signIn(right, stage);
  await send(left, 'A chat for the list.');
  await left.waitForURL(/\/chats\//);
  const { createChat } = await stage.person.query<{ createChat: { id: string } }>(
    'mutation { createChat(input: { requestId: "list-1", title: "Made by a program" }) { id } }',
  );
  const entry = right.getByRole('link', { name: 'Made by a program' });
  await expect(entry).toBeVisible();
  await stage.person.query('mutation ($id: ID!) { deleteChat(chatId: $id) }', {
    id: createChat.id,
  });

  await expect(entry).toHaveCount(0);
  await one.close();
  await two.close();
});
