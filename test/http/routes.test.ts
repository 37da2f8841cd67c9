// What each route answers, to whom (http.md's table; specification 1.5, 4.1, 4.2, 4.3).
import { describe, expect, it } from 'vitest';
import { at } from '../contracts/store-register.ts';
import { DelegatingStore } from '../contracts/delegating-store.ts';
import { toPublishedRecord } from '../../src/stores/rows/published-record.ts';
import { SAMPLE_DEFINITION, sampleRecord } from '../contracts/sample-register.ts';
import { addSamples, API, BASE_URL, SAMPLES, world } from '../world.ts';

/** For all that only ask. */
const { get, pro } = await world({ samples: SAMPLES });

const LATEST = ['permits:2026-0120', 'permits:2026-0119', 'permits:2026-0118'];
const LATER = at(30);

interface RecordPage {
  readonly note?: string;
  readonly records: readonly { readonly id: string; readonly content?: string | null }[];
  readonly next_offset: number | null;
  readonly as_of: number | null;
  readonly total: number;
}
const pageOf = async (response: Response): Promise<RecordPage> => (await response.json()) as RecordPage;
const idsOf = ({ records }: RecordPage): string[] => records.map(({ id }) => id);
const problemOf = async (response: Response): Promise<Record<string, unknown>> =>
  (await response.json()) as Record<string, unknown>;

describe('/feeds', () => {
  it('lists the registers with their counts and the addresses of every format', async () => {
    const { feeds } = (await (await get('/feeds')).json()) as { readonly feeds: readonly Record<string, unknown>[] };
    expect(feeds).toHaveLength(1);
    const records = `${API}/feeds/permits/records`;
    expect(feeds[0]).toMatchObject({
      feed_id: 'permits',
      total: SAMPLES,
      change: SAMPLES,
      last_change: at(0),
      definition: { id: 'permits', authority: 'example.org' },
      links: {
        self: `${API}/feeds/permits`,
        records,
        changes: `${API}/feeds/permits/changes`,
        schema: `${API}/feeds/permits/register.xsd`,
        exports: Object.fromEntries(['csv', 'xlsx', 'xml', 'rss', 'atom'].map((f) => [f, `${records}/export.${f}`])),
      },
    });
    expect(await (await get('/feeds/permits')).json()).toEqual(feeds[0]);
  });

  it('gives the schema of a register’s XML', async () => {
    const response = await get('/feeds/permits/register.xsd');
    expect(response.headers.get('content-type')).toBe('application/xml; charset=utf-8');
    expect(await response.text()).toContain('<xs:schema');
  });
});

describe('the list, to the public', () => {
  it('is the latest three records, whole, and ends there', async () => {
    const response = await get('/feeds/permits/records');
    const page = await pageOf(response);
    expect(idsOf(page)).toEqual(LATEST);
    expect(page).toMatchObject({ tier: 'public', next_offset: null, as_of: null, total: SAMPLES });
    expect(page.note).toBe(
      'The public sees the latest 3 records of the register. All records, exports and histories need an API key: send Authorization: Bearer <API_KEY>.',
    );
    expect(page.records[1]).toHaveProperty('content');
    expect(response.headers.get('link')).toBeNull();
  });

  it('is paged inside the three, by links without a view', async () => {
    const ids: string[] = [];
    let next: string | undefined = `${API}/feeds/permits/records?limit=1`;
    while (next !== undefined) {
      const response = await get(next);
      ids.push(...idsOf(await pageOf(response)));
      next = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
      expect(next ?? '').not.toContain('as_of');
    }
    expect(ids).toEqual(LATEST);
  });

  it('is filtered inside the three', async () => {
    const type = sampleRecord(119).document_type!;
    expect(idsOf(await pageOf(await get(`/feeds/permits/records?document_type=${type}`)))).toEqual([LATEST[1]]);
  });

  it('has no total under a filter, which it would not count, in either tier', async () => {
    for (const ask of [get, pro]) {
      expect(await pageOf(await ask('/feeds/permits/records'))).toHaveProperty('total', SAMPLES);
      for (const filter of ['document_type=none', 'facility_id=F-1', 'key=2026-0119']) {
        expect(await pageOf(await ask(`/feeds/permits/records?${filter}`))).not.toHaveProperty('total');
      }
    }
  });

  it('has a record by its key inside the three alone', async () => {
    const ask = async (from: typeof get, key: string): Promise<RecordPage> =>
      pageOf(await from(`/feeds/permits/records?key=${key}`));
    expect(await ask(get, '2026-0119')).toMatchObject({
      records: [{ id: LATEST[1], key: '2026-0119' }],
      next_offset: null,
    });
    expect((await ask(get, '2026-0117')).records).toEqual([]);
    expect(await ask(pro, '2026-0117')).toMatchObject({ records: [{ id: 'permits:2026-0117' }], next_offset: null });
    expect((await ask(pro, 'permits:2026-0117')).records).toEqual([]);
  });

  it.each([
    ['', 'key must be a value, or left out, got ""'],
    ['x'.repeat(201), 'key must be at most 200 characters, got "xxx'],
    ['a&key=', 'key must be a value, or left out, got ""'],
  ])('refuses the key %j', async (key, detail) => {
    const response = await pro(`/feeds/permits/records?key=${key}`);
    expect(await problemOf(response)).toMatchObject({
      status: 400,
      code: 'invalid_parameter',
      parameter: 'key',
      detail: expect.stringContaining(detail) as string,
    });
  });

  it('refuses a view, which would open older windows', async () => {
    const response = await get('/feeds/permits/records?as_of=50', {
      headers: { 'if-modified-since': new Date().toUTCString() },
    });
    expect(response.status).toBe(400);
    expect(await problemOf(response)).toMatchObject({ code: 'invalid_parameter', parameter: 'as_of' });
  });
});

describe('the list, with a key', () => {
  it('has fifty records a page, the view, the count and the next page', async () => {
    const response = await pro('/feeds/permits/records');
    const page = await pageOf(response);
    expect(page.records).toHaveLength(50);
    expect(page).not.toHaveProperty('note');
    expect(page).toMatchObject({ feed_id: 'permits', tier: 'pro', next_offset: 50, as_of: SAMPLES, total: SAMPLES });
    expect(response.headers.get('link')).toBe(
      `<${API}/feeds/permits/records?limit=50&offset=50&as_of=${SAMPLES}>; rel="next"`,
    );
  });

  it('leads through the view of its first page while the register is written to', async () => {
    const { pro, store } = await world({ samples: SAMPLES });
    const ids: string[] = [];
    let next: string | undefined = `${API}/feeds/permits/records?limit=40`;
    while (next !== undefined) {
      const response = await pro(next);
      ids.push(...idsOf(await pageOf(response)));
      next = /^<([^>]+)>/.exec(response.headers.get('link') ?? '')?.[1];
      await addSamples(store, SAMPLES + ids.length, SAMPLES + ids.length, LATER);
    }
    expect(ids).toEqual(Array.from({ length: SAMPLES }, (_, index) => sampleRecord(SAMPLES - index).id));
  });
});

describe('one record', () => {
  it('is whole to the public while it is one of the latest three, and a preview after', async () => {
    const { get, store } = await world({ samples: SAMPLES });
    const path = '/records/permits:2026-0118';
    const whole = (await (await get(path)).json()) as Record<string, unknown>;
    expect(whole).toHaveProperty('content');
    await addSamples(store, SAMPLES + 1, SAMPLES + 1, LATER);
    const preview = (await (await get(path)).json()) as Record<string, unknown>;
    expect(preview).toMatchObject({ id: whole.id, published_at: whole.published_at, observed_at: whole.observed_at });
    expect(preview).toMatchObject({ preview: true });
    for (const name of ['content', 'data', 'version', 'position', 'author', 'facility_id', 'updated_at']) {
      expect(preview).not.toHaveProperty(name);
    }
  });

  it('is whole to a key wherever it stands, its colon plain or encoded', async () => {
    const one = await (await pro('/records/permits:2026-0001')).json();
    expect(one).toMatchObject({ id: 'permits:2026-0001', position: 1 });
    expect(await (await pro('/records/permits%3A2026-0001')).json()).toEqual(one);
  });

  it('answers 410 once withdrawn or erased, to everybody, and keeps its history', async () => {
    const { get, pro, store } = await world({ samples: SAMPLES });
    await store.withdraw('permits', ['permits:2026-0005', 'permits:2026-0006'], { recordedAt: LATER });
    await store.redact('permits:2026-0006', { recordedAt: LATER });
    for (const id of ['permits:2026-0005', 'permits:2026-0006']) {
      for (const ask of [get, pro]) {
        const response = await ask(`/records/${id}`, { headers: { 'if-modified-since': new Date().toUTCString() } });
        expect(response.status).toBe(410);
        expect(await problemOf(response)).toMatchObject({ code: 'record_withdrawn' });
      }
    }
    const history = (await (await pro('/records/permits:2026-0005/history')).json()) as Record<string, unknown>[];
    expect(history.map(({ cause }) => cause)).toEqual(['withdrawn', 'first_observed']);
    const erased = (await (await pro('/records/permits:2026-0006/history')).json()) as Record<string, unknown>[];
    expect(erased.every(({ record }) => record === null)).toBe(true);
  });

  it.each([
    '/records/permits:9999',
    '/records/nothing:1',
    '/records/no-colon',
    '/records/permits:a%2Fb',
    '/records/permits:%00',
    '/records/permits:%zz',
    `/records/permits:${'x'.repeat(10_000)}`,
    '/records/permits:9999/history',
  ])('answers 404 to %s, also when asked conditionally', async (path) => {
    const { pro, errors } = await world({ samples: SAMPLES });
    const response = await pro(path, { headers: { 'if-modified-since': new Date().toUTCString() } });
    expect(response.status).toBe(404);
    expect(await problemOf(response)).toMatchObject({ code: 'unknown_record' });
    expect(errors).toEqual([]);
  });
});

describe('history', () => {
  it('is a bare array, newest first, collected by the specification’s client', async () => {
    const { pro, store } = await world({ samples: SAMPLES });
    for (let i = 1; i <= 4; i++) {
      const change = toPublishedRecord(sampleRecord(7, { title: `Version ${i + 1}` }), true);
      await store.apply('permits', [change], { recordedAt: LATER, cause: 'extraction_correction' });
    }
    const versions: { readonly version: number; readonly changed: readonly string[]; readonly record: object }[] = [];
    const limit = 2;
    for (;;) {
      const response = await pro(`/records/permits:2026-0007/history?limit=${limit}&offset=${versions.length}`);
      const page = (await response.json()) as typeof versions;
      expect(Array.isArray(page)).toBe(true);
      versions.push(...page);
      if (page.length < limit) break;
    }
    expect(versions.map(({ version }) => version)).toEqual([5, 4, 3, 2, 1]);
    expect(versions[0]).toMatchObject({
      cause: 'extraction_correction',
      recorded_at: LATER,
      changed: ['title'],
      record: { title: 'Version 5', data: {} },
    });
  });
});

describe('Link: rel="next"', () => {
  /** Follows it to the end. */
  async function walk<Item>(
    ask: (path: string) => Promise<Response>,
    first: string,
    itemsOf: (body: unknown) => readonly Item[],
  ): Promise<readonly (readonly Item[])[]> {
    const found: (readonly Item[])[] = [];
    for (let next: string | undefined = API + first; next !== undefined;) {
      const response = await ask(next);
      expect(response.status).toBe(200);
      found.push(itemsOf(await response.json()));
      const link = response.headers.get('link');
      const target: string | undefined = /^<([^>]+)>; rel="next"$/.exec(link ?? '')?.[1];
      expect(target ?? null === link).toBeTruthy();
      if (target !== undefined)
        expect(target).toMatch(/^https:\/\/registers\.example\.org\/api\/v1\/.*[?&]limit=2(?:&|$)/);
      next = target;
    }
    return found;
  }
  const numbers =
    (name: 'version' | 'change') =>
    (items: unknown): readonly number[] =>
      (items as readonly Record<string, number>[]).map((item) => item[name]!);

  it.each([
    [
      3,
      [
        [4, 3],
        [2, 1],
      ],
    ],
    [4, [[5, 4], [3, 2], [1]]],
  ])('leads through a history of one and %i versions, and is absent on its last page', async (changes, expected) => {
    const { pro, store } = await world({ samples: SAMPLES });
    for (let i = 1; i <= changes; i++) {
      const change = toPublishedRecord(sampleRecord(7, { title: `Version ${i + 1}` }), true);
      await store.apply('permits', [change], { recordedAt: LATER, cause: 'extraction_correction' });
    }
    expect(await walk(pro, '/records/permits:2026-0007/history?limit=2', numbers('version'))).toEqual(expected);
    expect((await pro('/records/permits:2026-0007/history?limit=2&offset=99')).headers.get('link')).toBeNull();
  });

  it.each([
    [
      4,
      [
        [117, 118],
        [119, 120],
      ],
    ],
    [3, [[118, 119], [120]]],
    [0, [[]]],
  ])('leads through the last %i changes, and is absent on their last page', async (count, expected) => {
    const path = `/feeds/permits/changes?since=${SAMPLES - count}&limit=2`;
    const versionsOf = (body: unknown): readonly number[] =>
      numbers('change')((body as { readonly versions: unknown }).versions);
    expect(await walk(pro, path, versionsOf)).toEqual(expected);
  });
});

describe('changes', () => {
  it('keep a copy in step, withdrawals included', async () => {
    const { pro, store } = await world({ samples: SAMPLES });
    await store.withdraw('permits', ['permits:2026-0003'], { recordedAt: LATER });
    const copy = new Set<string>();
    let since = '0';
    for (let last = 0; ;) {
      const response = await pro(`/feeds/permits/changes?since=${since}`);
      const { versions, next_since } = (await response.json()) as {
        readonly versions: readonly { readonly record_id: string; readonly cause: string; readonly change: number }[];
        readonly next_since: string;
      };
      expect(versions.map(({ change }) => change)).toEqual(versions.map((_, index) => last + index + 1));
      last += versions.length;
      expect(next_since).toMatch(new RegExp(`^[0-9a-f]{8}\\.${last}$`));
      for (const { record_id, cause } of versions) {
        if (cause === 'withdrawn') copy.delete(record_id);
        else copy.add(record_id);
      }
      if (next_since === since) break;
      since = next_since;
    }
    expect(copy.size).toBe(SAMPLES - 1);
    expect(copy.has('permits:2026-0003')).toBe(false);
  });

  it('refuse a number that no change has reached', async () => {
    const response = await pro(`/feeds/permits/changes?since=${SAMPLES + 1}`);
    expect(await problemOf(response)).toMatchObject({ status: 400, parameter: 'since' });
  });

  it('refuse every number of before, once the register was removed and made again', async () => {
    const { pro, store } = await world({ samples: SAMPLES });
    const ask = (since: string): Promise<Response> => pro(`/feeds/permits/changes?since=${since}`);
    const nextSince = async (since: string): Promise<string> =>
      ((await (await ask(since)).json()) as { readonly next_since: string }).next_since;
    const [before, after] = [await nextSince('3'), `00000000.${SAMPLES}`];
    expect((await ask(before)).status).toBe(200);
    expect(await problemOf(await ask(after))).toMatchObject({ status: 410, code: 'log_restarted', parameter: 'since' });
    await store.removeRegister('permits');
    await store.createRegister(SAMPLE_DEFINITION);
    await addSamples(store, 1, 2, LATER);
    for (const since of [before, '1', '2', String(SAMPLES), after]) {
      const problem = await problemOf(await ask(since));
      expect(problem).toMatchObject({ status: 410, code: 'log_restarted', parameter: 'since' });
      expect(problem.detail).toContain('start over with since=0');
    }
    expect(await nextSince(await nextSince('0'))).toMatch(/^[0-9a-f]{8}\.2$/);
  });
});

describe('statements', () => {
  it('come with each version, whole, where they are asked for', async () => {
    const { pro, store } = await world({ samples: SAMPLES });
    const said = toPublishedRecord(sampleRecord(1), true);
    const unnamed = { ...said, data: { ...said.data, number: '12.50', 'not declared': [1, { b: null }] } };
    await store.apply('permits', [unnamed], { recordedAt: LATER });
    await store.withdraw('permits', [said.id], { recordedAt: LATER });
    const [changes, history] = [`/feeds/permits/changes?since=${SAMPLES}`, `/records/${said.id}/history?limit=2`];
    type Versions = readonly { readonly statement?: { readonly data: unknown } | null }[];
    const versionsOf = async (path: string): Promise<Versions> => {
      const body = (await (await pro(path)).json()) as Versions | { readonly versions: Versions };
      return 'versions' in body ? body.versions : body;
    };
    for (const [path, order] of [
      [changes, 1],
      [history, -1],
    ] as const) {
      expect((await versionsOf(path)).some((version) => 'statement' in version)).toBe(false);
      const statements = (await versionsOf(`${path}&statement=1`)).map(({ statement }) => statement);
      const [stated, withdrawn] = order === 1 ? statements : statements.toReversed();
      expect(stated).toMatchObject({ id: said.id, title: said.title, data: unnamed.data });
      expect(stated).not.toHaveProperty('feed_id');
      expect(withdrawn).toBeNull();
    }
  });
});

describe('exports', () => {
  it.each(['csv', 'xlsx', 'xml', 'rss', 'atom'])('lead through the register as %s', async (format) => {
    const first = await pro(`/feeds/permits/records/export.${format}`);
    const next = `${API}/feeds/permits/records/export.${format}?limit=100&offset=100&as_of=${SAMPLES}`;
    expect(first.headers.get('link')).toBe(`<${next}>; rel="next"`);
    expect(first.headers.get('content-length')).toBe(String((await first.arrayBuffer()).byteLength));
    const second = await pro(next);
    expect([second.status, second.headers.get('link')]).toEqual([200, null]);
  });

  it('name the list in feeds', async () => {
    expect(await (await pro('/feeds/permits/records/export.atom?limit=1')).text()).toMatch(
      /https:\/\/registers\.example\.org\/api\/v1\/feeds\/permits\/records(?!\/)/,
    );
  });

  it.each(['pdf', 'ndjson', 'constructor', 'csv.csv'])('answer 404 to the format %j', async (format) => {
    const response = await pro(`/feeds/permits/records/export.${format}`);
    expect([response.status, (await problemOf(response)).code]).toEqual([404, 'unknown_format']);
  });
});

describe('without a key', () => {
  it.each([
    '/feeds/permits/records/export.csv',
    '/feeds/permits/records/export.xlsx',
    '/feeds/permits/changes',
    '/records/permits:2026-0120/history',
    '/feeds/unknown/changes',
  ])('%s answers 401 with a challenge', async (path) => {
    const response = await get(path, { headers: { 'if-none-match': '*' } });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="registers"');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await problemOf(response)).toMatchObject({ code: 'credentials_required' });
  });
});

describe('an unknown register', () => {
  it.each(['/feeds/none', '/feeds/none/records', '/feeds/None/records', '/feeds/%00', '/feeds/a%2Fb/register.xsd'])(
    'answers 404 to %s',
    async (path) => {
      expect(await problemOf(await get(path))).toMatchObject({ status: 404, code: 'unknown_feed' });
    },
  );

  it('is one that was removed, until it is made again', async () => {
    const { get, store } = await world({ samples: SAMPLES });
    const statuses = [(await get('/feeds/permits/records')).status];
    await store.removeRegister('permits');
    statuses.push((await get('/feeds/permits/records')).status);
    await store.createRegister(SAMPLE_DEFINITION);
    await addSamples(store, 1, 1);
    const made = await get('/feeds/permits/records');
    expect([...statuses, made.status]).toEqual([200, 404, 200]);
    await store.removeRegister('permits');
    await store.createRegister(SAMPLE_DEFINITION);
    // Nobody asked in between.
    expect(await pageOf(await get('/feeds/permits/records'))).toMatchObject({ records: [], as_of: null, total: 0 });
  });

  it('that no register can be called is asked of no store', async () => {
    const asked: string[] = [];
    const store = new (class extends DelegatingStore {
      override source(feedId: string): ReturnType<DelegatingStore['source']> {
        asked.push(feedId);
        return super.source(feedId);
      }
    })();
    const { get } = await world({ samples: SAMPLES, store });
    for (const path of ['/feeds/%00', '/feeds/UPPER/records', '/records/%00:1', '/records/permits:%00'])
      await get(path);
    expect(asked).toEqual([]);
    await get('/feeds/none');
    expect(asked).toEqual(['none']);
  });

  it('is one that was removed a moment ago', async () => {
    const { get, store } = await world({ samples: SAMPLES });
    expect((await get('/feeds/permits')).status).toBe(200);
    await store.removeRegister('permits');
    expect((await get('/feeds/permits')).status).toBe(404);
    expect((await get(`${BASE_URL}/api/v1/records/permits:2026-0001`)).status).toBe(404);
  });
});
