/** Milliseconds as a person reads them: `40 ms`, `1.2 s`, `3 min 5 s`. */
export function formatDuration(milliseconds: number): string {
  // The limits are those of what is shown: no `1000 ms`, no `60.0 s`.
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1_000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
