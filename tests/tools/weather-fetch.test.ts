import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { weatherFetch } from '../../server/tools/weather-fetch.ts';
import type { WeatherReport } from '../../server/tools/weather/weather-report.ts';
import type { ToolResult } from '../../server/tools/kit/tool-result.ts';
import { type FakeProviderServer, startFakeProviders } from '../support/fake-provider-server.ts';
import { createToolContext, type ToolContextOptions } from '../support/tool-context.ts';

let server: FakeProviderServer;
beforeAll(async () => {
  server = await startFakeProviders();
});
afterAll(() => server.close());

type Input = Parameters<typeof weatherFetch.execute>[0];

async function fetchWeather(
  input: Partial<Input>,
  options: ToolContextOptions = {},
): Promise<ToolResult> {
  const { context, close } = await createToolContext({
    environment: server.environment,
    ...options,
  });
  try {
    return await weatherFetch.execute({ forecast_days: 0, forecast_hours: 0, ...input }, context);
  } finally {
    await close();
  }
}

async function report(input: Partial<Input>): Promise<WeatherReport> {
  const result = await fetchWeather(input);
  if (result.status !== 'success') throw new Error(JSON.stringify(result));
  return result.data as WeatherReport;
}

const queryOf = (part: string) =>
  server.requests.findLast(({ path }) => path.includes(part))?.query ?? new URLSearchParams();

describe('weather_fetch', () => {
  test('the current weather of a city comes with place, zone, words and attribution', async () => {
    const weather = await report({ city: 'Seestadt' });

    expect(weather).toMatchObject({
      place: { name: 'Seestadt', region: 'Bremen', country: 'Germany', elevation: 3 },
      timezone: 'Europe/Berlin',
      utc_offset: '+02:00',
      current: {
        time: '2026-07-01T14:15+02:00',
        conditions: 'overcast',
        temperature: 20,
        is_day: true,
        wind_gusts: 33.1,
      },
      hourly: [],
      daily: [],
      units: { temperature: '°C', wind_speed: 'km/h' },
      attribution: 'Weather data by Open-Meteo.com',
    });
    expect(queryOf('/v1/forecast').has('hourly')).toBe(false);
    expect(queryOf('/v1/forecast').has('daily')).toBe(false);
  });

  test('daily forecasts begin tomorrow', async () => {
    const { daily } = await report({ city: 'Seestadt', forecast_days: 2 });

    expect(daily.map(({ date }) => date)).toEqual(['2026-07-02', '2026-07-03']);
    expect(daily[0]).toMatchObject({
      conditions: 'slight rain',
      temperature_max: 23,
      sunrise: '2026-07-02T05:02+02:00',
    });
  });

  test('a value that the service lacks stays null, and an unknown code is told', async () => {
    const { daily, hourly } = await report({
      city: 'Seestadt',
      forecast_days: 3,
      forecast_hours: 2,
    });

    expect(daily.map(({ temperature_min }) => temperature_min)).toEqual([13, null, 15]);
    expect(daily[2]?.conditions).toBe('unknown conditions (code 42)');
    expect(hourly.map(({ precipitation_probability }) => precipitation_probability)).toEqual([
      0,
      null,
    ]);
  });

  test('hourly forecasts begin with the current local hour', async () => {
    const { hourly, notes } = await report({ city: 'Seestadt', forecast_hours: 3 });

    expect(hourly.map(({ time }) => time)).toEqual([
      '2026-07-01T14:00+02:00',
      '2026-07-01T15:00+02:00',
      '2026-07-01T16:00+02:00',
    ]);
    expect(notes.join(' ')).toContain('hour before');
  });

  test.each([
    [99, 15],
    [-3, 0],
  ])('forecast_days %i is taken as %i', async (asked, taken) => {
    const { daily } = await report({ city: 'Seestadt', forecast_days: asked });

    expect(daily).toHaveLength(taken);
  });

  test('a city wins over coordinates', async () => {
    const { place } = await report({ city: 'Seestadt', latitude: 10, longitude: 10 });

    expect(place.name).toBe('Seestadt');
    expect(queryOf('/v1/forecast').get('latitude')).toBe('53.55073');
  });

  test('coordinates work without a city', async () => {
    const before = server.requests.length;

    const { place } = await report({ city: ' ', latitude: -33.9, longitude: 18.4 });

    expect(place).toMatchObject({ name: '33.9° S, 18.4° E', latitude: -33.9, longitude: 18.4 });
    expect(server.requests.length).toBe(before + 1);
  });

  test('a place on the equator has coordinates although the service leaves zeros out', async () => {
    const { place } = await report({ city: 'Nullpunkt' });

    expect(place).toMatchObject({ latitude: 0, longitude: 0, elevation: null, country: '' });
  });

  test('a state as a code finds the city in that state', async () => {
    const { place, other_places: others, notes } = await report({ city: 'Springfield, IL' });

    expect(place.region).toBe('Illinois');
    expect(others).toEqual([
      'Springfield, Missouri, United States',
      'Springfield, Massachusetts, United States',
    ]);
    expect(notes).toEqual([]);
  });

  test('a city that is not where it should be is shown with a note', async () => {
    const { place, notes } = await report({ city: 'Springfield, Utopia' });

    expect(place.region).toBe('Missouri');
    expect(notes).toEqual([
      'No place is called exactly "Springfield, Utopia"; this is the weather of Springfield, Missouri, United States.',
    ]);
  });

  test('an unknown place is no error, but nothing to do', async () => {
    const result = await fetchWeather({ city: 'Xanadu' });

    expect(result).toMatchObject({
      status: 'noop',
      message: expect.stringContaining('"Xanadu"') as string,
    });
  });

  test.each([
    [{}, 'give city, or latitude and longitude'],
    [{ latitude: 1 }, 'give city, or latitude and longitude'],
    [{ latitude: 91, longitude: 0 }, 'latitude is 91'],
    [{ latitude: 0, longitude: -181 }, 'longitude is -181'],
  ])('%j is refused before anything is asked', async (input, message) => {
    const before = server.requests.length;

    expect(await fetchWeather(input)).toMatchObject({
      status: 'error',
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining(message) as string,
    });
    expect(server.requests.length).toBe(before);
  });

  test('the reason of a refusal reaches the model', async () => {
    const body = { error: true, reason: 'No data is available for this location' };
    server.misbehave('/v1/forecast', { status: 400, body });

    expect(await fetchWeather({ city: 'Seestadt' })).toEqual({
      status: 'error',
      code: 'FAILED',
      message: 'Open-Meteo answered with status 400: No data is available for this location.',
    });
  });

  test('a broken tail is asked for again', async () => {
    server.misbehave('/v1/forecast', 'broken-tail');

    expect((await report({ city: 'Seestadt' })).current.temperature).toBe(20);
  });

  test('a cancelled call ends while the service is silent', async () => {
    server.misbehave('/v1/forecast', 'silence');
    const controller = new AbortController();
    const before = server.requests.length;
    const result = fetchWeather({ city: 'Seestadt' }, { signal: controller.signal });
    await expect.poll(() => server.requests.length).toBe(before + 2);

    controller.abort();

    expect(await result).toMatchObject({ status: 'error', code: 'CANCELLED' });
  });

  test('a call ends at its deadline', async () => {
    server.misbehave('/v1/search', 'stall');

    expect(await fetchWeather({ city: 'Seestadt' }, { deadlineMs: 150 })).toEqual({
      status: 'error',
      code: 'TIMED_OUT',
      message: 'Open-Meteo did not answer in time.',
    });
  });

  test('a wait that the service asks for and the deadline forbids is told', async () => {
    const body = { error: true, reason: 'Minutely API request limit exceeded.' };
    server.misbehave('/v1/search', { status: 429, headers: { 'retry-after': '20' }, body });

    expect(await fetchWeather({ city: 'Seestadt' }, { deadlineMs: 5_000 })).toEqual({
      status: 'error',
      code: 'UNAVAILABLE',
      message:
        'Open-Meteo answered with status 429: Minutely API request limit exceeded. It asks to wait 20 seconds.',
    });
  });
});
