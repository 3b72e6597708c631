import { pino } from 'pino';
import { expect, test } from 'vitest';
import { lastDueAt, startScheduledBackups } from '../../server/db/scheduled-backups.ts';
import { LOG_SERIALIZERS } from '../../server/log.ts';
import { createManualClock } from '../support/clock.ts';

const HOUR = 3_600_000;
const at = (day: number, hour: number, minute = 0): number =>
  new Date(2026, 0, day, hour, minute).getTime();

function start(options: { now: number; newest?: number; isEmbedded?: boolean }) {
  const clock = createManualClock(options.now);
  const lines: { level: number; msg: string }[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]);
  const log = pino({ serializers: LOG_SERIALIZERS }, { write });
  const times: number[] = options.newest === undefined ? [] : [options.newest];
  const made: number[] = [];
  const failures: Error[] = [];
  const backups = startScheduledBackups({
    clock,
    log,
    database: {
      isEmbedded: options.isEmbedded ?? true,
      listBackups: () => Promise.resolve(times.map((time) => new Date(time))),
      backup() {
        const failure = failures.shift();
        if (failure !== undefined) return Promise.reject(failure);
        times.push(clock.now());
        made.push(clock.now());
        return Promise.resolve({ folder: 'there', createdAt: new Date(clock.now()), bytes: 1 });
      },
    },
  });
  return {
    ...{ backups, lines, made, failures, clock },
    /** Lets so much time pass, with what follows from each look. */
    async pass(milliseconds: number) {
      for (let passed = 0; passed < milliseconds; passed += HOUR / 2) {
        clock.advance(HOUR / 2);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

test('a backup is made once every night, soon after three', async () => {
  const { made, pass } = start({ now: at(5, 12), newest: at(5, 3, 10) });
  await pass(48 * HOUR);

  expect(made).toEqual([at(6, 3), at(7, 3)]);
});

test('one that the last night missed is made up for soon after the start', async () => {
  const { made, pass } = start({ now: at(5, 12), newest: at(4, 3, 10) });
  await pass(HOUR);

  expect(made).toEqual([at(5, 12, 30)]);
});

test('one that was made by hand since then counts', async () => {
  const { made, pass } = start({ now: at(5, 12), newest: at(5, 11) });
  await pass(14 * HOUR);

  expect(made).toEqual([]);
});

test('one that fails is told as an error and tried again', async () => {
  const { made, lines, failures, pass } = start({ now: at(5, 12) });
  failures.push(new Error('the disk is full'));
  await pass(HOUR);

  expect(lines[0]).toMatchObject({ level: 50, error: { message: 'the disk is full' } });
  expect(made).toEqual([at(5, 13)]);
});

test('none is made of a PostgreSQL server, nor after the end', async () => {
  const server = start({ now: at(5, 12), isEmbedded: false });
  await server.pass(24 * HOUR);
  const ended = start({ now: at(5, 12) });
  ended.backups.close();
  await ended.pass(24 * HOUR);

  expect([server.made, ended.made, ended.clock.pendingCount]).toEqual([[], [], 0]);
});

test('the newest due time before three is that of the day before', () => {
  expect(lastDueAt(at(5, 2, 59)).getTime()).toBe(at(4, 3));
  expect(lastDueAt(at(5, 3)).getTime()).toBe(at(5, 3));
});
