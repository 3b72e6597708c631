import { expect, test } from 'vitest';
import { createFile } from '../../server/tools/create-file.ts';
import { fetchWebPage } from '../../server/tools/fetch-web-page.ts';
import { forgetFact } from '../../server/tools/forget-fact.ts';
import type { Tool } from '../../server/tools/kit/define-tool.ts';
import { rememberFact } from '../../server/tools/remember-fact.ts';
import { requestToolActivation } from '../../server/tools/request-tool-activation.ts';
import { view } from '../../server/tools/view.ts';
import { weatherFetch } from '../../server/tools/weather-fetch.ts';
import { wikiLookup } from '../../server/tools/wiki-lookup.ts';

/** A parameter as `type=default (minimum..maximum)`, `?` for one that may be left out. */
function describeParameters(tool: Pick<Tool, 'parameters'>): Readonly<Record<string, string>> {
  const { properties, required } = JSON.parse(JSON.stringify(tool.parameters)) as {
    properties: Record<string, Record<string, unknown>>;
    required: string[];
  };
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type, minimum, maximum, ...rest }]) => {
      const mark = required.includes(name) ? '' : '?';
      const fallback = 'default' in rest ? `=${String(rest['default'])}` : '';
      const range = minimum === undefined ? '' : ` (${String(minimum)}..${String(maximum)})`;
      return [name, `${String(type)}${mark}${fallback}${range}`];
    }),
  );
}

test.each([
  [
    weatherFetch,
    {
      city: 'string?',
      forecast_days: 'integer?=0',
      forecast_hours: 'integer?=0 (0..48)',
      latitude: 'number?',
      longitude: 'number?',
    },
  ],
  [
    wikiLookup,
    {
      query: 'string',
      source: 'string?=wikipedia',
      language: 'string?=en',
      limit: 'integer?=3 (1..5)',
    },
  ],
  [
    view,
    {
      filename: 'string',
      max_chars: 'integer?=10000',
      head_lines: 'integer?',
      tail_lines: 'integer?',
      csv_preview: 'boolean?',
      csv_preview_rows: 'integer?=10',
      raw_text: 'boolean?=false',
    },
  ],
  [
    createFile,
    { filename: 'string', content: 'string?', csv_headers: 'array?', csv_rows: 'array?' },
  ],
  [
    fetchWebPage,
    {
      urls: 'array',
      mode: 'string?=text',
      query: 'string?',
      offset: 'integer?=0 (0..undefined)',
      max_characters: 'integer?=16000 (500..90000)',
      read_full: 'boolean?=false',
      freshness: 'string?=default',
    },
  ],
  [rememberFact, { fact: 'string' }],
  [forgetFact, { match: 'string' }],
  [requestToolActivation, { group: 'string', reason: 'string' }],
])('$name takes exactly the parameters that it is known for', (tool, expected) => {
  expect(describeParameters(tool as Pick<Tool, 'parameters'>)).toEqual(expected);
  expect(tool.parameters).toHaveProperty('additionalProperties', false);
});

test('all but the question for more tools are allowed by default', () => {
  const tools = [
    ...[weatherFetch, wikiLookup, view, createFile, fetchWebPage, rememberFact, forgetFact],
  ];

  expect(tools.filter(({ allowedByDefault }) => allowedByDefault !== true)).toEqual([]);
  expect(wikiLookup.group).toBe('Scientific Research');
});
