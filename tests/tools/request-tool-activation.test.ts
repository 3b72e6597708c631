import { expect, test } from 'vitest';
import { toModelResult } from '../../server/tools/kit/tool-result.ts';
import {
  activationParameters,
  activationResults,
  requestToolActivation,
} from '../../server/tools/request-tool-activation.ts';
import { createToolContext } from '../support/tool-context.ts';

test('the groups that can be asked for are the enum of the parameters', () => {
  expect(activationParameters(['Grocery', 'Recipes'])).toMatchObject({
    type: 'object',
    properties: {
      group: { type: 'string', enum: ['Grocery', 'Recipes'] },
      reason: { type: 'string', maxLength: 240 },
    },
    required: ['group', 'reason'],
    additionalProperties: false,
  });
});

test('it runs on the server, where a person can be asked', async () => {
  expect(requestToolActivation.runsIn).toBe('server');
  const { context, close } = await createToolContext();
  expect(
    await requestToolActivation.execute({ group: 'Grocery', reason: 'Prices.' }, context),
  ).toMatchObject({ status: 'error', code: 'UNAVAILABLE' });
  await close();
});

test('each end of the question is told in its own way', () => {
  expect(toModelResult(activationResults.enabled('Grocery', ['grocery_profile']))).toEqual({
    status: 'success',
    data: { action: 'enabled', group: 'Grocery', active_tools: ['grocery_profile'] },
  });
  expect(activationResults.declined('Grocery')).toMatchObject({
    status: 'noop',
    message: expect.stringContaining('declined') as string,
  });
  expect(activationResults.ignored('Grocery')).toMatchObject({ status: 'noop' });
  expect(activationResults.stopped('Grocery')).toMatchObject({ code: 'CANCELLED' });
  expect(activationResults.unknown('Pets', ['Grocery'])).toMatchObject({
    message: 'There is no group "Pets" to switch on; there is Grocery.',
  });
});
