import type { Clock } from '../clock.ts';
import { AppError } from '../errors.ts';
import type { ToolHost } from '../tools/kit/tool-host.ts';
import { MAX_CACHED_CHARACTERS } from '../worker/messages.ts';

const MAX_CACHE_CHARACTERS = 50_000_000;
const MAX_KEY_CHARACTERS = 1_000;
/** What an entry takes beside its text, in characters. */
const ENTRY_CHARACTERS = 200;
const MAX_TTL_MS = 7 * 86_400_000;
const MAX_INTERVAL_MS = 60_000;
/** Turns that may wait for one key. */
const MAX_WAITING = 100;

interface Entry {
  /** JSON: whoever reads a value may change it. */
  readonly text: string;
  /** Characters that count against the limit of the cache. */
  readonly size: number;
  readonly expiresAt: number;
}

/** What all threads share: a cache and the pace of requests, both on the server thread. */
export function createSharedServices({
  clock,
}: {
  readonly clock: Clock;
}): Pick<ToolHost, 'cache' | 'pace'> {
  return { cache: createCache(clock), pace: createPace(clock) };
}

/** The least recently used entries make room for new ones. */
function createCache(clock: Clock): ToolHost['cache'] {
  const entries = new Map<string, Entry>();
  let characters = 0;

  function remove(key: string): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    characters -= entry.size;
    entries.delete(key);
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return Promise.resolve(undefined);
      if (entry.expiresAt <= clock.now()) {
        remove(key);
        return Promise.resolve(undefined);
      }
      entries.delete(key);
      entries.set(key, entry);
      return Promise.resolve(JSON.parse(entry.text) as unknown);
    },
    set(key, value, ttlMs) {
      const text = JSON.stringify(value) ?? 'null';
      const lifeMs = Number.isFinite(ttlMs) ? Math.min(ttlMs, MAX_TTL_MS) : 0;
      if (key.length > MAX_KEY_CHARACTERS || text.length > MAX_CACHED_CHARACTERS) {
        return Promise.reject(
          new AppError(
            'BAD_INPUT',
            `A cached value may have ${MAX_CACHED_CHARACTERS} characters of JSON and its key ${MAX_KEY_CHARACTERS}, but these have ${text.length} and ${key.length}.`,
          ),
        );
      }
      remove(key);
      const size = key.length + text.length + ENTRY_CHARACTERS;
      entries.set(key, { text, size, expiresAt: clock.now() + lifeMs });
      characters += size;
      for (const oldest of entries.keys()) {
        if (characters <= MAX_CACHE_CHARACTERS) break;
        remove(oldest);
      }
      return Promise.resolve();
    },
  };
}

function createPace(clock: Clock): ToolHost['pace'] {
  const lanes = new Map<string, { nextAt: number; waiting: number }>();

  return (key, intervalMs) => {
    const interval = Number.isFinite(intervalMs)
      ? Math.min(Math.max(0, intervalMs), MAX_INTERVAL_MS)
      : MAX_INTERVAL_MS;
    const now = clock.now();
    for (const [name, { nextAt, waiting }] of lanes) {
      if (waiting === 0 && nextAt <= now) lanes.delete(name);
    }
    const lane = lanes.get(key) ?? { nextAt: now, waiting: 0 };
    lanes.set(key, lane);
    if (lane.waiting >= MAX_WAITING) {
      return Promise.reject(
        new AppError('OVERLOADED', `${MAX_WAITING} requests wait for ${key} already.`),
      );
    }
    const delayMs = Math.max(0, lane.nextAt - now);
    lane.nextAt = now + delayMs + interval;
    if (delayMs === 0) return Promise.resolve();
    lane.waiting += 1;
    return new Promise((resolve) => {
      clock.after(delayMs, () => {
        lane.waiting -= 1;
        resolve();
      });
    });
  };
}
