import { optionalText, url, type Setting } from './kinds.ts';

/** The services that tools ask: addresses, keys and who is answerable. */
export const PROVIDER_SETTINGS = {
  operatorContact: {
    name: 'OPERATOR_CONTACT',
    kind: optionalText,
    about: 'E-mail or web address that Wikimedia, Crossref and PubMed are told as contact.',
    forTools: true,
  },
  openMeteoBaseUrl: {
    name: 'OPEN_METEO_BASE_URL',
    kind: url('https://api.open-meteo.com'),
    about: 'Forecast service of weather_fetch.',
    forTools: true,
  },
  openMeteoGeocodingBaseUrl: {
    name: 'OPEN_METEO_GEOCODING_BASE_URL',
    kind: url('https://geocoding-api.open-meteo.com'),
    about: 'Place search of weather_fetch.',
    forTools: true,
  },
  wikipediaBaseUrl: {
    name: 'WIKIPEDIA_BASE_URL',
    kind: url('https://{language}.wikipedia.org'),
    about: 'Wikipedia for wiki_lookup; `{language}` is replaced.',
    forTools: true,
  },
  wikidataBaseUrl: {
    name: 'WIKIDATA_BASE_URL',
    kind: url('https://www.wikidata.org'),
    about: 'Wikidata for wiki_lookup.',
    forTools: true,
  },
} as const satisfies Record<string, Setting>;
