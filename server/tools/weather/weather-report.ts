import {
  type Forecast,
  formatUtcOffset,
  type WeatherRow,
} from '../../providers/open-meteo-forecast.ts';
import type { Place } from '../../providers/open-meteo-places.ts';
import { describeWeatherCode } from '../../providers/wmo-weather-codes.ts';

export interface WeatherReport {
  readonly place: {
    readonly name: string;
    readonly region: string;
    readonly country: string;
    readonly latitude: number;
    readonly longitude: number;
    readonly elevation: number | null;
  };
  /** Other places of the same name, as a person writes them. */
  readonly other_places: readonly string[];
  /** Whole sentences about what the reader should know. */
  readonly notes: readonly string[];
  readonly timezone: string;
  readonly timezone_abbreviation: string;
  /** Such as `+02:00`; every time carries it. */
  readonly utc_offset: string;
  readonly units: typeof UNITS;
  readonly current: CurrentWeather;
  readonly hourly: readonly HourlyWeather[];
  readonly daily: readonly DailyWeather[];
  readonly attribution: string;
  readonly attribution_url: string;
}

/** A value that is not known is null. */
interface Conditions {
  /** Words for `weather_code`. */
  readonly conditions: string | null;
  /** WMO code. */
  readonly weather_code: number | null;
}

interface Moment extends Conditions {
  readonly time: string;
  readonly temperature: number | null;
  readonly feels_like: number | null;
  readonly humidity: number | null;
  readonly precipitation: number | null;
  readonly wind_speed: number | null;
  readonly wind_direction: number | null;
  readonly wind_gusts: number | null;
}

export interface CurrentWeather extends Moment {
  readonly is_day: boolean | null;
  readonly cloud_cover: number | null;
  readonly pressure: number | null;
}

export interface HourlyWeather extends Moment {
  readonly precipitation_probability: number | null;
}

export interface DailyWeather extends Conditions {
  /** Local date. */
  readonly date: string;
  readonly temperature_max: number | null;
  readonly temperature_min: number | null;
  readonly feels_like_max: number | null;
  readonly feels_like_min: number | null;
  readonly precipitation: number | null;
  readonly precipitation_probability: number | null;
  readonly wind_speed: number | null;
  readonly wind_direction: number | null;
  readonly wind_gusts: number | null;
  readonly sunrise: string | null;
  readonly sunset: string | null;
  readonly uv_index: number | null;
}

const UNITS = {
  temperature: '°C',
  humidity: '%',
  precipitation: 'mm',
  precipitation_probability: '%',
  wind_speed: 'km/h',
  wind_direction: '°',
  cloud_cover: '%',
  pressure: 'hPa',
  elevation: 'm',
} as const;

const HOURLY_NOTE =
  'In hourly, precipitation, its probability and wind gusts are of the hour before each time.';

/** What the tool answers: `days` days from tomorrow on, `hours` hours from the current one on. */
export function createWeatherReport(
  forecast: Forecast,
  found: {
    readonly place: Place;
    readonly otherPlaces: readonly string[];
    readonly note: string | null;
  },
  { days, hours }: { readonly days: number; readonly hours: number },
): WeatherReport {
  const { place } = found;
  const offset = formatUtcOffset(forecast.utcOffsetSeconds);
  const now = forecast.current.time;
  const today = now.slice(0, 10);
  // Compared, not counted: around midnight the first day may be yesterday, or tomorrow already.
  const daily = forecast.daily.filter(({ time }) => time > today).slice(0, days);
  const currentHour = `${now.slice(0, 13)}:00`;
  const hourly = forecast.hourly.filter(({ time }) => time >= currentHour).slice(0, hours);
  return {
    place: {
      name: place.name,
      region: place.region,
      country: place.country,
      latitude: place.latitude,
      longitude: place.longitude,
      elevation: forecast.elevationMetres,
    },
    other_places: found.otherPlaces,
    notes: [found.note, hourly.length > 0 ? HOURLY_NOTE : null].filter((note) => note !== null),
    timezone: forecast.timezone,
    timezone_abbreviation: forecast.timezoneAbbreviation,
    utc_offset: offset,
    units: UNITS,
    current: currentOf(forecast.current, offset),
    hourly: hourly.map((row) => ({
      ...momentOf(row, offset),
      precipitation_probability: row.number('precipitation_probability'),
    })),
    daily: daily.map((row) => dayOf(row, offset)),
    attribution: 'Weather data by Open-Meteo.com',
    attribution_url: 'https://open-meteo.com/',
  };
}

const conditionsOf = (row: WeatherRow): Conditions => ({
  conditions: describeWeatherCode(row.number('weather_code')),
  weather_code: row.number('weather_code'),
});

const momentOf = (row: WeatherRow, offset: string): Moment => ({
  time: `${row.time}${offset}`,
  ...conditionsOf(row),
  temperature: row.number('temperature_2m'),
  feels_like: row.number('apparent_temperature'),
  humidity: row.number('relative_humidity_2m'),
  precipitation: row.number('precipitation'),
  wind_speed: row.number('wind_speed_10m'),
  wind_direction: row.number('wind_direction_10m'),
  wind_gusts: row.number('wind_gusts_10m'),
});

function currentOf(row: WeatherRow, offset: string): CurrentWeather {
  const isDay = row.number('is_day');
  return {
    ...momentOf(row, offset),
    is_day: isDay === null ? null : isDay === 1,
    cloud_cover: row.number('cloud_cover'),
    pressure: row.number('pressure_msl'),
  };
}

function dayOf(row: WeatherRow, offset: string): DailyWeather {
  const timeOf = (variable: string): string | null => {
    const time = row.text(variable);
    return time === '' ? null : `${time}${offset}`;
  };
  return {
    date: row.time,
    ...conditionsOf(row),
    temperature_max: row.number('temperature_2m_max'),
    temperature_min: row.number('temperature_2m_min'),
    feels_like_max: row.number('apparent_temperature_max'),
    feels_like_min: row.number('apparent_temperature_min'),
    precipitation: row.number('precipitation_sum'),
    precipitation_probability: row.number('precipitation_probability_max'),
    wind_speed: row.number('wind_speed_10m_max'),
    wind_direction: row.number('wind_direction_10m_dominant'),
    wind_gusts: row.number('wind_gusts_10m_max'),
    sunrise: timeOf('sunrise'),
    sunset: timeOf('sunset'),
    uv_index: row.number('uv_index_max'),
  };
}
