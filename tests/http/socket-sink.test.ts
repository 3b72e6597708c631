import { expect, test } from 'vitest';
import { createOutlet } from '../../server/http/socket-sink.ts';

/** A connection that holds what it is sent until the test says so. */
function createConnection() {
  const state = { bufferedBytes: 0, isClosed: false };
  const outlet = createOutlet({
    bufferedBytes: () => state.bufferedBytes,
    isClosed: () => state.isClosed,
  });
  const createSink = () =>
    outlet.createSink({
      send: ({ payload }) => void (state.bufferedBytes += payload.length),
      end: () => undefined,
    });
  return { outlet, state, createSink };
}

const frame = (bytes: number) => ({ position: '1', payload: 'x'.repeat(bytes) });

test('who waits for room is told when the connection has drained, once', () => {
  const { outlet, createSink } = createConnection();
  const sink = createSink();
  let told = 0;
  sink.send(frame(300_000));
  sink.whenBelow(100_000, () => (told += 1));
  expect(told).toBe(0);

  for (let round = 0; round < 2; round += 1) outlet.drained();
  expect(told).toBe(1);
});

test('room that the frames of one stream leave is room for the others of the connection', () => {
  const { outlet, createSink } = createConnection();
  const [busy, waiting] = [createSink(), createSink()];
  let isTold = false;
  busy.send(frame(300_000));
  waiting.whenBelow(100_000, () => (isTold = true));
  expect(isTold).toBe(false);

  outlet.drained();
  expect(isTold).toBe(true);
});

test.each([
  ['there is room already', { bufferedBytes: 100_000, isClosed: false }],
  [
    'a socket with so little waiting never says that it has drained',
    { bufferedBytes: 60_000, isClosed: false },
  ],
  ['the connection has closed', { bufferedBytes: 300_000, isClosed: true }],
])('who asks is told soon, but not at once, when %s', async (_when, change) => {
  const { state, createSink } = createConnection();
  Object.assign(state, change);
  let isTold = false;
  createSink().whenBelow(change.bufferedBytes === 60_000 ? 10 : 100_000, () => (isTold = true));
  expect(isTold).toBe(false);

  await Promise.resolve();
  expect(isTold).toBe(true);
});
