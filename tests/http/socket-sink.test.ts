import { expect, test } from 'vitest';
import { createOutlet } from '../../server/http/socket-sink.ts';

/** A connection whose frames leave when the test says so. */
function createConnection() {
  const state = { bufferedBytes: 0, isClosed: false };
  let left: { readonly bytes: number; onSent(): void }[] = [];
  const outlet = createOutlet({
    bufferedBytes: () => state.bufferedBytes,
    isClosed: () => state.isClosed,
  });
  const createSink = () =>
    outlet.createSink({
      send({ payload }, onSent) {
        state.bufferedBytes += payload.length;
        left.push({ bytes: payload.length, onSent });
      },
      end: () => undefined,
    });
  return {
    ...{ outlet, state, createSink },
    /** Lets the oldest frames leave. */
    leave(count: number) {
      const frames = left.slice(0, count);
      left = left.slice(count);
      for (const { bytes, onSent } of frames) {
        state.bufferedBytes -= bytes;
        onSent();
      }
    },
  };
}

const frame = (bytes: number) => ({ position: '1', payload: 'x'.repeat(bytes) });

test('who waits for room is told when it is there, once', () => {
  const connection = createConnection();
  const sink = connection.createSink();
  let told = 0;
  for (let index = 0; index < 4; index += 1) sink.send(frame(100));
  sink.whenBelow(150, () => (told += 1));
  connection.leave(2);
  expect(told).toBe(0);

  connection.leave(1);
  expect(told).toBe(1);
  connection.leave(1);
  expect(told).toBe(1);
});

test('room that the frames of one stream make is room for the others of the socket', () => {
  const connection = createConnection();
  const [busy, waiting] = [connection.createSink(), connection.createSink()];
  let isTold = false;
  busy.send(frame(1_000));
  waiting.whenBelow(500, () => (isTold = true));
  expect(isTold).toBe(false);

  connection.leave(1);
  expect(isTold).toBe(true);
});

test('who asks when there is room already is told soon, but not at once', async () => {
  const sink = createConnection().createSink();
  let isTold = false;
  sink.whenBelow(500, () => (isTold = true));
  expect(isTold).toBe(false);

  await Promise.resolve();
  expect(isTold).toBe(true);
});

test('a connection that closes tells everybody who waits', () => {
  const connection = createConnection();
  const sink = connection.createSink();
  let told = 0;
  sink.send(frame(1_000));
  sink.whenBelow(500, () => (told += 1));
  sink.whenBelow(10, () => (told += 1));
  connection.state.isClosed = true;
  connection.outlet.release();

  expect(told).toBe(2);
});
