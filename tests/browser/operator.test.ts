import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { setStage, signIn, watchErrors, type Stage } from './support.ts';

let stage: Stage;

test.beforeAll(async () => {
  stage = await setStage('OPERATOR');
});

test.afterAll(() => stage.close());

test('an operator reads why a tool is stopped, tries one, and finds the call', async ({ page }) => {
  const errors = watchErrors(page);
  await signIn(page, stage);
  await page.getByRole('link', { name: 'Operator' }).click();
  const row = page.getByRole('row').filter({ hasText: 'request_tool_activation' });
  await row.locator('summary').click();
  await expect(row.getByText('needs no place in the allowlist')).toBeVisible();

  await page
    .getByRole('row')
    .filter({ hasText: 'echo' })
    .getByRole('button', { name: 'Try' })
    .click();
  await page.getByLabel('value *').fill('tried by hand');
  await page.getByRole('button', { name: 'Run' }).click();
  await expect(page.getByText('"tried by hand"')).toBeVisible();
  await page.keyboard.press('Escape');

  await page.getByRole('link', { name: 'Calls' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'echo' }).first()).toContainText('SUCCESS');
  expect(errors).toEqual([]);
});

test('live events of all chats appear without reloading', async ({ page }) => {
  await signIn(page, stage);
  await page.goto(`${stage.app.url}/operator/live`);
  await expect(page.getByText('Quiet.')).toBeVisible();
  await stage.person.query(
    'mutation { runTool(name: "echo", arguments: { value: "seen" }) { status } }',
  );

  await expect(page.getByRole('row').filter({ hasText: 'SUCCESS' }).first()).toContainText('echo');
});

test('an invitation makes one account, once', async ({ page, browser }) => {
  await signIn(page, stage);
  await page.goto(`${stage.app.url}/operator/people`);
  await page.getByLabel('Who is it for?').fill('Grace');
  await page.getByRole('button', { name: 'Invite' }).click();
  const link = await page.getByRole('status').locator('code').innerText();

  const context = await browser.newContext();
  const guest = await context.newPage();
  await guest.goto(link);
  await guest.getByLabel('Your name').fill('Grace Hopper');
  await guest.getByLabel('E-mail').fill('grace@example.org');
  await guest.getByLabel('Password').fill('a long password');
  await guest.getByRole('button', { name: 'Create your account' }).click();
  await expect(guest.getByText('What is on your mind, Grace Hopper?')).toBeVisible();
  await expect(guest.getByRole('link', { name: 'Operator' })).toHaveCount(0);

  const late = await (await browser.newContext()).newPage();
  await late.goto(link);
  await late.getByLabel('Your name').fill('Mallory');
  await late.getByLabel('E-mail').fill('mallory@example.org');
  await late.getByLabel('Password').fill('another password');
  await late.getByRole('button', { name: 'Create your account' }).click();
  await expect(late.getByRole('alert')).toContainText('has been used');
});

for (const path of ['', '/live', '/calls', '/pool', '/people', '/settings', '/audit']) {
  test(`the page /operator${path} has no barriers that axe finds`, async ({ page }) => {
    const errors = watchErrors(page);
    await signIn(page, stage);
    await page.goto(`${stage.app.url}/operator${path}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.getByText('Loading …')).toHaveCount(0);
    const { violations } = await new AxeBuilder({ page }).analyze();

    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    expect(errors).toEqual([]);
  });
}
