import { flag, optionalText, secret, url, type Setting } from './kinds.ts';

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
  parallelApiKey: {
    name: 'PARALLEL_API_KEY',
    kind: secret,
    about:
      'Key of Parallel: for web_search, and for the pages that fetch_web_page does not read itself.',
    forTools: true,
  },
  parallelBaseUrl: {
    name: 'PARALLEL_BASE_URL',
    kind: url('https://api.parallel.ai'),
    about: 'Address of Parallel.',
    forTools: true,
  },
  directWebFetchEnabled: {
    name: 'DIRECT_WEB_FETCH_ENABLED',
    kind: flag(false),
    about:
      'Whether fetch_web_page reads ordinary pages itself before it asks Parallel. Addresses of private networks are refused in any case.',
    forTools: true,
  },
} as const satisfies Record<string, Setting>;
