import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exportHandler, type ExportHandlerOptions } from '../../src/export/handler.ts';
import { csv } from '../../src/formats/csv.ts';
import { referenceFormat } from '../../src/formats/reference/index.ts';
import { fromRecords } from '../../src/register/sources/from-records.ts';
import type { RegisterSource } from '../../src/register/sources/source.ts';
import { tierSource } from '../../src/register/tier.ts';
import { SAMPLE_DEFINITION, sampleRecords } from '../contracts/sample-register.ts';
import { tries } from '../effort.ts';

const BASE = 'https://example.org/api/v1/feeds/permits/records';
const permits = fromRecords(SAMPLE_DEFINITION, sampleRecords(250), { order: 'newest-first' });
const NOW = Date.parse('2026-11-20T12:00:00Z');

function handlerOf(source: RegisterSource = permits, options: ExportHandlerOptions = {}) {
  const errors: unknown[] = [];
  let now = NOW;
  const handler = exportHandler(source, {
    createRequestId: () => 'request-1',
    now: () => now,
    onError: (error) => errors.push(error),
    ...options,
  });
  return {
    errors,
    get: (path: string, init: RequestInit = {}) =>
      handler(new Request(path.startsWith('http') ? path : BASE + path, init)),
    later: (ms: number) => {
      now += ms;
    },
  };
}

describe('an export page over HTTP', () => {
  it('has the media type, the length, the name, a strong tag and the next page', async () => {
    const response = await handlerOf().get('/export.csv?limit=100');
    const body = await response.arrayBuffer();
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toEqual({
      'cache-control': 'private, no-cache',
      'content-disposition': 'attachment; filename="permits-0001.csv"',
      'content-length': String(body.byteLength),
      'content-type': 'text/csv; charset=utf-8; header=present',
      etag: expect.stringMatching(/^"[\w-]{22}"$/) as unknown,
      link: `<${BASE}/export.csv?limit=100&offset=100&as_of=250>; rel="next"`,
      vary: 'Authorization',
      'x-content-type-options': 'nosniff',
      'x-request-id': 'request-1',
    });
  });

  it('has nothing of its first reader where caches may give it to others', async () => {
    const shared = { cacheControl: 'public, max-age=60' };
    const { get } = handlerOf(permits, shared);
    const response = await get('/export.csv');
    const again = await get('/export.csv', { headers: { 'if-none-match': response.headers.get('etag')! } });
    expect([response.status, again.status]).toEqual([200, 304]);
    for (const { headers } of [response, again]) {
      expect([headers.get('x-request-id'), headers.get('vary')]).toEqual([null, 'Authorization, Host']);
    }
    expect((await get('/export.csv?limit=0')).headers.get('x-request-id')).toBe('request-1');
    expect((await get('/export.csv', { method: 'OPTIONS' })).headers.get('x-request-id')).toBe('request-1');
    const published = await handlerOf(permits, { ...shared, baseUrl: 'https://example.org' }).get('/export.csv');
    expect(published.headers.get('vary')).toBe('Authorization');
    const revalidated = await handlerOf(permits, { cacheControl: 'no-cache' }).get('/export.csv');
    expect(revalidated.headers.get('x-request-id')).toBeNull();
  });

  it('has no Link header on the last page', async () => {
    const response = await handlerOf().get('/export.csv?offset=200');
    expect(response.headers.get('link')).toBeNull();
    expect(response.headers.get('content-disposition')).toContain('permits-0003.csv');
  });

  it('is empty, complete and the last one when the offset lies past the end', async () => {
    const response = await handlerOf().get('/export.csv?offset=9000');
    expect(response.status).toBe(200);
    expect(response.headers.get('link')).toBeNull();
    expect((await response.text()).split('\r\n')).toHaveLength(2);
  });

  it('has at most 100 records when nobody asks for fewer', async () => {
    const response = await handlerOf().get('/export.ndjson');
    expect(response.status, 'ndjson is not served over HTTP').toBe(404);
    const csv = await (await handlerOf().get('/export.csv')).text();
    expect(csv.match(/^permits:/gm)).toHaveLength(100);
  });

  it('answers HEAD as GET without the body', async () => {
    const { get } = handlerOf();
    const head = await get('/export.csv', { method: 'HEAD' });
    expect([...head.headers]).toEqual([...(await get('/export.csv')).headers]);
    expect(await head.text()).toBe('');
  });

  it('names the methods it serves', async () => {
    const { get } = handlerOf();
    const options = await get('/export.csv', { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
    const post = await get('/export.csv', { method: 'POST', body: 'x' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect(await post.json()).toMatchObject({ code: 'method_not_allowed' });
  });

  it('says in a header what the format had to change', async () => {
    const records = sampleRecords(2).map((record) => ({ ...record, title: 'a\u0000b' }));
    const { get } = handlerOf(fromRecords(SAMPLE_DEFINITION, records));
    expect((await get('/export.xml')).headers.get('gazette-warnings')).toBe('replaced_characters;count=2');
  });

  it('puts the public address and the prefix a proxy strips into its links', async () => {
    const { get } = handlerOf(permits, { baseUrl: 'https://open.example/registers/' });
    const response = await get('http://10.0.0.7:8080/feeds/permits/records/export.csv');
    expect(response.headers.get('link')).toBe(
      '<https://open.example/registers/feeds/permits/records/export.csv?limit=100&offset=100&as_of=250>; rel="next"',
    );
  });
});

describe('the Link headers', () => {
  it('lead through every record that matches, once, newest first, in the view of the first page', async () => {
    const types = [undefined, 'adopted', 'draft', 'no such type'];
    const facilities = [undefined, 'FAC-7', 'FAC-11'];
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 100 }),
        fc.constantFrom(...types),
        fc.constantFrom(...facilities),
        async (limit, type, facility) => {
          const { get } = handlerOf();
          const query = new URLSearchParams({ limit: String(limit) });
          if (type !== undefined) query.set('document_type', type);
          if (facility !== undefined) query.set('facility_id', facility);
          const ids: string[] = [];
          let next: string | undefined = `${BASE}/export.csv?${query.toString()}`;
          while (next !== undefined) {
            const response = await get(next);
            ids.push(...((await response.text()).match(/^permits:[\w-]+/gm) ?? []));
            next = /^<(.*)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
          }
          const expected = sampleRecords(250)
            .filter((record) => type === undefined || record.document_type === type)
            .filter((record) => facility === undefined || record.facility_id === facility)
            .map((record) => record.id);
          expect(ids).toEqual(expected);
        },
      ),
      { numRuns: tries(100) },
    );
  });
});

describe('validators', () => {
  it('answer 304 without reading a record', async () => {
    let reads = 0;
    const counted: RegisterSource = {
      definition: permits.definition,
      page: (query) => {
        reads++;
        return permits.page(query);
      },
      revision: () => permits.revision!(),
    };
    const { get } = handlerOf(counted);
    for (const format of ['csv', 'xlsx', 'xml', 'rss', 'atom']) {
      const etag = (await get(`/export.${format}`)).headers.get('etag')!;
      reads = 0;
      for (const method of ['GET', 'HEAD']) {
        const again = await get(`/export.${format}`, { method, headers: { 'if-none-match': etag } });
        expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
      }
      expect(reads).toBe(0);
    }
  });

  it('tell tiers and writers apart', async () => {
    const tags = new Set<string | null>();
    for (const source of [permits, tierSource(permits, 'public'), tierSource(permits, 'public', { window: 2 })]) {
      tags.add((await handlerOf(source).get('/export.xlsx?limit=3')).headers.get('etag'));
    }
    const formats = [await referenceFormat('xlsx')];
    tags.add((await handlerOf(permits, { formats }).get('/export.xlsx?limit=3')).headers.get('etag'));
    expect(tags.size).toBe(4);
  });

  it('read the page before they say that there is one', async () => {
    const star = { 'if-none-match': '*' };
    expect((await handlerOf().get('/export.csv', { headers: star })).status).toBe(304);
    expect((await handlerOf().get('/export.csv?as_of=9999', { headers: star })).status).toBe(400);
  });

  it('hash the body when the source has no revision', async () => {
    const plain: RegisterSource = { definition: permits.definition, page: (query) => permits.page(query) };
    const { get } = handlerOf(plain);
    const etag = (await get('/export.csv')).headers.get('etag')!;
    expect((await get('/export.csv', { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await get('/export.csv?offset=1', { headers: { 'if-none-match': etag } })).status).toBe(200);
  });

  it('differ wherever the bytes may differ', async () => {
    const tags = new Set<string | null>();
    const tag = async (path: string, options: ExportHandlerOptions = {}, source = permits): Promise<void> => {
      tags.add((await handlerOf(source, options).get(path)).headers.get('etag'));
    };
    await tag('/export.csv');
    await tag('/export.csv?limit=99');
    await tag('/export.csv?offset=1');
    await tag('/export.csv?as_of=250');
    await tag('/export.csv?as_of=249');
    await tag('/export.csv?document_type=adopted');
    await tag('/export.csv?facility_id=adopted');
    await tag('/export.xml');
    await tag('/export.csv', { baseUrl: 'https://other.example' });
    await tag('/export.csv', { list: 'https://example.org/list' });
    await tag('/export.csv', { schema: 'https://example.org/register.xsd' });
    await tag('/export.csv', { alternate: 'https://example.org/people' });
    await tag('/export.csv', { recordUrl: 'https://example.org/records/{id}' });
    await tag('/export.csv', { formatOptions: { csv: { bom: true } as object } });
    await tag('/export.csv', {}, fromRecords(SAMPLE_DEFINITION, sampleRecords(250), { order: 'oldest-first' }));
    await tag('/export.csv', {}, fromRecords({ ...SAMPLE_DEFINITION, title: 'x' }, sampleRecords(250)));
    expect(tags.size).toBe(16);
  });

  it('say Last-Modified once both the data and the configuration are settled', async () => {
    const { get, later } = handlerOf();
    expect((await get('/export.csv')).headers.get('last-modified')).toBeNull();
    later(10_000);
    const response = await get('/export.csv');
    expect(response.headers.get('last-modified')).toBe('Fri, 20 Nov 2026 12:00:00 GMT');
    const since = { 'if-modified-since': 'Fri, 20 Nov 2026 12:00:00 GMT' };
    expect((await get('/export.csv', { headers: since })).status).toBe(304);
  });

  it('refuse with 412 when If-Match names another page', async () => {
    const response = await handlerOf().get('/export.csv', { headers: { 'if-match': '"x"' } });
    expect(response.status).toBe(412);
    expect(await response.json()).toMatchObject({ code: 'precondition_failed' });
  });
});

describe('a bad request', () => {
  const TABLE: readonly (readonly [string, number, string, string | undefined, string])[] = [
    ['/export.csv?limit=101', 400, 'invalid_parameter', 'limit', 'limit must be 1..100, got 101'],
    ['/export.csv?limit=0', 400, 'invalid_parameter', 'limit', 'limit must be 1..100, got 0'],
    ['/export.csv?limit=abc', 400, 'invalid_parameter', 'limit', 'limit must be 1..100, got "abc"'],
    ['/export.csv?limit=1.5', 400, 'invalid_parameter', 'limit', 'limit must be 1..100, got "1.5"'],
    ['/export.csv?limit=', 400, 'invalid_parameter', 'limit', 'limit must be a value, or left out, got ""'],
    ['/export.csv?limit=1&limit=2', 400, 'invalid_parameter', 'limit', 'limit must be given once, got "1, 2"'],
    ['/export.csv?offset=-1', 400, 'invalid_parameter', 'offset', 'offset must be a whole number from 0, got "-1"'],
    ['/export.csv?as_of=251', 400, 'invalid_parameter', 'as_of', 'as_of must be 0..250, got 251'],
    ['/export.csv?document_type=', 400, 'invalid_parameter', 'document_type', 'document_type must be'],
    ['/export.csv?limt=5', 400, 'unknown_parameter', 'limt', 'unknown parameter "limt": did you mean limit?'],
    ['/export.csv?token=secret', 400, 'unknown_parameter', 'token', 'unknown parameter "token": there are limit'],
    ['/export.pdf', 404, 'unknown_format', undefined, 'format must be one of csv, xlsx, xml, rss, atom, got "pdf"'],
    ['/export.constructor', 404, 'unknown_format', undefined, 'format must be one of csv, xlsx'],
    ['/export', 404, 'not_found', undefined, 'nothing is served at'],
    ['/../../permit/records/export.csv', 404, 'unknown_feed', undefined, 'no register has the feed id "permit"'],
    ['/../../%ff/records/export.csv', 404, 'not_found', undefined, 'nothing is served at'],
  ];

  it.each(TABLE)('%s is answered with %i %s', async (path, status, code, parameter, detail) => {
    const { get, errors } = handlerOf();
    const response = await get(path);
    const problem = (await response.json()) as Record<string, unknown>;
    expect(response.status).toBe(status);
    expect(problem).toMatchObject({ status, code, request_id: 'request-1', type: `urn:gazette:problem:${code}` });
    expect(problem.detail).toContain(detail);
    expect(problem.parameter).toBe(parameter);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-request-id')).toBe('request-1');
    expect(errors).toEqual([]);
  });

  it('tells nothing of the inside when a source fails, and tells the owner everything', async () => {
    const failure = new Error('password=hunter2');
    const failing: RegisterSource = {
      definition: SAMPLE_DEFINITION,
      page: () => {
        throw failure;
      },
    };
    const { get, errors } = handlerOf(failing);
    const response = await get('/export.csv');
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(text).not.toContain('hunter2');
    expect(JSON.parse(text)).toMatchObject({ code: 'internal_error', request_id: 'request-1' });
    expect(errors).toEqual([failure]);
    expect(response.headers.get('etag')).toBeNull();
  });

  it('is refused when a source gives more than was asked for', async () => {
    const eager: RegisterSource = { definition: SAMPLE_DEFINITION, page: () => permits.page({ offset: 0, limit: 50 }) };
    const { get, errors } = handlerOf(eager);
    expect((await get('/export.csv?limit=10')).status).toBe(500);
    expect(String(errors[0])).toContain('a page must have at most 10 records, got 50');
  });

  it.each([
    [
      'a record that the filter keeps out',
      '&document_type=adopted',
      { records: sampleRecords(1), nextOffset: null, asOf: 1 },
    ],
    ['an undefined next offset', '', { records: [], nextOffset: undefined as unknown as null, asOf: 1 }],
    ['a next offset that does not lead on', '', { records: [], nextOffset: 0, asOf: 1 }],
    ['half an offset', '', { records: [], nextOffset: 1.5, asOf: 1 }],
    ['an empty view', '', { records: [], nextOffset: null, asOf: '' }],
  ])('is refused when a source answers with %s', async (_, query, page) => {
    const { get, errors } = handlerOf({ definition: SAMPLE_DEFINITION, page: () => page });
    expect((await get(`/export.csv?limit=10${query}`)).status).toBe(500);
    expect(errors).toMatchObject([{ code: 'internal_error' }]);
  });

  it('ends when its client has gone, whatever the source does, and is nobody’s failure', async () => {
    const { get, errors } = handlerOf({ definition: SAMPLE_DEFINITION, page: () => new Promise(() => undefined) });
    const client = new AbortController();
    const answer = get('/export.csv', { signal: client.signal });
    client.abort();
    expect((await answer).status).toBe(499);
    expect(errors).toEqual([]);
  });

  it('is refused at once when two sources have one feed id, or a link is none', () => {
    expect(() => exportHandler([permits, permits])).toThrow(/its own feed id/);
    for (const name of ['alternate', 'list', 'recordUrl']) {
      expect(() => exportHandler(permits, { [name]: 'javascript:alert(1)' })).toThrow(`${name} must be an absolute`);
    }
  });

  it('is refused at once when options are for a format or of a kind that there is none of', () => {
    const refused: readonly (readonly [formatOptions: object, message: string])[] = [
      [{ cvs: { delimiter: ';' } }, 'formatOptions must be for csv, xlsx, xml, rss, atom, got "cvs"'],
      [{ ndjson: {} }, 'formatOptions must be for csv, xlsx, xml, rss, atom, got "ndjson"'],
      [{ constructor: {} }, 'got "constructor"'],
      [{ csv: { delimeter: ';' } }, 'format csv has no option "delimeter"'],
    ];
    for (const [formatOptions, message] of refused) {
      expect(() => exportHandler(permits, { formatOptions: formatOptions as Record<string, object> })).toThrow(
        expect.objectContaining({ code: 'invalid_option', message: expect.stringContaining(message) as string }),
      );
    }
    const formats = [{ ...csv, name: 'table' }];
    expect(() => exportHandler(permits, { formats, formatOptions: { table: {} } })).not.toThrow();
    expect(() => exportHandler(permits, { formats, formatOptions: { csv: {} } })).toThrow(
      'must be for table, got "csv"',
    );
  });

  it('is refused at once when the base URL is none', () => {
    for (const baseUrl of [
      'example.org',
      '/api',
      'ftp://example.org',
      'https://example.org/?a=1',
      'https://example.org/a?',
      'https://example.org/#',
    ]) {
      expect(() => exportHandler(permits, { baseUrl })).toThrow(/baseUrl must be an absolute http\(s\) URL/);
    }
  });
});

describe('several registers', () => {
  const notices = fromRecords({ ...SAMPLE_DEFINITION, id: 'notices' }, []);

  it('are told apart by the feed id in the path', async () => {
    const handler = exportHandler([permits, notices]);
    const get = (path: string) => handler(new Request(`https://example.org${path}`));
    expect(await (await get('/feeds/permits/records/export.csv?limit=1')).text()).toContain('permits:2026-0250');
    expect((await get('/any/mount/feeds/notices/records/export.csv')).status).toBe(200);
    expect((await get('/feeds/other/records/export.csv')).status).toBe(404);
    expect((await get('/export.csv')).status, 'no feed id, and two to choose from').toBe(404);
  });

  it('may come from a function that waits', async () => {
    const found: Readonly<Record<string, RegisterSource>> = { notices };
    const handler = exportHandler(async (feedId) => found[feedId]);
    const get = (path: string) => handler(new Request(`https://example.org${path}`));
    expect((await get('/feeds/notices/records/export.atom')).status).toBe(200);
    expect((await get('/feeds/permits/records/export.atom')).status).toBe(404);
  });

  it('are not needed: one register is served at any path that ends in the export', async () => {
    const handler = exportHandler(permits);
    expect((await handler(new Request('https://example.org/open-data/export.csv'))).status).toBe(200);
    expect((await handler(new Request('https://example.org/feeds/permit/records/export.csv'))).status).toBe(404);
  });
});
