const DAY_MS = 86_400_000;

/** A point in time, short: the hour today, the day before. */
export function formatTime(iso: string, locale: string, now = Date.now()): string {
  const time = new Date(iso);
  const isToday = now - time.getTime() < DAY_MS && new Date(now).getDate() === time.getDate();
  return isToday
    ? time.toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' })
    : time.toLocaleDateString(locale, { day: 'numeric', month: 'short', year: 'numeric' });
}

/** To the second, for tables of what happened. */
export const formatMoment = (iso: string, locale: string): string =>
  new Date(iso).toLocaleString(locale, { dateStyle: 'short', timeStyle: 'medium' });
