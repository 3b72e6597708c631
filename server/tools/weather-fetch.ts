import { describePlace, type Place } from '../providers/open-meteo-places.ts';
import { createOpenMeteo, type OpenMeteo } from '../providers/open-meteo.ts';
import { defineTool, type ToolContext } from './kit/define-tool.ts';
import { decimal, integer, object, optional, text } from './kit/parameters.ts';
import { failed, noop, ok, type ToolResult } from './kit/tool-result.ts';
import { failedByProvider } from './outcomes/provider-failure.ts';
import { createWeatherReport } from './weather/weather-report.ts';

const MAX_DAYS = 15;
const OTHER_PLACES = 4;
/** Open-Meteo serves about one request at a time to an address that has no contract. */
const PACE_MS = 150;

export const weatherFetch = defineTool({
  name: 'weather_fetch',
  description:
    'Current weather of a place, and on request a daily forecast from tomorrow on (up to 15 days) and an hourly one from now on (up to 48 hours) with the probability of precipitation. Needs a city or both coordinates.',
  allowedByDefault: true,
  timeoutMs: 30_000,
  parameters: object({
    city: optional(
      text({
        description:
          "Name of the city, with country or region where it is ambiguous: 'London', 'Springfield, Illinois'. Wins over coordinates.",
      }),
    ),
    forecast_days: integer({
      description: 'Days to forecast, starting tomorrow: 0 for none, at most 15.',
      default: 0,
    }),
    forecast_hours: integer({
      description: 'Hours to forecast, starting with the current local hour.',
      default: 0,
      minimum: 0,
      maximum: 48,
    }),
    latitude: optional(decimal({ description: 'Degrees north; goes with longitude.' })),
    longitude: optional(decimal({ description: 'Degrees east; goes with latitude.' })),
  }),

  async execute(input, context) {
    const city = input.city?.trim() ?? '';
    const problem = city === '' ? findCoordinateProblem(input.latitude, input.longitude) : null;
    if (problem !== null) return failed('INVALID_ARGUMENTS', problem);
    const days = Math.min(Math.max(input.forecast_days, 0), MAX_DAYS);
    try {
      return await report({ ...input, city, days, hours: input.forecast_hours }, context);
    } catch (error) {
      return failedByProvider(error);
    }
  },
});

interface WeatherQuestion {
  readonly city: string;
  readonly latitude?: number;
  readonly longitude?: number;
  readonly days: number;
  readonly hours: number;
}

async function report(question: WeatherQuestion, context: ToolContext): Promise<ToolResult> {
  const openMeteo = createOpenMeteo(context.settings);
  const found =
    question.city === ''
      ? placeAt(question.latitude ?? 0, question.longitude ?? 0)
      : await findCity(openMeteo, question.city, context);
  if (found === null) {
    return noop(
      `No place called "${question.city}" was found. Try its English name, a larger place nearby, or coordinates.`,
    );
  }
  await context.pace('open-meteo', PACE_MS);
  const { latitude, longitude } = found.place;
  // Days are counted from today, but the report begins tomorrow.
  const days = question.days === 0 ? 0 : question.days + 1;
  const { hours } = question;
  const forecast = await openMeteo.forecast({ latitude, longitude, days, hours }, context);
  return ok(createWeatherReport(forecast, found, { days: question.days, hours }));
}

interface FoundPlace {
  readonly place: Place;
  readonly otherPlaces: readonly string[];
  readonly note: string | null;
}

async function findCity(
  openMeteo: OpenMeteo,
  city: string,
  context: ToolContext,
): Promise<FoundPlace | null> {
  await context.pace('open-meteo', PACE_MS);
  const { places, isExact } = await openMeteo.findPlaces(city, context);
  const [place, ...others] = places;
  if (place === undefined) return null;
  const names = new Set(others.map(describePlace));
  names.delete(describePlace(place));
  return {
    place,
    otherPlaces: [...names].slice(0, OTHER_PLACES),
    note: isExact
      ? null
      : `No place is called exactly "${city}"; this is the weather of ${describePlace(place)}.`,
  };
}

const placeAt = (latitude: number, longitude: number): FoundPlace => ({
  place: {
    name: `${formatDegrees(latitude, 'N', 'S')}, ${formatDegrees(longitude, 'E', 'W')}`,
    region: '',
    country: '',
    countryCode: '',
    latitude,
    longitude,
  },
  otherPlaces: [],
  note: null,
});

const formatDegrees = (value: number, positive: string, negative: string): string =>
  `${Math.abs(value)}° ${value < 0 ? negative : positive}`;

function findCoordinateProblem(latitude?: number, longitude?: number): string | null {
  if (latitude === undefined || longitude === undefined) {
    return 'A place is missing: give city, or latitude and longitude together.';
  }
  if (Math.abs(latitude) > 90) return `latitude is ${latitude}, but must be from -90 to 90.`;
  if (Math.abs(longitude) > 180) return `longitude is ${longitude}, but must be from -180 to 180.`;
  return null;
}
