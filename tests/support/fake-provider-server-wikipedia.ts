import type { FakeAnswer, FakeProvider, FakeRequest } from './fake-provider-server.ts';

const page = (title: string, rest: Readonly<Record<string, unknown>>) => ({
  type: 'standard',
  title,
  displaytitle: `<span class="mw-page-title-main">${title}</span>`,
  lang: 'en',
  dir: 'ltr',
  ...rest,
});

const PAGES: Readonly<Record<string, unknown>> = {
  Harbour_seal: page('Harbour seal', {
    wikibase_item: 'Q99000001',
    timestamp: '2026-08-30T10:00:00Z',
    description: 'Species of seal',
    content_urls: { desktop: { page: 'https://en.wikipedia.org/wiki/Harbour_seal' } },
    extract: 'The harbour seal is a seal found along northern coasts.',
  }),
  Mercury: page('Mercury', {
    type: 'disambiguation',
    content_urls: { desktop: { page: 'https://en.wikipedia.org/wiki/Mercury' } },
    extract: 'Mercury most commonly refers to:',
  }),
  'Mercury_(planet)': page('Mercury (planet)', { extract: 'Mercury is the first planet.' }),
  'Mercury/Draft': page('Mercury/Draft', { type: 'no-extract', extract: '' }),
};

const REDIRECTS: Readonly<Record<string, string>> = {
  Common_seal: 'Harbour_seal',
  Circle: 'Circle',
  Elsewhere: 'http://127.0.0.1:9/elsewhere',
};

const SEARCHABLE = [
  'Harbour seal',
  'Common seal',
  'Mercury',
  'Mercury (planet)',
  'Mercury/Draft',
  'Mercury lost',
];

/** A name, a version and a contact, as Wikimedia's policy asks. */
const hasContact = (userAgent: string): boolean =>
  /^\S+\/\S+ \(.*(@|https?:\/\/).*\)/.test(userAgent);

export const refuseWithoutContact = ({ userAgent }: FakeRequest): FakeAnswer | null =>
  hasContact(userAgent)
    ? null
    : {
        status: 403,
        body: 'Please set a user-agent and respect our robot policy https://w.wiki/4wJS. See also T400119.',
      };

export const answerWikipedia: FakeProvider = (request) => {
  const refusal = refuseWithoutContact(request);
  if (refusal !== null) return refusal;
  const [, , language = '', ...rest] = request.path.split('/');
  if (!['en', 'de', 'simple'].includes(language)) {
    return { status: 404, body: '<html><body>No wiki found</body></html>' };
  }
  if (rest.join('/') === 'w/api.php') return search(request);
  const title = decodeURIComponent(rest.at(-1) ?? '');
  return summary(title, request.path);
};

function search({ query }: FakeRequest): FakeAnswer {
  if (query.get('meta') === 'siteinfo') return { body: { batchcomplete: true, query: {} } };
  const words = query.get('srsearch') ?? '';
  if (words === 'broken') {
    return {
      body: { error: { code: 'srsearch-error', info: 'The search is too busy.', docref: '' } },
    };
  }
  const found = SEARCHABLE.filter((title) => title.toLowerCase().includes(words.toLowerCase()));
  const limit = Number(query.get('srlimit'));
  return {
    body: {
      batchcomplete: true,
      query: {
        searchinfo: {
          totalhits: found.length,
          ...(words === 'harbor' ? { suggestion: 'harbour' } : {}),
        },
        search: found.slice(0, limit).map((title, index) => ({
          ns: 0,
          title,
          pageid: 1_200_000 + index,
          snippet: `<span class="searchmatch">${title}</span> &amp; its kin`,
        })),
      },
    },
  };
}

function summary(title: string, path: string): FakeAnswer {
  const found = PAGES[title];
  if (found !== undefined) return { body: found };
  const target = REDIRECTS[title];
  if (target === undefined) {
    return {
      status: 404,
      headers: { 'content-type': 'application/problem+json' },
      body: { status: 404, type: 'Internal error' },
    };
  }
  const location = target.startsWith('http') ? target : path.replace(/[^/]*$/, target);
  return { status: 302, headers: { location }, body: '' };
}
