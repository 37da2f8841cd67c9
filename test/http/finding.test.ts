// Finding over HTTP: the filters of the list, the exports, the facets and the changes. The public's window is wide here, so that
// the answers do not depend on the indexes of a store; what stores find has its own tests.
import { describe, expect, it } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import { BASE_URL, world, type ListBody } from '../world.ts';
import { at, permits, say } from '../contracts/store-register.ts';

const SITES = defineRegister({
  id: 'sites',
  title: 'Sites',
  created_at: at(0),
  uuid: '2ed6657d-e927-568b-95e1-2665a8aea6a2',
  fields: [
    { name: 'country', type: 'text', filterable: true },
    { name: 'area', type: 'number', filterable: true },
    { name: 'inspected', type: 'date', filterable: true },
    { name: 'remark', type: 'text' },
    { name: 'codes', type: 'json', filterable: true },
  ],
});

const site = (key: string, data: object, more: object = {}): ReturnType<typeof say> =>
  say(key, { title: `Site ${key}`, data: data as never, ...more }, 'sites');

const service = await world({ records: 0, tiers: { window: 50 } });
const { store } = service;
await store.createRegister(SITES);
const records = [
  site('1', { country: 'NL', area: 10, inspected: '2026-01-05' }, { document_type: 'draft' }),
  site('2', { country: 'BE', area: 100, inspected: '2026-02-05' }, { summary: 'Asbestos under the roof' }),
  site(
    '3',
    { country: 'DE', area: 1000, codes: ['CWE-22', 'Straße', 'CWE-22'] },
    { published_at: '2026-03-01', facility_id: 'FAC-9' },
  ),
  site(
    '4',
    { country: 'NL', area: 10_000, remark: 'asbestos, again', codes: ['cwe-22', 'CWE-79'] },
    { document_type: 'draft', published_at: null },
  ),
];
await store.apply('sites', records, { recordedAt: at(1) });

const LIST = '/feeds/sites/records';
const found = async (query: string): Promise<string[]> =>
  (await service.list(`${LIST}?${query}`)).records.map(({ key }) => key);

describe('the list', () => {
  it.each([
    ['document_type=draft', ['4', '1']],
    ['document_type=draft&document_type=adopted', ['4', '3', '2', '1']],
    ['key=2&key=4&key=none', ['4', '2']],
    ['published_since=2026-03-01&published_until=2026-03-02', ['3']],
    ['published_since=2026-03-01T00:00:00%2B01:00', ['3', '2', '1']],
    ['published_until=2026-03-01', []],
    ['data.country=NL', ['4', '1']],
    ['data.country=NL&data.country=BE', ['4', '2', '1']],
    ['data.country=nl&document_type=DRAFT', []],
    ['data.codes=Cwe-22', ['4', '3']],
    ['data.codes=CWE-79&data.codes=STRASSE', ['4', '3']],
    ['data.codes=CWE', []],
    ['q=cwe-79', ['4']],
    ['data.area_min=100&data.area_max=1e3', ['3', '2']],
    ['data.inspected_since=2026-01-06', ['2']],
    ['q=asbestos', ['4', '2']],
    ['q=asbes*+-roof', ['4']],
    ['q=asbestos&data.country=BE&document_type=adopted', ['2']],
  ])('has for %s the records %j', async (query, keys) => {
    expect(await found(query)).toEqual(keys);
  });

  it.each([
    ['published_since=2026-02-30', 'published_since', 'published_since must be a date such as 2026-04-01'],
    ['published_since=1.4.2026', 'published_since', 'published_since must be a date such as 2026-04-01'],
    ['published_since=2026-04-01&published_since=2026-04-02', 'published_since', 'must be given once'],
    ['q=', 'q', 'q must be a value, or left out, got ""'],
    ['q=a&q=b', 'q', 'q must be given once, got "a, b"'],
    ['q=-+%22', 'q', 'q must'],
    [`q=${'x'.repeat(1001)}`, 'q', 'q must be at most 1000 characters'],
    ['data.country=', 'data.country', 'data.country must be a value, or left out, got ""'],
    [`data.country=${'x'.repeat(1001)}`, 'data.country', 'data.country must be at most 1000 characters'],
    [`data.country=x${'&data.country=y'.repeat(100)}`, 'data.country', 'must be given at most 100 times'],
    ['data.area=wide', 'data.area', 'data.area must be a value of type number, got "wide"'],
    ['data.area_min=1&data.area_min=2', 'data.area_min', 'data.area_min must be given once'],
    ['data.inspected_until=2026-02-30', 'data.inspected_until', 'must be a date such as'],
  ])('refuses %s and names the parameter', async (query, parameter, detail) => {
    for (const path of [LIST, '/feeds/sites/facets']) {
      expect(await service.problem(`${path}?${query}`)).toMatchObject({
        ...{ status: 400, code: 'invalid_parameter', parameter },
        detail: expect.stringContaining(detail) as string,
      });
    }
  });

  it.each(['data.remark=x', 'data.town=x', 'data.country_min=1', 'data.=x', `data.${'x'.repeat(99)}=x`])(
    'refuses %s and names the fields that are filterable',
    async (query) => {
      expect(await service.problem(`${LIST}?${query}`)).toMatchObject({
        ...{ status: 400, code: 'unknown_parameter' },
        detail: expect.stringContaining(
          'there are data.country, data.area, data.area_min, data.area_max, data.inspected, data.inspected_since, data.inspected_until',
        ) as string,
      });
      expect(await service.problem(`/feeds/permits/records?${query}`)).toMatchObject({
        detail: expect.stringContaining('this register has no filterable fields of its own') as string,
      });
    },
  );

  it.each([
    ['document_type=draft', 2],
    ['document_type=draft&limit=1', 2],
    ['document_type=draft&limit=1&offset=1', 2],
    ['document_type=draft&offset=9', 2],
    ['data.country=NL&data.country=BE&limit=1', 3],
    ['q=asbestos+roof&limit=1', 1],
    ['q=none', 0],
  ])('says under %s that %i match, also in the exports', async (query, matched) => {
    const list = await service.list(`${LIST}?${query}`);
    expect(list).toMatchObject({ matched });
    expect(list).not.toHaveProperty('total');
    expect(list).not.toHaveProperty('matched_at_least');
    const { headers } = await service.pro(`${LIST}/export.csv?${query}`);
    expect(headers.get('gazette-matched')).toBe(String(matched));
  });

  it('says without a filter how many there are, and nothing of what matches', async () => {
    expect(await service.list(LIST)).toMatchObject({ total: 4 });
    expect(await service.list(LIST)).not.toHaveProperty('matched');
    expect((await service.pro(`${LIST}/export.csv`)).headers.get('gazette-matched')).toBeNull();
  });

  it('has one tag and one next link for a question in any order', async () => {
    const ask = async (query: string): Promise<readonly (string | null)[]> => {
      const { headers } = await service.get(`${LIST}?${query}`);
      return [headers.get('etag'), headers.get('link')];
    };
    const [etag, link] = await ask('limit=1&document_type=draft&data.country=NL&data.country=BE');
    expect(await ask('data.country=BE&data.country=NL&data.country=BE&limit=1&document_type=draft')).toEqual([
      etag,
      link,
    ]);
    expect(link).toBe(
      `<${BASE_URL}/api/v1${LIST}?limit=1&offset=1&document_type=draft&data.country=BE&data.country=NL>; rel="next"`,
    );
    expect((await ask('limit=1&document_type=draft&data.country=NL'))[0]).not.toBe(etag);
  });
});

describe('an export', () => {
  const file = async (format: string, query: string): Promise<Response> => {
    const response = await service.pro(`${LIST}/export.${format}?${query}`);
    expect(response.status).toBe(200);
    return response;
  };

  it('has the filter in its name, as far as names allow, and never that of another', async () => {
    const nameOf = async (query: string): Promise<string> =>
      /filename="(.*)"/.exec((await file('csv', query)).headers.get('content-disposition')!)![1]!;
    expect(await nameOf('')).toBe('sites-0001.csv');
    expect(await nameOf('document_type=draft')).toBe('sites-document_type-draft-0001.csv');
    const names = new Set<string>();
    const filters = [
      'document_type=a/b',
      'document_type=a-b',
      'document_type=a%20b',
      `document_type=${'x'.repeat(80)}`,
    ];
    for (const query of [...filters, `document_type=${'x'.repeat(81)}`]) {
      const name = await nameOf(query);
      expect(name).toMatch(/^sites-document_type-[A-Za-z0-9._-]{3,60}-0001\.csv$/);
      names.add(name);
    }
    expect(names.size).toBe(5);
  });

  it('says in a feed which search it is: its address, and an id of its own that the order does not change', async () => {
    const idOf = async (format: string, query: string): Promise<readonly string[]> => {
      const text = await (await file(format, query)).text();
      const self = /<(?:atom:)?link (?:rel="self" )?href="([^"]*)"[^>]*rel="self"|rel="self"[^>]*href="([^"]*)"/.exec(
        text,
      )!;
      return [/<id>([^<]*)<\/id>/.exec(text)?.[1] ?? '', (self[1] ?? self[2])!.replaceAll('&amp;', '&')];
    };
    const [whole] = await idOf('atom', '');
    const [id, self] = await idOf('atom', 'facility_id=FAC-9&document_type=adopted');
    expect(await idOf('atom', 'document_type=adopted&facility_id=FAC-9')).toEqual([id, self]);
    expect(self).toBe(`${BASE_URL}/api/v1${LIST}/export.atom?document_type=adopted&facility_id=FAC-9`);
    expect(id).not.toBe(whole);
    expect((await idOf('atom', 'facility_id=FAC-9'))[0]).not.toBe(id);
  });
});

describe('fields', () => {
  it('are the members that are asked for, in that order, and stay in the next link', async () => {
    const response = await service.get(`${LIST}?fields=data.country,title&limit=1`);
    const { records } = (await response.json()) as ListBody;
    expect(JSON.stringify(records)).toBe('[{"id":"sites:4","data":{"country":"NL"},"title":"Site 4"}]');
    const next = `${BASE_URL}/api/v1${LIST}?limit=1&offset=1&fields=id%2Cdata.country%2Ctitle`;
    expect(response.headers.get('link')).toBe(`<${next}>; rel="next"`);
    const same = await service.get(`${LIST}?fields=id,data.country,%20title,title&limit=1`);
    expect(same.headers.get('etag')).toBe(response.headers.get('etag'));
    const other = await service.get(`${LIST}?fields=title,data.country&limit=1`);
    expect(other.headers.get('etag')).not.toBe(response.headers.get('etag'));
  });

  it('are the columns of a file', async () => {
    const { key } = service;
    const file = await service.get(`${LIST}/export.csv?fields=title,data.area&limit=1`, { key });
    expect(await file.text()).toBe('id,title,area\r\nsites:4,Site 4,10000\r\n');
    expect(file.headers.get('link')).toContain('fields=id%2Ctitle%2Cdata.area');
    const whole = await service.get(`${LIST}/export.csv?limit=1`, { key });
    expect(whole.headers.get('etag')).not.toBe(file.headers.get('etag'));
  });

  it.each([
    [`${LIST}?fields=titel`, 'did you mean title?'],
    [`${LIST}?fields=`, 'fields must be a value, or left out'],
    [`${LIST}/export.csv?fields=data.town`, 'fields must name fields of the register'],
    [`${LIST}/export.atom?fields=title`, 'fields must be absent'],
    [`${LIST}/export.rss?fields=title`, 'fields must be absent'],
  ])('refuse %s', async (path, detail) => {
    expect(await service.problem(path, { key: service.key })).toMatchObject({
      ...{ status: 400, code: 'invalid_parameter', parameter: 'fields' },
      detail: expect.stringContaining(detail) as string,
    });
  });
});

describe('facets', () => {
  interface Facets {
    readonly facets: readonly { readonly field: string; readonly values: readonly object[]; readonly more: number }[];
  }
  const facets = async (query: string): Promise<Facets> =>
    (await (await service.get(`/feeds/sites/facets?${query}`)).json()) as Facets;

  it('are the values of the fields that are asked for, the commonest first', async () => {
    expect(await facets('field=document_type,data.country')).toMatchObject({
      ...{ feed_id: 'sites', tier: 'public', bounded: false },
      facets: [
        {
          field: 'document_type',
          values: [
            { value: 'adopted', records: 2 },
            { value: 'draft', records: 2 },
          ],
          more: 0,
        },
        {
          field: 'data.country',
          values: [
            { value: 'NL', records: 2 },
            { value: 'BE', records: 1 },
            { value: 'DE', records: 1 },
          ],
          more: 0,
        },
      ],
    });
    const all = (await facets('')).facets.map(({ field }) => field);
    expect(all).toEqual(['document_type', 'facility_id', 'data.country', 'data.area', 'data.inspected', 'data.codes']);
  });

  it('count the items of lists, each once for a record, as they are written: read, and from counters', async () => {
    const values = [
      { value: 'CWE-22', records: 1 },
      { value: 'CWE-79', records: 1 },
      { value: 'Straße', records: 1 },
      { value: 'cwe-22', records: 1 },
    ];
    expect((await facets('field=data.codes')).facets).toEqual([{ field: 'data.codes', values, more: 0 }]);
    const source = await store.source('sites');
    expect(await source.facets!(['data.codes'])).toEqual([{ field: 'data.codes', values, more: 0 }]);
  });

  it('are those of the records that match', async () => {
    const { facets: found } = await facets('field=data.country&q=asbestos');
    expect(found[0]!.values).toEqual([
      { value: 'BE', records: 1 },
      { value: 'NL', records: 1 },
    ]);
  });

  it.each(['field=title', 'field=data.remark', 'field=document_type,', 'field=data.contry'])(
    'refuse %s',
    async (query) => {
      expect(await service.problem(`/feeds/sites/facets?${query}`)).toMatchObject({
        ...{ status: 400, code: 'invalid_parameter', parameter: 'field' },
        detail: expect.stringContaining(
          'document_type, facility_id, data.country, data.area, data.inspected',
        ) as string,
      });
    },
  );
});

describe('the changes', () => {
  interface Changes {
    readonly versions: readonly { readonly record_id: string; readonly cause: string; readonly matches?: boolean }[];
    readonly next_since: string;
  }
  const changes = async (query: string): Promise<readonly [Changes, string | null]> => {
    const response = await service.pro(`/feeds/moving/changes?${query}`);
    return [(await response.json()) as Changes, response.headers.get('link')];
  };

  it('tell of what matches before or after a version, and say when it no longer does', async () => {
    const { store } = service;
    await store.createRegister(permits('moving'));
    const said = (key: string, type: string): ReturnType<typeof say> => say(key, { document_type: type }, 'moving');
    await store.apply('moving', [said('1', 'draft'), said('2', 'adopted'), said('3', 'draft')], { recordedAt: at(1) });
    await store.apply('moving', [said('1', 'adopted'), said('2', 'draft')], { recordedAt: at(2) });
    await store.withdraw('moving', ['moving:3'], { recordedAt: at(3) });

    const walked: string[] = [];
    const told: unknown[] = [];
    for (let query: string | null = 'limit=2&statement=1&document_type=draft'; query !== null;) {
      const [{ versions }, link] = await changes(query);
      told.push(...versions.map(({ record_id: id, cause, matches = true }) => [id, cause, matches]));
      walked.push(query);
      query = link === null ? null : new URL(/<(.*)>/.exec(link)![1]!).search.slice(1);
    }
    expect(told).toEqual([
      ['moving:1', 'first_observed', true],
      ['moving:3', 'first_observed', true],
      ['moving:1', 'source_change', false],
      ['moving:2', 'source_change', true],
      ['moving:3', 'withdrawn', false],
    ]);
    expect(walked.at(-1)).toMatch(/^limit=2&since=[0-9a-f]{8}\.5&statement=1&document_type=draft$/);
  });

  it('refuse a bad filter', async () => {
    const refused = await service.problem('/feeds/sites/changes?data.remark=x', { key: service.key });
    expect(refused).toMatchObject({ status: 400, code: 'unknown_parameter' });
  });
});
