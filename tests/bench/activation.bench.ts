import { startTestApp } from '../support/app.ts';
import { openChat } from '../support/chat.ts';
import { startFakeModelServer } from '../support/fake-model-server.ts';
import { startFakeProviders } from '../support/fake-provider-server.ts';
import { percentile, print } from './bench.ts';

/** From a person's answer on the card to the end of the waiting call, as another device sees it. */

const ROUNDS = 30;
const REACH_MS = 200;

const models = await startFakeModelServer();
const providers = await startFakeProviders();
const app = await startTestApp({
  environment: { ...providers.environment, ...models.environment('openai-chat') },
});
await app.catalogue.refresh();
const person = await app.signUp();
const question = '{"group":"Scientific Research","reason":"You asked for it."}';
const samples: number[] = [];

for (let round = 0; round < ROUNDS; round += 1) {
  const chat = await openChat(person);
  models.script({
    calls: [{ id: `q${round}`, name: 'request_tool_activation', arguments: question }],
  });
  await chat.send('Look it up.');
  const asked = await chat.events.until(({ __typename }) => __typename === 'ActivationRequested');
  await chat.events.until(({ __typename }) => __typename === 'TurnWait');
  const answeredAt = performance.now();
  await person.query(
    'mutation ($id: ID!) { answerActivationRequest(requestId: $id, answer: ENABLE) { id } }',
    { id: asked['requestId'] },
  );
  await chat.events.until(({ __typename }) => __typename === 'ToolCallEnd');
  samples.push(performance.now() - answeredAt);
  await chat.turnEnd();
  chat.close();
}
const [p50, p99] = [percentile(samples, 50), percentile(samples, 99)];
print(`activation, answer until the waiting call ends, ${ROUNDS} rounds`);
print(
  `  ${p50.toFixed(1)} ms p50  ${p99.toFixed(1)} ms p99  ${p99 <= REACH_MS ? 'reaches' : 'MISSES'} ${REACH_MS} ms`,
);
await app.close();
await models.close();
await providers.close();
process.exit();
