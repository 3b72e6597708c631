import { render } from 'vitest-browser-svelte';
import { afterEach, expect, test, vi } from 'vitest';
import { userEvent } from 'vitest/browser';
import { ApiError } from '#lib/api/api-error.ts';
import Composer from '#lib/chat/Composer.svelte';

afterEach(() => sessionStorage.clear());

async function show(properties: object = {}) {
  const onsend = vi.fn(() => Promise.resolve());
  const screen = await render(Composer, { draftKey: 'draft:test', onsend, ...properties });
  const field = screen.getByRole('textbox', { name: 'Message' });
  return { screen, field, onsend };
}

const sent = (text: string) => expect.objectContaining({ text, uploads: [] });

test('Enter sends what was typed, without the blanks around it, and empties the field', async () => {
  const { field, onsend } = await show();
  await userEvent.type(field, ' How are you? ');
  await userEvent.keyboard('{Enter}');

  await expect.element(field).toHaveValue('');
  expect(onsend).toHaveBeenCalledExactlyOnceWith(sent('How are you?'));
});

test('Shift and Enter begin a new line', async () => {
  const { field, onsend } = await show();
  await userEvent.type(field, 'one');
  await userEvent.keyboard('{Shift>}{Enter}{/Shift}two');

  await expect.element(field).toHaveValue('one\ntwo');
  expect(onsend).not.toHaveBeenCalled();
});

test('Enter belongs to the input method while it composes', async () => {
  const { field, onsend } = await show();
  await userEvent.type(field, 'にほん');
  const press = (isComposing: boolean) =>
    field
      .element()
      .dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, isComposing }));
  press(true);
  expect(onsend).not.toHaveBeenCalled();
  press(false);

  expect(onsend).toHaveBeenCalledOnce();
});

test('nothing is sent while the field is empty or an answer runs', async () => {
  const { field, onsend } = await show({ isRunning: true });
  await userEvent.type(field, 'later');
  await userEvent.keyboard('{Enter}');

  await expect.element(field).toHaveValue('later');
  expect(onsend).not.toHaveBeenCalled();
});

test('a message that could not be sent stays, with the reason, and keeps its number', async () => {
  const onsend = vi
    .fn<(message: { requestId: string }) => Promise<void>>()
    .mockRejectedValueOnce(new ApiError('OFFLINE', 'The server cannot be reached.'))
    .mockResolvedValue();
  const { field, screen } = await show({ onsend });
  await userEvent.type(field, 'Hello');
  await userEvent.keyboard('{Enter}');
  await expect.element(screen.getByText('The server cannot be reached.')).toBeVisible();
  await expect.element(field).toHaveValue('Hello');
  await userEvent.keyboard('{Enter}');
  await expect.element(field).toHaveValue('');
  await userEvent.type(field, 'Hello');
  await userEvent.keyboard('{Enter}');

  await vi.waitFor(() => expect(onsend).toHaveBeenCalledTimes(3));
  const [first, again, next] = onsend.mock.calls.map(([{ requestId }]) => requestId);
  expect(again).toBe(first);
  expect(next).not.toBe(first);
});

test('a draft is still there when the page comes back', async () => {
  const { field, screen } = await show();
  await userEvent.type(field, 'half a thou');
  await screen.unmount();
  const { field: back } = await show();

  await expect.element(back).toHaveValue('half a thou');
});
