// What hostile questions learn. Two services have the same latest three records, and older ones of which nothing is the same but
// their ids: whatever the public asks with filters, facets, views and conditions, both answer alike. And of an open register
// everybody learns what a key shows.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import { uuidsIn } from '../../src/register/uuid.ts';
import { BASE_URL, type World, world } from '../world.ts';
import { at, say } from '../contracts/store-register.ts';
import { tries } from '../effort.ts';

const RUNS = tries(150, 7500);

const definition = (id: string): ReturnType<typeof defineRegister> =>
  defineRegister({
    ...{ id, title: 'Sites', created_at: at(0), uuid: uuidsIn('2ed6657d-e927-568b-95e1-2665a8aea6a2')(id) },
    fields: [
      { name: 'country', type: 'text', filterable: true },
      { name: 'area', type: 'number', filterable: true },
      { name: 'inspected', type: 'date', filterable: true },
      { name: 'remark', type: 'text' },
    ],
  });

/** What older records say in one service and in the other; the latest say the third. */
const WORLDS = [
  { type: 'draft', facility: 'F-1', country: 'NL', area: 10, day: '2026-01-05', word: 'asbestos' },
  { type: 'ended', facility: 'F-2', country: 'BE', area: 2000, day: '2025-11-30', word: 'mercury' },
  { type: 'adopted', facility: 'F-3', country: 'DE', area: 300, day: '2026-03-01', word: 'benzene' },
] as const;

const COUNT = 12;

function recordAt(
  index: number,
  { type, facility, country, area, day, word }: (typeof WORLDS)[number],
  id: string,
): ReturnType<typeof say> {
  const said = { title: `About ${word}`, summary: `${word} ${index}`, content: `More ${word}`, author: word };
  const values = { document_type: type, facility_id: facility, published_at: day, observed_at: `${day}T08:00:00Z` };
  return say(String(index), { ...said, ...values, data: { country, area, inspected: day, remark: word } }, id);
}

async function serviceOf(which: 0 | 1): Promise<World> {
  const service = await world({ records: 0 });
  for (const id of ['sites', 'open']) {
    await service.store.createRegister(id === 'open' ? { ...definition(id), access: 'open' } : definition(id));
    const records = Array.from({ length: COUNT }, (_, index) =>
      recordAt(index + 1, index < COUNT - 3 ? WORLDS[which] : WORLDS[2], id),
    );
    await service.store.apply(id, records, { recordedAt: at(1) });
  }
  return service;
}

const services = [await serviceOf(0), await serviceOf(1)] as const;

const pick = (take: (world: (typeof WORLDS)[number]) => string | number): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...WORLDS.map((world) => String(take(world)))) },
    { weight: 1, arbitrary: fc.constantFrom('', 'x', '0', '-1', '*') },
  );
const days = pick(({ day }) => day);
const one = (name: string, values: fc.Arbitrary<string>): fc.Arbitrary<readonly [string, string]> =>
  values.map((value) => [name, value] as const);

const parameters = fc.array(
  fc.oneof(
    one(
      'document_type',
      pick(({ type }) => type),
    ),
    one(
      'facility_id',
      pick(({ facility }) => facility),
    ),
    one('key', fc.constantFrom('1', '5', '9', '10', '12', '13')),
    ...['published', 'observed', 'updated'].flatMap((event) =>
      ['since', 'until'].map((test) => one(`${event}_${test}`, days)),
    ),
    one(
      'q',
      pick(({ word }) => word),
    ),
    one(
      'q',
      pick(({ word }) => `-${word}`),
    ),
    one(
      'q',
      pick(({ word }) => `${word.slice(0, 3)}*`),
    ),
    one(
      'data.country',
      pick(({ country }) => country),
    ),
    one(
      'data.area_min',
      pick(({ area }) => area),
    ),
    one(
      'data.area_max',
      pick(({ area }) => area),
    ),
    one('data.inspected_since', days),
    one(
      'data.remark',
      pick(({ word }) => word),
    ),
    one(
      'field',
      fc.constantFrom('document_type', 'data.country,data.area', 'data.remark', 'data.inspected,facility_id'),
    ),
    one('limit', fc.constantFrom('1', '2', '3', '4', '100')),
    one('offset', fc.constantFrom('0', '1', '2', '3', '11')),
    one('as_of', fc.constantFrom('1', '11', '12', '13')),
    one('since', fc.constantFrom('0', '3')),
  ),
  { maxLength: 3 },
);

interface Question {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

const questions = (feedId: string): fc.Arbitrary<Question> =>
  fc.record({
    path: fc
      .tuple(
        fc.constantFrom(
          ...['/records', '/records', '/records', '/facets', '/facets', '', '/changes', '/records/export.csv'],
          ...['/records/export.atom', '/register.xsd'],
        ),
        parameters,
      )
      .map(([rest, given]) => `/feeds/${feedId}${rest}?${new URLSearchParams(given as [string, string][]).toString()}`),
    headers: fc.constantFrom<Question['headers'][]>(
      {},
      {},
      {},
      { 'If-None-Match': '*' },
      { 'If-Match': '"x"' },
      {
        'If-Modified-Since': 'Fri, 20 Nov 2037 12:00:00 GMT',
      },
    ),
  });

/** What is asked of pages for people. Their addresses are not below those of the API. */
const pageQuestions: fc.Arbitrary<Question> = fc.record({
  path: fc
    .tuple(
      fc.constantFrom(
        ...['/feeds/sites', '/feeds/sites', '/feeds/sites', '/', '/', '/sitemaps/pages.xml', '/sitemaps/sites.1.xml'],
        ...['/sitemap.xml', '/opml', '/guide', '/records/sites:12', '/records/sites:12/', '/records/sites:99'],
      ),
      parameters,
    )
    .map(([path, given]) => `${BASE_URL}${path}?${new URLSearchParams(given as [string, string][]).toString()}`),
  headers: fc.constantFrom<Question['headers'][]>(
    { accept: 'text/html' },
    { accept: 'text/html', 'accept-language': 'de' },
    { 'if-none-match': '*' },
  ),
});

/** All of an answer but its tag, which names the state of the register, and what is each request's own. */
async function answer(service: World, { path, headers }: Question, key?: string): Promise<readonly unknown[]> {
  const response = path.startsWith(BASE_URL)
    ? await service.fetch(new Request(path, { headers }))
    : await service.get(path, { headers, ...(key === undefined ? {} : { key }) });
  const own = new Set(['etag', 'x-request-id', ...(key === undefined ? [] : ['cache-control'])]);
  let body = Buffer.from(await response.arrayBuffer()).toString('latin1');
  // A search through all registers finds in the open one what there is.
  const isSearch = path.startsWith(`${BASE_URL}/?`);
  if (isSearch) body = body.match(/\/records\/sites:[^"]*/g)?.join() ?? '';
  return [
    response.status,
    body.replace(/"request_id":"[^"]*"|<code>[0-9a-f-]{36}<\/code>/, ''),
    [...response.headers].filter(([name]) => !own.has(name) && !(isSearch && name === 'content-length')),
  ];
}

async function tagOf(service: World, path: string): Promise<string | null> {
  const isPage = path.startsWith(BASE_URL);
  const response = await (isPage ? service.fetch(new Request(path)) : service.get(path));
  return response.headers.get('etag');
}

/** For each tag the first answer that has it: which answers have the same. */
const sameAs = (tags: readonly (string | null)[]): readonly number[] => tags.map((tag) => tags.indexOf(tag));

describe('the public', () => {
  it(`learns nothing of older records from any answer, nor from which tags are the same (${RUNS})`, async () => {
    const statuses = new Set<unknown>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(questions('sites'), pageQuestions), { minLength: 1, maxLength: 6 }),
        async (asked) => {
          for (const question of asked) {
            const [here, there] = await Promise.all(services.map((service) => answer(service, question)));
            statuses.add(here![0]);
            expect([question, there]).toEqual([question, here]);
          }
          const [here, there] = await Promise.all(
            services.map(async (service) => Promise.all(asked.map(async ({ path }) => tagOf(service, path)))),
          );
          expect(sameAs(there!)).toEqual(sameAs(here!));
        },
      ),
      { numRuns: RUNS },
    );
    expect([...statuses]).toEqual(expect.arrayContaining([200, 304, 400, 401]));
  });
});

describe('an open register', () => {
  it(`answers everybody as it answers a key, but for what caches may do (${RUNS})`, async () => {
    const [service] = services;
    await fc.assert(
      fc.asyncProperty(questions('open'), async (question) => {
        const [, ...shown] = await answer(service, question, service.key);
        const open = await answer(service, question);
        expect([question, open[1]]).toEqual([question, shown[0]]);
        expect(open[0]).not.toBe(401);
      }),
      { numRuns: RUNS },
    );
  });
});
