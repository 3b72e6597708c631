import type { ToolSettings } from '../config.ts';
import { asRecord, asText } from './json-values.ts';
import { parseForecast, type Forecast } from './open-meteo-forecast.ts';
import { isWithin, parsePlaces, splitPlaceName, type Place } from './open-meteo-places.ts';
import { ProviderError } from './provider-error.ts';
import { createProviderHttp, type ProviderCall } from './provider-http.ts';
import { createUserAgent } from './user-agent.ts';

export interface OpenMeteo {
  /**
   * Places of that name, the most likely first; "Springfield, IL" works as "Springfield, Illinois" does.
   * `isExact` is false when nothing lies where the part after the comma says.
   */
  findPlaces(
    name: string,
    call: ProviderCall,
  ): Promise<{ readonly places: readonly Place[]; readonly isExact: boolean }>;
  /** Current weather, the days from today on and the hours from the current one on. */
  forecast(
    point: {
      readonly latitude: number;
      readonly longitude: number;
      /** Today included, 0–16. */
      readonly days: number;
      /** 0–384. */
      readonly hours: number;
    },
    call: ProviderCall,
  ): Promise<Forecast>;
}

const CURRENT =
  'temperature_2m,relative_humidity_2m,apparent_temperature,is_day,precipitation,weather_code,cloud_cover,pressure_msl,wind_speed_10m,wind_direction_10m,wind_gusts_10m';
const HOURLY =
  'temperature_2m,apparent_temperature,relative_humidity_2m,precipitation_probability,precipitation,weather_code,wind_speed_10m,wind_direction_10m,wind_gusts_10m';
const DAILY =
  'weather_code,temperature_2m_max,temperature_2m_min,apparent_temperature_max,apparent_temperature_min,precipitation_sum,precipitation_probability_max,wind_speed_10m_max,wind_gusts_10m_max,wind_direction_10m_dominant,sunrise,sunset,uv_index_max';
const PLACES = 10;

export function createOpenMeteo(settings: ToolSettings): OpenMeteo {
  const http = createProviderHttp({
    provider: 'Open-Meteo',
    userAgent: createUserAgent(settings.operatorContact),
    maxBytes: 1_000_000,
    describeError: findReason,
  });

  async function search(name: string, call: ProviderCall): Promise<readonly Place[]> {
    const url = new URL(`${settings.openMeteoGeocodingBaseUrl}/v1/search`);
    url.search = String(new URLSearchParams({ name, count: String(PLACES), language: 'en' }));
    return parsePlaces(await http.requestJson(url, call));
  }

  return {
    async findPlaces(text, call) {
      const places = await search(text, call);
      const { name, qualifier } = splitPlaceName(text);
      if (places.length > 0 || qualifier === '') return { places, isExact: true };
      const candidates = await search(name, call);
      const fitting = candidates.filter((place) => isWithin(place, qualifier));
      const others = candidates.filter((place) => !fitting.includes(place));
      return { places: [...fitting, ...others], isExact: fitting.length > 0 };
    },

    async forecast({ latitude, longitude, days, hours }, call) {
      const url = new URL(`${settings.openMeteoBaseUrl}/v1/forecast`);
      url.search = String(
        new URLSearchParams({
          latitude: String(latitude),
          longitude: String(longitude),
          timezone: 'auto',
          current: CURRENT,
          ...(days > 0 ? { daily: DAILY, forecast_days: String(days) } : {}),
          ...(hours > 0 ? { hourly: HOURLY, forecast_hours: String(hours) } : {}),
        }),
      );
      const forecast = parseForecast(await http.requestJson(url, call));
      if (forecast !== null) return forecast;
      throw new ProviderError('malformed', 'Open-Meteo sent an answer without current weather.');
    },
  };
}

function findReason(body: string): string | null {
  try {
    return asText(asRecord(JSON.parse(body))['reason']) || null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
