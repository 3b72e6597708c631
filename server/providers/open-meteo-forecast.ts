import { asList, asNumber, asRecord, asText, type JsonRecord } from './json-values.ts';

/** One time with its values by variable name; a value that the model of the weather lacks is null. */
export interface WeatherRow {
  /** Local, without offset: `2026-07-01T14:15`, or a date for a day. */
  readonly time: string;
  number(variable: string): number | null;
  /** Empty when absent. */
  text(variable: string): string;
}

export interface Forecast {
  /** IANA name. */
  readonly timezone: string;
  readonly timezoneAbbreviation: string;
  /** The one offset that all times of the forecast are written in. */
  readonly utcOffsetSeconds: number;
  readonly elevationMetres: number | null;
  readonly current: WeatherRow;
  readonly hourly: readonly WeatherRow[];
  readonly daily: readonly WeatherRow[];
}

/** Reads an answer of the forecast service; null when it lacks the current weather. */
export function parseForecast(answer: unknown): Forecast | null {
  const root = asRecord(answer);
  const current = asRecord(root['current']);
  if (asText(current['time']) === '') return null;
  return {
    timezone: asText(root['timezone']) || 'GMT',
    timezoneAbbreviation: asText(root['timezone_abbreviation']),
    utcOffsetSeconds: asNumber(root['utc_offset_seconds']) ?? 0,
    elevationMetres: asNumber(root['elevation']),
    current: rowOf(asText(current['time']), (variable) => current[variable]),
    hourly: rowsOf(asRecord(root['hourly'])),
    daily: rowsOf(asRecord(root['daily'])),
  };
}

function rowsOf(block: JsonRecord): readonly WeatherRow[] {
  return asList(block['time']).map((time, index) =>
    rowOf(asText(time), (variable) => asList(block[variable])[index]),
  );
}

const rowOf = (time: string, read: (variable: string) => unknown): WeatherRow => ({
  time,
  number: (variable) => asNumber(read(variable)),
  text: (variable) => asText(read(variable)),
});

/** `+02:00`, as in ISO 8601. */
export function formatUtcOffset(seconds: number): string {
  const minutes = Math.round(Math.abs(seconds) / 60);
  const pad = (value: number): string => String(value).padStart(2, '0');
  return `${seconds < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}
