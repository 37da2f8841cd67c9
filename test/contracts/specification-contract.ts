// The specification of the service, clause by clause: each title quotes the clause it holds. Clauses on the agent
// endpoint (1.7, 4.4) and on deliveries (1.8, section 6) have suites of their own.
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Accounts } from '../../src/operate/accounts.ts';
import { isDateTime } from '../../src/register/time.ts';
import { type World, world, keyAt, type OpenServiceStore, PRODUCT, SECRET, statementAt } from '../world.ts';
import { at, say } from './store-register.ts';

const COUNT = 25;
const FORMATS = ['csv', 'xlsx', 'xml', 'rss', 'atom'] as const;
const MEDIA_TYPES: Readonly<Record<(typeof FORMATS)[number], string>> = {
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  rss: 'application/rss+xml',
  atom: 'application/atom+xml',
};
const LIST = '/feeds/permits/records';

/** The ids of the records `from` down to `to`. */
function idsDown(from: number, to: number): string[] {
  return Array.from({ length: from - to + 1 }, (_, index) => `permits:${keyAt(from - index)}`);
}

/** Where a `Link` header leads. */
function nextOf(response: Response): string | null {
  const match = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('Link') ?? '');
  return match === null ? null : match[1]!;
}

/** The path and query below `/api/v1` of an absolute URL. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname.replace(/^\/api\/v1/, '') + search;
}

/** Registers the suite for one kind of store. */
export function specificationContract(name: string, open: OpenServiceStore): void {
  describe(`the specification over ${name}`, () => {
    /** For all that only ask. */
    let shared: World;
    let service: World;
    let pro: { readonly key: string };
    const turnTo = (one: World): void => {
      service = one;
      pro = { key: one.key };
    };
    beforeAll(async () => {
      const { store, dispose } = await open();
      shared = await world({ store, records: COUNT });
      turnTo(shared);
      return () => shared.close().then(dispose);
    });

    /** Has the rest of a test ask another service, which it may change. */
    async function alone(): Promise<void> {
      const { store, dispose } = await open();
      onTestFinished(dispose);
      turnTo(await world({ store, records: COUNT }));
      onTestFinished(() => {
        turnTo(shared);
      });
    }

    const csvIds = async (response: Response): Promise<string[]> =>
      parse<{ id: string }>(await response.text(), { columns: true }).map(({ id }) => id);

    describe('1. What the service does', () => {
      it('1.1 exposes registers through a read-only API under /api/v1', async () => {
        expect((await service.get(LIST)).status).toBe(200);
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
          const refused = await service.get(LIST, { method, ...pro });
          expect([method, refused.status, refused.headers.get('Allow')]).toEqual([method, 405, 'GET, HEAD, OPTIONS']);
        }
        expect((await service.list(LIST, pro)).total).toBe(COUNT);
      });

      it('1.2 gives every record an original source address', async () => {
        const { records } = await service.list(`${LIST}?limit=100`, pro);
        expect(records.map(({ source_url }) => source_url)).toEqual(
          records.map(({ id }) => `https://example.org/permits/${id.slice('permits:'.length)}`),
        );
      });

      it('1.3 keeps publication and observation apart', async () => {
        await alone();
        await service.store.apply('permits', [say('late', { published_at: null, observed_at: null })], {
          recordedAt: at(5),
        });
        const [late, known] = (await service.list(`${LIST}?limit=2`, pro)).records;
        expect([late!.published_at, late!.observed_at]).toEqual([null, at(5)]);
        expect([known!.published_at, known!.observed_at]).toEqual(['2026-04-17', '2026-04-19T08:12:44Z']);
      });

      it('1.4 has two tiers: without credentials public, with a key PRO', async () => {
        expect((await service.list(`${LIST}?limit=100`)).records).toHaveLength(3);
        expect((await service.list(`${LIST}?limit=100`, pro)).records).toHaveLength(COUNT);
      });

      it('1.5 shows the public the latest three records, older ones as a limited preview', async () => {
        const { records } = await service.list(LIST);
        expect(records.map(({ id }) => id)).toEqual(idsDown(COUNT, COUNT - 2));
        const preview = await service.get(`/records/permits:${keyAt(1)}`);
        const body = (await preview.json()) as Record<string, unknown>;
        expect([preview.status, body.preview, body.content, body.data]).toEqual([200, true, undefined, undefined]);
        expect(body.summary).toBe('Summary of the decision. '.repeat(12).slice(0, 280));
        expect(JSON.stringify(body)).not.toContain(SECRET);
        const latest = (await (await service.get(`/records/permits:${keyAt(COUNT)}`)).json()) as Record<
          string,
          unknown
        >;
        expect([latest.preview, latest.content]).toEqual([undefined, `open content ${COUNT}`]);
      });

      it('1.6 gives PRO the full content, the history and exports in five formats', async () => {
        const record = (await (await service.get(`/records/permits:${keyAt(1)}`, pro)).json()) as { content: string };
        expect(record.content).toBe(`${SECRET} content 1`);
        expect(await service.versions(`/records/permits:${keyAt(1)}/history`, pro)).toHaveLength(1);
        for (const format of FORMATS) {
          const response = await service.get(`${LIST}/export.${format}`, pro);
          expect([format, response.status]).toEqual([format, 200]);
        }
      });

      it('1.10 has an interactive API reference', async () => {
        const reference = await service.get('/reference');
        expect([reference.status, reference.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
        const document = (await (await service.get('/openapi.json')).json()) as { openapi: string; paths: object };
        expect(document.openapi).toMatch(/^3\.1\./);
        expect(Object.keys(document.paths)).toContain('/feeds/{feed_id}/records');
      });
    });

    describe('2. Resources and their fields', () => {
      it('names feeds by feed_id and records by ids that stay', async () => {
        await alone();
        const before = (await service.list(`${LIST}?limit=100`, pro)).records.map(({ id }) => id);
        await service.store.apply('permits', [{ ...statementAt(4, COUNT), title: 'Changed' }], { recordedAt: at(2) });
        const after = (await service.list(`${LIST}?limit=100`, pro)).records;
        expect(after.map(({ id }) => id)).toEqual(before);
        expect(new Set(after.map(({ feed_id }) => feed_id))).toEqual(new Set(['permits']));
        expect((await service.problem('/feeds/nothing/records')).code).toBe('unknown_feed');
      });

      it('filters by document_type, one value of which is adopted, and by facility_id', async () => {
        const adopted = await service.list(`${LIST}?document_type=adopted&limit=100`, pro);
        expect(adopted.records).toHaveLength(Math.floor(COUNT / 3));
        expect(new Set(adopted.records.map(({ document_type }) => document_type))).toEqual(new Set(['adopted']));
        const facility = await service.list(`${LIST}?facility_id=FAC-0001&limit=100`, pro);
        expect(facility.records).toHaveLength(COUNT - Math.floor(COUNT / 3));
        const both = await service.list(`${LIST}?facility_id=FAC-0001&document_type=adopted&limit=100`, pro);
        expect(both.records).toEqual([]);
      });

      it('answers next_offset as an integer or null', async () => {
        expect((await service.list(`${LIST}?limit=10`, pro)).next_offset).toBe(10);
        expect((await service.list(`${LIST}?limit=100`, pro)).next_offset).toBeNull();
      });
    });

    describe('4.1 Records list', () => {
      it('4.1.1 leads on by next_offset until it is null', async () => {
        const found: string[] = [];
        let offset: number | null = 0;
        while (offset !== null) {
          const page = await service.list(`${LIST}?limit=7&offset=${offset}`, pro);
          found.push(...page.records.map(({ id }) => id));
          offset = page.next_offset;
        }
        expect(found).toEqual(idsDown(COUNT, 1));
      });

      it('4.1.2 may answer an empty filtered page while more exist, and never loses one behind it', async () => {
        const found: string[] = [];
        let offset: number | null = 0;
        for (let requests = 0; offset !== null && requests < 100; requests++) {
          const page = await service.list(`${LIST}?limit=1&offset=${offset}&facility_id=FAC-0003`, pro);
          found.push(...page.records.map(({ id }) => id));
          offset = page.next_offset;
        }
        expect([found, offset]).toEqual([
          ['024', '021', '018', '015', '012', '009', '006', '003'].map((key) => `permits:${key}`),
          null,
        ]);
      });

      it('4.1.3 returns only the latest three records without a key, paged and filtered within them', async () => {
        expect(await service.list(`${LIST}?limit=50`)).toMatchObject({ next_offset: null });
        const first = await service.list(`${LIST}?limit=1`);
        expect([first.records.map(({ id }) => id), first.next_offset]).toEqual([idsDown(COUNT, COUNT), 1]);
        const last = await service.list(`${LIST}?limit=1&offset=2`);
        expect([last.records.map(({ id }) => id), last.next_offset]).toEqual([idsDown(COUNT - 2, COUNT - 2), null]);
        const beyond = await service.list(`${LIST}?limit=1&offset=3`);
        expect([beyond.records, beyond.next_offset]).toEqual([[], null]);
        // 24 is the only one of the latest three that is adopted.
        const adopted = await service.list(`${LIST}?document_type=adopted`);
        expect([adopted.records.map(({ id }) => id), adopted.next_offset]).toEqual([[`permits:${keyAt(24)}`], null]);
        expect(await service.problem(`${LIST}?as_of=10`)).toMatchObject({ status: 400, parameter: 'as_of' });
      });

      it('4.1.4 returns older records with a valid key', async () => {
        const { records } = await service.list(`${LIST}?limit=1&offset=${COUNT - 1}`, pro);
        expect(records.map(({ id, content }) => [id, content])).toEqual([
          [`permits:${keyAt(1)}`, `${SECRET} content 1`],
        ]);
      });

      it('4.1.5 answers JSON with the records, next_offset, as_of and the count', async () => {
        const response = await service.get(`${LIST}?limit=2`, pro);
        expect(response.headers.get('Content-Type')).toBe('application/json');
        const body = (await response.json()) as Record<string, unknown>;
        expect(Object.keys(body)).toEqual(['feed_id', 'tier', 'records', 'next_offset', 'as_of', 'total']);
        expect([body.feed_id, body.next_offset, body.as_of, body.total]).toEqual(['permits', 2, COUNT, COUNT]);
      });
    });

    describe('4.2 Export', () => {
      it.each(FORMATS)('4.2.1 holds at most 100 records a page in %s, and refuses more', async (format) => {
        const refused = await service.problem(`${LIST}/export.${format}?limit=101`, pro);
        expect(refused).toMatchObject({ status: 400, code: 'invalid_parameter', parameter: 'limit' });
        expect(refused.detail).toContain('1..100');
      });

      it('4.2.1 holds 100 records where nothing else is asked for', async () => {
        await alone();
        const more = Array.from({ length: 120 }, (_, index) => say(`more-${index}`));
        await service.store.apply('permits', more, { recordedAt: at(3) });
        expect(await csvIds(await service.get(`${LIST}/export.csv`, pro))).toHaveLength(100);
      });

      it.each(FORMATS)('4.2.2 leads on by Link in %s, and has none on the last page', async (format) => {
        const first = await service.get(`${LIST}/export.${format}?limit=20`, pro);
        const next = nextOf(first)!;
        expect(next).toMatch(/^https:\/\/registers\.example\.org\/api\/v1\/feeds\/permits\/records\/export\./);
        const last = await service.get(pathOf(next), pro);
        expect([last.status, last.headers.has('Link')]).toEqual([200, false]);
      });

      it('4.2.2 collects every record once by following Link', async () => {
        const found: string[] = [];
        let path: string | null = `${LIST}/export.csv?limit=10`;
        while (path !== null) {
          const response: Response = await service.get(path, pro);
          found.push(...(await csvIds(response)));
          const next = nextOf(response);
          path = next === null ? null : pathOf(next);
        }
        expect(found).toEqual(idsDown(COUNT, 1));
      });

      it('4.2.3 wants the Authorization header on every page', async () => {
        const next = nextOf(await service.get(`${LIST}/export.csv?limit=10`, pro))!;
        expect((await service.get(pathOf(next))).status).toBe(401);
        expect((await service.get(pathOf(next), pro)).status).toBe(200);
      });

      it('4.2.4 may answer an empty filtered page while a later one exists', async () => {
        const found: string[] = [];
        let path: string | null = `${LIST}/export.csv?limit=1&facility_id=FAC-0003`;
        while (path !== null) {
          const response: Response = await service.get(path, pro);
          found.push(...(await csvIds(response)));
          const next = nextOf(response);
          path = next === null ? null : pathOf(next);
        }
        expect(found).toHaveLength(Math.floor(COUNT / 3));
      });

      it.each(FORMATS)('4.2.5 takes the same key and the same filters in %s', async (format) => {
        const path = `${LIST}/export.${format}?document_type=adopted&facility_id=FAC-0003&limit=3`;
        expect((await service.get(path)).status).toBe(401);
        const response = await service.get(path, pro);
        expect(response.status).toBe(200);
        const next = new URL(nextOf(response)!);
        expect([next.searchParams.get('document_type'), next.searchParams.get('facility_id')]).toEqual([
          'adopted',
          'FAC-0003',
        ]);
      });

      it.each(['rss', 'atom'])(
        '4.2.6 keeps keys out of %s, entries under stable ids, the newest page first',
        async (format) => {
          await alone();
          const before = await service.get(`${LIST}/export.${format}`, pro);
          const text = await before.text();
          expect(text).not.toContain(service.key);
          const ids = [...text.matchAll(/tag:example\.org,2026:[^<"]*permits:\d+/g)].map(([id]) => id);
          expect(new Set(ids).size).toBe(COUNT);
          expect(ids[0]).toContain(keyAt(COUNT));
          await service.store.apply('permits', [{ ...statementAt(COUNT, COUNT), title: 'Changed' }], {
            recordedAt: at(2),
          });
          const after = await (await service.get(`${LIST}/export.${format}`, pro)).text();
          expect(after).toContain('Changed');
          expect([...after.matchAll(/tag:example\.org,2026:[^<"]*permits:\d+/g)].map(([id]) => id)).toEqual(ids);
        },
      );

      it.each(FORMATS)('4.2.7 answers %s as its own media type', async (format) => {
        const response = await service.get(`${LIST}/export.${format}`, pro);
        expect(response.headers.get('Content-Type')!.split(';')[0]).toBe(MEDIA_TYPES[format]);
        const bytes = new Uint8Array(await response.arrayBuffer());
        expect(response.headers.get('Content-Length')).toBe(String(bytes.length));
        // A zip file begins with its first entry's header.
        expect(Buffer.from(bytes.subarray(0, 2)).toString('latin1') === 'PK').toBe(format === 'xlsx');
      });

      it('4.2 serves no sixth format', async () => {
        for (const format of ['ndjson', 'pdf', 'json', 'constructor']) {
          expect(await service.problem(`${LIST}/export.${format}`, pro)).toMatchObject({
            status: 404,
            code: 'unknown_format',
          });
        }
      });
    });

    describe('4.3 Record history', () => {
      const path = `/records/permits:${keyAt(4)}/history`;
      beforeAll(async () => {
        for (let minute = 1; minute <= 5; minute++) {
          const cause = minute % 2 === 0 ? 'extraction_correction' : 'source_change';
          const changed = { ...statementAt(4, COUNT), title: `Title ${minute}` };
          await service.store.apply('permits', [changed], { recordedAt: at(minute), cause });
        }
      });

      it('4.3 answers an array, newest version first', async () => {
        const versions = await service.versions(path, pro);
        expect(Array.isArray(versions)).toBe(true);
        expect(versions.map(({ version, record }) => [version, record!.title])).toEqual([
          [6, 'Title 5'],
          [5, 'Title 4'],
          [4, 'Title 3'],
          [3, 'Title 2'],
          [2, 'Title 1'],
          [1, 'Permit number 4'],
        ]);
        expect(versions.every(({ recorded_at }) => isDateTime(recorded_at))).toBe(true);
      });

      it.each([1, 2, 3, 4, 6, 100])('4.3.1 and 4.3.2 end at a page shorter than the limit of %i', async (limit) => {
        const found: number[] = [];
        for (;;) {
          const page = await service.versions(`${path}?limit=${limit}&offset=${found.length}`, pro);
          found.push(...page.map(({ version }) => version));
          if (page.length < limit) break;
        }
        expect(found).toEqual([6, 5, 4, 3, 2, 1]);
      });

      it('4.3.2 refuses a limit it would not honour, because a clamped page would end the loop', async () => {
        expect(await service.problem(`${path}?limit=101`, pro)).toMatchObject({ status: 400, parameter: 'limit' });
      });

      it('4.3.3 tells source changes from corrections of extraction', async () => {
        const versions = await service.versions(path, pro);
        expect(versions.map(({ cause, changed }) => [cause, changed])).toEqual([
          ['source_change', ['title']],
          ['extraction_correction', ['title']],
          ['source_change', ['title']],
          ['extraction_correction', ['title']],
          ['source_change', ['title']],
          ['first_observed', expect.anything()],
        ]);
      });
    });

    describe('5. Authentication', () => {
      it('5.1 needs no credentials for public reads', async () => {
        for (const path of [
          '/feeds',
          '/feeds/permits',
          LIST,
          `/records/permits:${keyAt(1)}`,
          '/feeds/permits/register.xsd',
        ]) {
          expect([path, (await service.get(path)).status]).toEqual([path, 200]);
        }
      });

      it('5.2 takes the key as Authorization: Bearer', async () => {
        expect((await service.get(`${LIST}/export.csv`, pro)).status).toBe(200);
        const basic = { headers: { Authorization: `Basic ${Buffer.from(`:${service.key}`).toString('base64')}` } };
        expect((await service.get(`${LIST}/export.csv`, basic)).status).toBe(401);
      });

      it('5.3 takes a key from when it was created in the account until its rotation there is over', async () => {
        await alone();
        const accounts = new Accounts(service.store, { product: PRODUCT, now: () => service.clock.now });
        const { key, entry } = await accounts.createKey(service.accountId);
        const other = await accounts.rotateKey(service.accountId, entry.id, { graceMs: 60_000 });
        const statuses = async (): Promise<number[]> => [
          (await service.get('/feeds/permits/changes', { key })).status,
          (await service.get('/feeds/permits/changes', { key: other.key })).status,
        ];
        expect(await statuses()).toEqual([200, 200]);
        service.clock.now += 60_000;
        expect(await statuses()).toEqual([401, 200]);
      });

      it('5.4 works only while access is paid', async () => {
        await alone();
        await service.store.accounts.updateAccount(service.accountId, { accessUntil: at(59) });
        expect(await service.problem(LIST, pro)).toMatchObject({ status: 401, code: 'access_lapsed' });
        await service.store.accounts.updateAccount(service.accountId, { accessUntil: at(61) });
        expect((await service.get(LIST, pro)).status).toBe(200);
        service.clock.now = Date.parse(at(62));
        expect((await service.get(LIST, pro)).status).toBe(401);
      });

      it('5.5 refuses keys in URLs, and puts none into links and documents', async () => {
        for (const parameter of ['api_key', 'key', 'token', 'access_token']) {
          const refused = await service.get(`${LIST}?${parameter}=${service.key}`, pro);
          const text = await refused.text();
          expect([parameter, refused.status, text.includes(service.key)]).toEqual([parameter, 400, false]);
        }
        const page = await service.get(`${LIST}/export.atom?limit=1`, pro);
        expect([...page.headers.values()].join() + (await page.text())).not.toContain(service.key);
      });

      it('5.6 requires a key for exports, history and changes', async () => {
        for (const path of [
          ...FORMATS.map((format) => `${LIST}/export.${format}`),
          `/records/permits:${keyAt(25)}/history`,
          '/feeds/permits/changes',
        ]) {
          const refused = await service.get(path);
          expect([path, refused.status, refused.headers.get('WWW-Authenticate')]).toEqual([
            path,
            401,
            'Bearer realm="registers"',
          ]);
        }
      });
    });

    describe('7. Errors, 8. Limits, 9. Versioning', () => {
      it('7 answers errors as problem details with a stable code and the request id', async () => {
        const response = await service.get(`${LIST}?limit=abc`, pro);
        const body = (await response.json()) as Record<string, unknown>;
        expect(response.headers.get('Content-Type')).toBe('application/problem+json');
        expect(body).toMatchObject({ status: 400, code: 'invalid_parameter', parameter: 'limit' });
        expect(body.request_id).toBe(response.headers.get('X-Request-Id'));
      });

      it.each(['0', '101', '-1', '1.5', 'abc', '', '1e1', '+5', ' 5', '5&limit=5'])(
        '8 refuses limit=%s',
        async (limit) => {
          for (const path of [
            LIST,
            `${LIST}/export.csv`,
            `/records/permits:${keyAt(1)}/history`,
            '/feeds/permits/changes',
          ]) {
            const body = await service.problem(`${path}?limit=${limit}`, pro);
            expect([path, body.status, body.parameter]).toEqual([path, 400, 'limit']);
          }
        },
      );

      it('8 shows the public three records whole, and the next older one when one of them is withdrawn', async () => {
        await alone();
        await service.store.withdraw('permits', [`permits:${keyAt(COUNT)}`], { recordedAt: at(4) });
        expect((await service.list(LIST)).records.map(({ id }) => id)).toEqual(idsDown(COUNT - 1, COUNT - 3));
        expect((await service.get(`/records/permits:${keyAt(COUNT)}`)).status).toBe(410);
        expect(await service.versions(`/records/permits:${keyAt(COUNT)}/history`, pro)).toHaveLength(2);
      });

      it.each([
        ['/records/permits:%00', 404],
        ['/records/permits:%00/history', 404],
        ['/records/permits:a%2Fb', 404],
        [`/records/permits:${'a'.repeat(10_000)}`, 404],
        ['/feeds/per%00mits/records', 404],
        [`${LIST}?document_type=%00`, 200],
        [`${LIST}/export.csv?facility_id=a%00b`, 200],
      ])('8 knows nothing by names that cannot be, whatever the store makes of them: %s', async (path, status) => {
        expect((await service.get(path, pro)).status).toBe(status);
      });

      it('9.1 has the version in its path', async () => {
        expect((await service.fetch(new Request('https://registers.example.org/api/v2/feeds'))).status).toBe(404);
        expect((await service.get('/feeds')).status).toBe(200);
      });
    });
  });
}
