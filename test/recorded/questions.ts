// What is asked of the interface for programs, made of tables: routes by who asks, by their parameters, by formats, by
// conditions and by methods.
import type { Question } from './ask.ts';
import type { Keys } from './world.ts';

const API = '/api/v1';

/** The bodies of documents: one of each format, and names that are none. */
export const FORMATS = ['csv', 'xlsx', 'xml', 'rss', 'atom', 'ndjson', 'json', 'pdf'] as const;

const FEEDS = ['permits', 'notices', 'hostile', 'shop', 'minutes', 'void', 'none'] as const;

const FEED_PATHS = [
  '',
  '/records?limit=2',
  '/records/export.csv?limit=2',
  '/register.xsd',
  '/datapackage.json',
  '/changes?limit=3',
  '/stream',
  '/stream?offset=now&document_type=none',
  '/facets',
  '/pages/1',
] as const;

const RECORDS = [
  'permits:2025-0154',
  'permits:2025-0154/history',
  'permits:2025-0154/proof',
  'permits:none',
  'notices:PE-2026-0005',
  'notices:PE-2025~2F0031/history',
  'shop:1',
  'shop:3/history',
  'shop:5',
  'shop:5/history',
  'shop:13',
  'shop:14',
  'shop:14/history',
  'shop:1/full',
  'minutes:3',
  'minutes:3/history?statement=1',
  'minutes:3/proof',
  'minutes:13',
  'none:1',
  'nothing',
] as const;

const OTHER_PATHS = [
  '',
  '/',
  '/feeds',
  '/feeds/',
  '/openapi.json',
  '/reference',
  '/log',
  '/account',
  '/account/keys',
  '/nothing',
  '/mcp',
] as const;

const SITE = [
  '/healthz',
  '/readyz',
  '/metrics',
  '/robots.txt',
  '/sitemap.xml',
  '/sitemaps/1.xml',
  '/catalog.jsonld',
  '/opml',
  '/.well-known/gazette-log.json',
  '/favicon.ico',
  '/api',
  '/api/v2/feeds',
  '//feeds',
  '/api/v1/feeds/%2e%2e/account',
  '/api/v1/feeds/per%6Dits',
  '/api/v1/records/permits%3A2025-0154',
  '/api/v1/feeds/permits/records?limit=1&limit=2',
  '/api/v1/feeds/permits/records?%E0%A4%A',
] as const;

/** Who asks: the header fields, by a name. */
export function callers(keys: Keys): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const bearer = (key: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${key}` });
  const basic = (key: string): string => Buffer.from(`user:${key}`).toString('base64');
  return {
    nobody: {},
    ...Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, bearer(key)])),
    unknown: bearer('gz_00000000000000000000000000000000_000000'),
    malformed: bearer('secret'),
    empty: { authorization: 'Bearer' },
    digest: { authorization: 'Digest x' },
    basic: { authorization: `Basic ${basic(keys.pro!)}` },
  };
}

/** Every reading route for everybody. */
export function* reading(keys: Keys): Generator<Question> {
  const who = callers(keys);
  const paths = [
    ...OTHER_PATHS,
    ...FEEDS.flatMap((feed) => FEED_PATHS.map((path) => `/feeds/${feed}${path}`)),
    ...RECORDS.map((id) => `/records/${id}`),
  ];
  for (const path of paths)
    for (const note of ['nobody', 'pro', 'notices', 'credit']) yield { path: API + path, note, headers: who[note]! };
  for (const note of Object.keys(who))
    for (const path of ['/feeds/permits/records?limit=1', '/records/permits:2025-0154', '/account'])
      if (!['nobody', 'pro', 'notices', 'credit'].includes(note)) yield { path: API + path, note, headers: who[note]! };
  for (const path of SITE) for (const note of ['nobody', 'pro']) yield { path, note, headers: who[note]! };
  for (const name of ['key', 'api_key', 'access_token', 'token'])
    yield { path: `${API}/feeds/permits/records?${name}=${keys.pro!}`, note: 'nobody' };
}

const DATES = ['2025', '2025-06', '2025-06-01', '2025-06-01T10:00:00Z', '2025-13-01', 'yesterday', ''];
const NUMBERS = [
  '0',
  '1',
  '2',
  '100',
  '101',
  '-1',
  '1.5',
  '1e2',
  ' 1',
  '01',
  'x',
  '',
  '9007199254740991',
  '9007199254740992',
];
const TEXTS = ['adopted', 'x', '', 'a'.repeat(300), '%00', '%F0%9F%92%A9', '=1+1'];
const WORDS = [
  'water',
  'water permit',
  '"water permit"',
  'wat*',
  '-water',
  'water OR waste',
  'ü',
  '"',
  '*',
  'a'.repeat(300),
  '',
];

const VALUES: Readonly<Record<string, readonly string[]>> = {
  limit: NUMBERS,
  offset: NUMBERS,
  as_of: NUMBERS,
  at: [...DATES, '2026-05-01', '2026-05-01&as_of=3', '2026-05-01&q=water', '2999-01-01'],
  fields: [
    'id',
    'id,title',
    'title,id',
    'id,data.country',
    'data',
    'content',
    'none',
    'id,id',
    '',
    ',',
    'data.none',
    'feed_id',
  ],
  key: ['2025-0154', '22/01', ...TEXTS],
  document_type: ['adopted&document_type=draft', ...TEXTS],
  facility_id: ['F1', ...TEXTS],
  published_since: DATES,
  published_until: DATES,
  observed_since: DATES,
  observed_until: DATES,
  updated_since: DATES,
  updated_until: DATES,
  q: WORDS,
  data: ['x'],
  'data.country': ['NL', 'NL&data.country=DE', ''],
  'data.capacity': ['1000', '1000..2000', '..2000', '1000..', 'x'],
  'data.impact_assessment': ['true', 'false', '1'],
  'data.valid_until': ['2030-01-01', '2030..2031', 'x'],
  'data.none': ['1'],
  none: ['1'],
  Limit: ['1'],
};

const CHANGES: Readonly<Record<string, readonly string[]>> = {
  since: ['0', '1', '365', '391', '392', '100000', '-1', 'x', '', '00000000.5', 'abcdef12.'],
  statement: ['1', '0', 'true', ''],
  proof: ['1', '0', 'x'],
  limit: ['1', '100', '101', '0'],
  document_type: ['adopted'],
  'data.country': ['NL'],
  q: ['water'],
  none: ['1'],
};

/** Every parameter with values inside and outside its bounds. */
export function* parameters(keys: Keys): Generator<Question> {
  const { nobody, pro } = callers(keys);
  for (const [name, values] of Object.entries(VALUES))
    for (const value of values) {
      const query = `${name}=${encodeURI(value)}`;
      yield {
        path: `${API}/feeds/permits/records?${query}&limit=2`.replace('limit=2&limit=2', 'limit=2'),
        note: 'pro',
        headers: pro!,
      };
      yield { path: `${API}/feeds/permits/records/export.csv?${query}`, note: 'pro', headers: pro! };
      if (value === values[0])
        yield { path: `${API}/feeds/permits/records?${query}`, note: 'nobody', headers: nobody! };
    }
  for (const [name, values] of Object.entries(CHANGES))
    for (const value of values)
      for (const feed of ['permits', 'minutes'])
        yield { path: `${API}/feeds/${feed}/changes?${name}=${encodeURIComponent(value)}`, note: 'pro', headers: pro! };
  for (const feed of ['permits', 'shop'])
    for (const query of [
      'field=country',
      'field=data.country',
      'field=document_type',
      'field=none',
      'field=',
      'field=title',
      'field=document_type&field=facility_id',
      'document_type=adopted',
      'q=water',
      'limit=1',
      'by=document_type',
      'measure=max:published_at&by=published_at:year&order=key&top=2',
      'measure=avg:data.area&q=water',
      'measure=count&offset=3&as_of=9',
      'measure=sum:title',
      'by=document_type&field=document_type',
      'top=3',
    ])
      for (const [note, headers] of [
        ['pro', pro!],
        ['nobody', nobody!],
      ] as const)
        yield { path: `${API}/feeds/${feed}/facets?${query}`, note, headers };
  for (const value of NUMBERS) {
    yield { path: `${API}/feeds?limit=${encodeURIComponent(value)}` };
    yield { path: `${API}/feeds?offset=${encodeURIComponent(value)}` };
    yield { path: `${API}/records/shop:3/history?limit=${encodeURIComponent(value)}`, note: 'pro', headers: pro! };
    yield { path: `${API}/feeds/permits/pages/${encodeURIComponent(value)}`, note: 'pro', headers: pro! };
    yield { path: `${API}/records/minutes:3/proof?version=${encodeURIComponent(value)}`, note: 'pro', headers: pro! };
  }
  for (const value of DATES) yield { path: `${API}/feeds?updated_since=${encodeURIComponent(value)}` };
}

/** Every format of every register, whole, in part and as HEAD. */
export function* formats(keys: Keys): Generator<Question> {
  const { nobody, pro, credit } = callers(keys);
  for (const feed of ['permits', 'notices', 'hostile', 'shop', 'minutes', 'void'])
    for (const format of FORMATS) {
      const path = `${API}/feeds/${feed}/records/export.${format}`;
      yield { path, note: 'nobody', headers: nobody! };
      yield { path, note: 'pro', headers: pro! };
      if (feed === 'shop') yield { path, note: 'credit', headers: credit! };
      yield { path: `${path}?limit=3&offset=2`, note: 'pro', headers: pro! };
      yield { path: `${path}?document_type=adopted&fields=id,title,published_at`, note: 'pro', headers: pro! };
      yield { path, method: 'HEAD', note: 'pro', headers: pro! };
    }
  for (const coding of ['gzip', 'br', 'zstd', 'identity', 'gzip;q=0', '*', 'gzip, br;q=0.5', 'deflate'])
    for (const path of ['records', 'records/export.csv', 'records/export.xlsx', 'register.xsd'])
      yield { path: `${API}/feeds/permits/${path}`, note: 'pro', headers: { ...pro!, 'accept-encoding': coding } };
  for (const accept of ['text/html', 'text/csv', 'application/json', 'application/atom+xml', 'image/png', '*/*;q=0'])
    for (const path of ['/feeds/permits/records', '/feeds/permits', '/feeds', ''])
      yield { path: API + path, note: 'pro', headers: { ...pro!, accept } };
}

/** The routes that have validators or a body, or neither. */
export const ROUTES = [
  '/api/v1',
  '/api/v1/feeds',
  '/api/v1/feeds/permits',
  '/api/v1/feeds/permits/records?limit=2',
  '/api/v1/feeds/permits/records/export.atom?limit=2',
  '/api/v1/feeds/permits/records/export.xlsx?limit=2',
  '/api/v1/feeds/permits/register.xsd',
  '/api/v1/feeds/permits/changes?limit=2',
  '/api/v1/feeds/permits/facets',
  '/api/v1/feeds/permits/pages/1',
  '/api/v1/records/permits:2025-0154',
  '/api/v1/records/permits:2025-0154/history',
  '/api/v1/records/permits:2025-0154/proof',
  '/api/v1/records/shop:1/full',
  '/api/v1/records/shop:1/purchase',
  '/api/v1/openapi.json',
  '/api/v1/reference',
  '/api/v1/account',
  '/api/v1/account/keys',
  '/api/v1/mcp',
  '/api/v1/log',
  '/',
  '/permits',
  '/healthz',
  '/robots.txt',
] as const;

/** A route under each condition. @param etag its tag as it was answered @param lastModified its date */
export function* conditions(
  path: string,
  etag: string,
  lastModified: string,
  headers: Readonly<Record<string, string>>,
): Generator<Question> {
  const asked: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'its tag': { 'if-none-match': etag },
    'its tag, weak': { 'if-none-match': `W/${etag}` },
    'its tag, packed': { 'if-none-match': etag.replace(/"$/, '-gzip"') },
    'any tag': { 'if-none-match': '*' },
    'another tag': { 'if-none-match': '"x", W/"y"' },
    'a list of tags': { 'if-none-match': `"x", ${etag}` },
    'if it is this': { 'if-match': etag },
    'if it is this, weak': { 'if-match': `W/${etag}` },
    'if it is another': { 'if-match': '"x"' },
    'if there is any': { 'if-match': '*' },
    'its date': { 'if-modified-since': lastModified },
    'an old date': { 'if-modified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' },
    'a later date': { 'if-modified-since': 'Thu, 01 Jan 2037 00:00:00 GMT' },
    'no date': { 'if-modified-since': 'yesterday' },
    'unless it changed': { 'if-unmodified-since': lastModified },
    'unless it changed long ago': { 'if-unmodified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' },
    'a range': { range: 'bytes=0-9' },
  };
  for (const [note, condition] of Object.entries(asked)) {
    const named = Object.fromEntries(Object.keys(condition).map((name) => [name, condition[name]!]));
    yield { path, note, headers: { ...headers, ...named } };
  }
}

/** Every route by every method. */
export function* methods(keys: Keys): Generator<Question> {
  const { pro } = callers(keys);
  const json = { 'content-type': 'application/json' };
  for (const path of ROUTES) {
    for (const method of ['HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'PROPFIND'])
      yield { path, method, note: 'pro', headers: pro! };
    yield { path, method: 'POST', note: 'pro', headers: { ...pro!, ...json }, body: '{}' };
    for (const [asked, fields] of [
      ['GET', 'authorization'],
      ['POST', 'content-type, idempotency-key'],
      ['DELETE', 'x-other'],
    ] as const)
      yield {
        path,
        method: 'OPTIONS',
        headers: {
          origin: 'https://site.example',
          'access-control-request-method': asked,
          'access-control-request-headers': fields,
        },
      };
    yield { path, note: 'pro', headers: { ...pro!, origin: 'https://site.example' } };
  }
}
