import type { FakeAnswer, FakeProvider, FakeRequest } from './fake-provider-server.ts';

/** Local time at every place, two hours ahead of UTC. */
const NOW = '2026-07-01T14:15';

const PLACES = [
  {
    id: 2_900_001,
    name: 'Seestadt',
    latitude: 53.55073,
    longitude: 8.57673,
    elevation: 3,
    country_code: 'DE',
    country: 'Germany',
    admin1: 'Bremen',
    timezone: 'Europe/Berlin',
    population: 113_557,
  },
  ...[
    { admin1: 'Missouri', latitude: 37.2153, longitude: -93.2982 },
    { admin1: 'Massachusetts', latitude: 42.1015, longitude: -72.5898 },
    { admin1: 'Illinois', latitude: 39.8017, longitude: -89.6437 },
  ].map((place, index) => ({
    id: 4_400_000 + index,
    name: 'Springfield',
    country_code: 'US',
    country: 'United States',
    ...place,
  })),
  // The service leaves out what is 0 or empty.
  { id: 1, name: 'Nullpunkt', country_code: 'XX', timezone: 'GMT' },
] as const;

const VARIABLES: Readonly<Record<string, (index: number) => unknown>> = {
  temperature_2m: (index) => 20 + index,
  relative_humidity_2m: () => 60,
  apparent_temperature: (index) => 19 + index,
  is_day: () => 1,
  precipitation: (index) => index / 10,
  precipitation_probability: (index) => (index === 1 ? null : 10 * index),
  weather_code: (index) => [3, 61, 45][index] ?? 42,
  cloud_cover: () => 100,
  pressure_msl: () => 1013.2,
  wind_speed_10m: () => 17.6,
  wind_direction_10m: () => 270,
  wind_gusts_10m: () => 33.1,
  temperature_2m_max: (index) => 22 + index,
  temperature_2m_min: (index) => (index === 2 ? null : 12 + index),
  apparent_temperature_max: (index) => 21 + index,
  apparent_temperature_min: (index) => 11 + index,
  precipitation_sum: () => 0.4,
  precipitation_probability_max: () => 55,
  wind_speed_10m_max: () => 25,
  wind_gusts_10m_max: () => 44,
  wind_direction_10m_dominant: () => 225,
  sunrise: (index) => `2026-07-0${index + 1}T05:02`,
  sunset: (index) => `2026-07-0${index + 1}T21:58`,
  uv_index_max: () => 6.2,
};

export const answerOpenMeteo: FakeProvider = (request) => {
  if (request.path.endsWith('/v1/search')) return searchPlaces(request);
  if (request.path.endsWith('/v1/forecast')) return forecast(request);
  return { status: 404, body: { error: true, reason: 'Not Found' } };
};

const refuse = (reason: string): FakeAnswer => ({ status: 400, body: { error: true, reason } });

function searchPlaces({ query }: FakeRequest): FakeAnswer {
  const count = Number(query.get('count') ?? 10);
  if (!(count >= 1 && count <= 100)) {
    return refuse('Parameter count must be between 1 and 100.');
  }
  const [name = '', within] = (query.get('name') ?? '').split(',').map((part) => part.trim());
  const results = PLACES.filter((place) => {
    if (name.length < 2) return false;
    const isNamed =
      name.length === 2
        ? place.name.toLowerCase() === name.toLowerCase()
        : place.name.toLowerCase().startsWith(name.toLowerCase());
    const { admin1 = '', country = '' } = place as { admin1?: string; country?: string };
    return isNamed && (within === undefined || [admin1, country].includes(within));
  }).slice(0, count);
  const found = results.length === 0 ? {} : { results };
  return { body: { ...found, generationtime_ms: 0.41 } };
}

function forecast({ query }: FakeRequest): FakeAnswer {
  const latitude = Number(query.get('latitude'));
  const days = Number(query.get('forecast_days') ?? 7);
  const hours = query.get('forecast_hours');
  if (Math.abs(latitude) > 90) {
    return refuse(`Latitude must be in range of -90 to 90°. Given: ${latitude}.`);
  }
  if (days > 16) return refuse('Forecast days is invalid. Allowed range 0 to 16. Given 16.');
  const blocks = ['current', 'hourly', 'daily'].map((name) => query.get(name)?.split(',') ?? []);
  const unknown = blocks.flat().find((variable) => !(variable in VARIABLES));
  if (unknown !== undefined) {
    return refuse(
      `Data corrupted at path ''. Cannot initialize SurfacePressureVariable from invalid String value ${unknown}.`,
    );
  }
  const [current = [], hourly = [], daily = []] = blocks;
  return {
    body: {
      latitude: latitude + 0.01,
      longitude: Number(query.get('longitude')) - 0.01,
      generationtime_ms: 0.12,
      utc_offset_seconds: 7200,
      timezone: 'Europe/Berlin',
      timezone_abbreviation: 'GMT+2',
      ...(latitude === 0 ? {} : { elevation: 3 }),
      current: { time: NOW, interval: 900, ...pick(current, (read) => read(0)) },
      ...(hourly.length === 0 ? {} : { hourly: series(hourly, listHours(hours, days)) }),
      ...(daily.length === 0 ? {} : { daily: series(daily, listDays(days)) }),
    },
  };
}

type Reader = (index: number) => unknown;

const pick = (variables: readonly string[], value: (read: Reader) => unknown) =>
  Object.fromEntries(variables.map((name) => [name, value(VARIABLES[name] as Reader)]));

const series = (variables: readonly string[], time: readonly string[]) => ({
  time,
  ...pick(variables, (read) => time.map((_, index) => read(index))),
});

/** From the current hour when a number of hours is asked for, otherwise from the beginning of today. */
function listHours(hours: string | null, days: number): readonly string[] {
  const start = Date.parse(hours === null ? '2026-07-01T00:00Z' : '2026-07-01T14:00Z');
  return Array.from({ length: hours === null ? days * 24 : Number(hours) }, (_, index) =>
    new Date(start + index * 3_600_000).toISOString().slice(0, 16),
  );
}

const listDays = (days: number): readonly string[] =>
  Array.from({ length: days }, (_, index) =>
    new Date(Date.parse('2026-07-01') + index * 86_400_000).toISOString().slice(0, 10),
  );
