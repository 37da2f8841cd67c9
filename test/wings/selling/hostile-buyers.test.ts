// What a buyer's hostile questions learn. Two services have records that look the same in previews and say other things
// inside; one record is bought. Whatever a key with credit asks by search, filters, facets, values and tools, both services
// answer alike, lengths and refusals included.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineRegister } from '../../../src/register/definition.ts';
import { uuidsIn } from '../../../src/register/uuid.ts';
import { BASE_URL } from '../../world.ts';
import { at, say } from '../../contracts/store-register.ts';
import { tries } from '../../effort.ts';
import { post, rpc } from '../../mcp/agent.ts';
import { Browser } from '../../pages/account/browser.ts';
import { openShop, type Shop, signedIn } from './shop.ts';

const RUNS = tries(120, 6000);
const COUNT = 12;

const definition = defineRegister({
  ...{ id: 'sites', title: 'Sites', created_at: at(0), uuid: uuidsIn('2ed6657d-e927-568b-95e1-2665a8aea6a2')('sites') },
  prices: { currency: 'EUR', per_record: 200 },
  fields: [
    { name: 'country', type: 'text', filterable: true },
    { name: 'area', type: 'number', filterable: true },
    { name: 'remark', type: 'text' },
  ],
});

/** What records say inside: those that are not bought in one service and in the other, and the others in both. */
const WORLDS = [
  { facility: 'F-1', country: 'NL', area: 10, word: 'asbestos' },
  { facility: 'F-2', country: 'BE', area: 2000, word: 'mercury and lead' },
  { facility: 'F-3', country: 'DE', area: 300, word: 'benzene' },
] as const;

/** The number of the record that is bought. */
const BOUGHT = 4;

function recordAt(index: number, { facility, country, area, word }: (typeof WORLDS)[number]): ReturnType<typeof say> {
  const shown = {
    title: `Site ${index}`,
    document_type: index % 2 === 0 ? 'adopted' : 'draft',
    published_at: `2026-01-${10 + index}`,
  };
  // The preview ends within it.
  const summary = `${'Summary of the site. '.repeat(14)}${word}`;
  const hidden = { content: `Found: ${word}`, author: word, facility_id: facility };
  return say(String(index), { ...shown, ...hidden, summary, data: { country, area, remark: word } }, 'sites');
}

async function shopOf(which: 0 | 1): Promise<Shop> {
  const shop = await openShop({ records: 0 });
  await shop.store.createRegister(definition);
  const isSame = (index: number): boolean => index === BOUGHT || index > COUNT - 3;
  const records = Array.from({ length: COUNT }, (_, at) =>
    recordAt(at + 1, isSame(at + 1) ? WORLDS[2] : WORLDS[which]),
  );
  await shop.store.apply('sites', records, { recordedAt: at(1) });
  expect((await shop.get(`/records/sites:${BOUGHT}/full`, { key: shop.spender })).status).toBe(200);
  return shop;
}

const shops = [await shopOf(0), await shopOf(1)] as const;

const all = <T>(take: (world: (typeof WORLDS)[number]) => T): readonly T[] => WORLDS.map(take);
const words = fc.constantFrom(
  ...all(({ word }) => word),
  ...all(({ word }) => `"${word}"`),
  ...all(({ word }) => `-${word}`),
  ...all(({ word }) => `${word.slice(0, 3)}*`),
  ...['site', 'site 4', '"summary of"', 'lead', '-lead', '"and lead"', 'found', 'summary -found', 'adopted', 'sit*'],
);
const conditions: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  fc.tuple(fc.constant('q'), words),
  fc.tuple(fc.constant('facility_id'), fc.constantFrom(...all(({ facility }) => facility))),
  fc.tuple(fc.constant('data.country'), fc.constantFrom(...all(({ country }) => country))),
  fc.tuple(fc.constantFrom('data.area_min', 'data.area_max', 'data.area'), fc.constantFrom('10', '300', '2000')),
  fc.tuple(fc.constant('document_type'), fc.constantFrom('adopted', 'draft', 'none')),
  fc.tuple(fc.constant('key'), fc.constantFrom('1', '4', '9', '12', '13')),
  fc.tuple(
    fc.constantFrom('published_since', 'observed_until', 'updated_since'),
    fc.constantFrom('2026-01-15', '2027-01-01'),
  ),
);
const ranges: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  fc.tuple(fc.constant('limit'), fc.constantFrom('1', '2', '5', '100')),
  fc.tuple(fc.constant('offset'), fc.constantFrom('0', '1', '5', '11')),
  fc.tuple(fc.constant('as_of'), fc.constantFrom('3', '12', '13')),
  fc.tuple(fc.constant('fields'), fc.constantFrom('title', 'content', 'data', 'title,facility_id', 'updated_at')),
  fc.tuple(fc.constant('field'), fc.constantFrom('document_type', 'data.country', 'facility_id')),
);
const paths = fc
  .tuple(
    fc.constantFrom(
      ...['/feeds/sites/records', '/feeds/sites/records', '/feeds/sites/facets', '/feeds/sites/changes'],
      ...['/feeds/sites/records/export.csv', '/records/sites:1', '/records/sites:4', '/records/sites:1/full'],
    ),
    fc.uniqueArray(fc.oneof(conditions, ranges), { maxLength: 3, selector: ([name]) => name }),
  )
  .map(([path, given]) => {
    const query = path.startsWith('/records/') ? '' : new URLSearchParams(given as [string, string][]).toString();
    return query === '' ? path : `${path}?${query}`;
  });

const own = fc.record(
  { country: fc.constantFrom('NL', 'BE', 'DE'), area_min: fc.constantFrom(10, 2000) },
  { requiredKeys: [] },
);
const filters = {
  q: words,
  facility_id: fc.constantFrom('F-1', 'F-2', 'F-3'),
  data: own,
  key: fc.constantFrom('1', '4'),
};
const tools = fc.oneof(
  fc.tuple(
    fc.constant('read_register'),
    fc.record(
      {
        feed_id: fc.constant('sites'),
        limit: fc.constantFrom(1, 4, 100),
        ...filters,
        fields: fc.constantFrom(['content'], ['title']),
      },
      { requiredKeys: ['feed_id'] },
    ),
  ),
  fc.tuple(
    fc.constant('search'),
    fc.record({ query: words, feed_id: fc.constant('sites') }, { requiredKeys: ['query'] }),
  ),
  fc.tuple(
    fc.constant('ask_register'),
    fc.record(
      {
        feed_id: fc.constant('sites'),
        ...filters,
        by: fc.constantFrom(['document_type'], ['data.country']),
      },
      { requiredKeys: ['feed_id'] },
    ),
  ),
  fc.tuple(
    fc.constantFrom('read_record', 'fetch', 'record_history'),
    fc.record({ record_id: fc.constantFrom('sites:1', 'sites:4', '5', 'sites:99') }),
  ),
);

/** The body and what else says something, without what is each request's own. */
async function answer(shop: Shop, path: string): Promise<readonly unknown[]> {
  const response = await shop.get(path, { key: shop.asker });
  const text = (await response.text()).replace(/"request_id":"[^"]*"/, '');
  const { headers, status } = response;
  // The tag of a record names the state of its register, which differs; that of a list is its bytes'.
  return [
    status,
    text,
    headers.get('link'),
    headers.get('content-length'),
    path.startsWith('/feeds') ? headers.get('etag') : null,
  ];
}

/** What is asked of pages for people. */
const pages = fc
  .tuple(
    fc.constantFrom(
      ...[
        '/feeds/sites',
        '/feeds/sites',
        '/feeds/sites',
        '/',
        '/records/sites:1',
        '/records/sites:4',
        '/records/sites:12',
      ],
      ...['/sitemaps/sites.1.xml', '/account/ledger'],
    ),
    fc.uniqueArray(fc.oneof(conditions, ranges), { maxLength: 3, selector: ([name]) => name }),
  )
  .map(([path, given]) => {
    const query = /^\/(?:feeds|$)/.test(path) ? `?${new URLSearchParams(given as [string, string][]).toString()}` : '';
    return `${BASE_URL}${path}${query}`;
  });

/** A page without the tokens of its forms, the number of the request, and the times of purchases. */
async function pageRead(reader: Browser, path: string): Promise<{ readonly html: string }> {
  const { status, html, headers } = await reader.open(path);
  const said = html
    .replace(/(name="(?:token|once)" value=")[^"]*/g, '$1')
    .replace(/<code>[0-9a-f-]{36}<\/code>/g, '')
    .replace(/<time[^>]*>[^<]*<\/time>/g, path.endsWith('/ledger') ? '' : '$&');
  const heads = ['content-length', 'location', 'cache-control', 'link', 'vary'].map((name) => headers.get(name));
  return { html: said, ...{ status, heads } };
}

/** A cursor names the log of its register, which every store draws at random. */
const withoutCursors = (text: string): string => text.replace(/(cursor\\?":\\?")[^"\\]*/g, '$1');

describe('a key with credit', () => {
  it(`learns nothing of what it did not buy, over HTTP (${RUNS})`, async () => {
    const statuses = new Set<unknown>();
    await fc.assert(
      fc.asyncProperty(paths, async (path) => {
        const [one, other] = await Promise.all(shops.map((shop) => answer(shop, path)));
        expect(other).toEqual(one);
        statuses.add(one![0]);
      }),
      { numRuns: RUNS },
    );
    expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 402, 403]));
  });

  it(`learns nothing of it through the agents' tools (${RUNS})`, async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(tools, async ([name, args]) => {
        const body = rpc('tools/call', { name, arguments: args });
        const [one, other] = await Promise.all(
          shops.map((shop) => post(shop, body, { authorization: `Bearer ${shop.asker}` })),
        );
        expect(withoutCursors(other!.text)).toBe(withoutCursors(one!.text));
        if (/\\nsites:\d+\\t/.test(one!.text)) found++;
      }),
      // One whose answer has records is always asked.
      { numRuns: RUNS, examples: [[['read_register', { feed_id: 'sites' }]]] },
    );
    expect(found).toBeGreaterThan(0);
  });

  it(`its owner, signed in, learns nothing of it from pages, and a stranger no more (${RUNS})`, async () => {
    const strangers = shops.map((shop) => new Browser((request) => shop.fetch(request)));
    const owners = await Promise.all(shops.map(async (shop) => signedIn(shop)));
    await fc.assert(
      fc.asyncProperty(pages, fc.boolean(), async (path, isOwner) => {
        const readers = isOwner ? owners : strangers;
        const [one, other] = await Promise.all(readers.map(async (reader) => pageRead(reader, path)));
        expect([path, other]).toEqual([path, one]);
      }),
      { numRuns: RUNS },
    );
    // An owner sees previews of all records there, and what was bought.
    expect((await pageRead(owners[0]!, `${BASE_URL}/feeds/sites`)).html).toContain('href="/records/sites:5"');
    expect((await pageRead(owners[0]!, `${BASE_URL}/records/sites:${BOUGHT}`)).html).toContain('Found: benzene');
  });

  it('finds by what it bought, and by what previews show', async () => {
    const [shop] = shops;
    const idsOf = async (query: string): Promise<readonly string[]> =>
      (await shop.list(`/feeds/sites/records?${query}`, { key: shop.asker })).records.map(({ id }) => id);
    const latest = [12, 11, 10].map((index) => `sites:${index}`);
    expect(await idsOf('q=benzene')).toEqual([...latest, `sites:${BOUGHT}`]);
    expect(await idsOf('facility_id=F-3')).toEqual([...latest, `sites:${BOUGHT}`]);
    expect(await idsOf('data.country=NL')).toEqual([]);
    expect(await idsOf('q=asbestos')).toEqual([]);
    expect(await idsOf('q=site')).toHaveLength(COUNT);
    expect(await idsOf('document_type=draft&limit=2')).toEqual(['sites:11', 'sites:9']);
  });

  it('walks through all previews that match, each once', async () => {
    const [shop] = shops;
    const seen: string[] = [];
    let path: string | null = '/feeds/sites/records?q=summary&limit=2';
    while (path !== null) {
      const response = await shop.get(path, { key: shop.asker });
      const { records } = (await response.json()) as { records: { id: string }[] };
      seen.push(...records.map(({ id }) => id));
      const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
      path = next === undefined ? null : next.slice(next.indexOf('/feeds'));
    }
    expect(seen).toEqual(Array.from({ length: COUNT }, (_, index) => `sites:${COUNT - index}`));
  });
});
