const UNITS = ['B', 'kB', 'MB', 'GB'] as const;

/** Bytes as a person reads them: `812 B`, `1.4 MB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power]}`;
}
