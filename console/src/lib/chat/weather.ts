/** The parts of a weather report that are drawn. */
export interface Weather {
  readonly place: { readonly name: string; readonly region: string; readonly country: string };
  readonly current: {
    readonly conditions: string | null;
    readonly temperature: number | null;
    readonly feels_like: number | null;
    readonly wind_speed: number | null;
    readonly precipitation: number | null;
  };
  readonly daily: readonly {
    readonly date: string;
    readonly conditions: string | null;
    readonly temperature_max: number | null;
    readonly temperature_min: number | null;
    readonly precipitation: number | null;
    readonly precipitation_probability: number | null;
  }[];
  readonly attribution: string;
  readonly attribution_url: string;
}

export const isWeather = (data: unknown): data is Weather =>
  typeof data === 'object' &&
  data !== null &&
  'current' in data &&
  'place' in data &&
  'daily' in data &&
  Array.isArray(data.daily);
