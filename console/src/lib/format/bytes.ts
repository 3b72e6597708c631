const UNITS = ['B', 'kB', 'MB', 'GB'] as const;

/** Bytes as a person reads them: `812 B`, `1.4 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let power = 0;
  // From where one digit behind the point would round up to `1000.0`.
  while (power < UNITS.length - 1 && value >= (power === 0 ? 1_000 : 999.95)) {
    value /= 1_000;
    power += 1;
  }
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power]}`;
}
