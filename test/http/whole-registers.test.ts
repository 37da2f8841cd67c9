// Whole registers in one answer: the bytes of `gazette export`, made while they are sent, by a few at once, for those who may have
// them as long as they may.
import { join } from 'node:path';
import { createGunzip, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { GazetteError } from '../../src/errors.ts';
import { EXPORT_FORMATS } from '../../src/formats/index.ts';
import type { Format } from '../../src/formats/format.ts';
import { defineRegister } from '../../src/register/definition.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { folder, gazette } from '../cli/run.ts';
import { wholeRegistersContract } from '../contracts/whole-registers-contract.ts';
import { WatchedWalks } from '../contracts/watched-walks.ts';
import { addSamples, API, BASE_URL, SAMPLES, type World, world, type WorldOptions } from '../world.ts';
import { at, say } from '../contracts/store-register.ts';
import { until } from '../until.ts';

const CSV = '/feeds/permits/register.csv';

type Ask = (path: string, headers?: Record<string, string>, method?: string) => Promise<Response>;

/** A service over the samples. */
interface SampleService extends Omit<World, 'get' | 'pro'> {
  readonly get: Ask;
  readonly pro: Ask;
}

async function sampleService(options: WorldOptions = {}): Promise<SampleService> {
  const { get, pro, ...rest } = await world({ samples: SAMPLES, ...options });
  return {
    ...rest,
    get: (path, headers = {}, method = 'GET') => get(path, { headers, method }),
    pro: (path, headers = {}, method = 'GET') => pro(path, { headers, method }),
  };
}

async function bytesOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

/** A service over a register of so many records that its walk has many pages, and what watches them. */
async function watchedService(options: WorldOptions = {}): Promise<SampleService & { readonly walks: WatchedWalks }> {
  const store = SqliteStore.open(':memory:');
  const walks = new WatchedWalks(store);
  const service = await sampleService({ ...options, store });
  await addSamples(store, SAMPLES + 1, 3000);
  return { ...service, walks };
}

describe('a whole register', () => {
  it.each([
    ['csv', '', []],
    ['ndjson', '', []],
    ['xml', '', []],
    ['xlsx', '', []],
    ['parquet', '', []],
    ['csv', '?document_type=adopted', ['--filter', 'document_type=adopted']],
    ['ndjson', '?fields=title,data.amount&q=permit', ['--fields', 'title,data.amount', '--filter', 'q=permit']],
    [
      'xml',
      '?document_type=adopted&document_type=draft',
      ['--filter', 'document_type=adopted', '--filter', 'document_type=draft'],
    ],
    ['xlsx', '?published_since=2026-01-01', ['--filter', 'published_since=2026-01-01']],
    ['parquet', '?document_type=draft&fields=id%2Ctitle', ['--fields', 'title', '--filter', 'document_type=draft']],
  ])('as %s%s is what gazette export writes, byte for byte', async (format, query, options) => {
    const path = join(await folder(), 'store.db');
    const store = SqliteStore.open(path);
    const service = await sampleService({ store });
    const address = `/feeds/permits/register.${format}`;
    const response = await service.pro(address + query);
    expect(response.status).toBe(200);
    const self = ['xml', 'xlsx', 'parquet'].includes(format) ? ['--self', API + address + query] : [];
    const schema = format === 'xml' ? ['--schema-location', `${API}/feeds/permits/register.xsd`] : [];
    const args = ['export', 'permits', '--store', path, '--format', format, ...options, ...self, ...schema];
    const exported = await gazette(args);
    expect(exported).toMatchObject({ code: 0, stderr: '' });
    expect(exported.stdout.length).toBeGreaterThan(1000);
    expect((await bytesOf(response)).equals(exported.stdout)).toBe(true);
    await store.close();
  });

  it('is named by what it holds, to be saved and not shown', async () => {
    const { pro } = await sampleService();
    const name = async (path: string): Promise<string | null> => {
      const { headers } = await pro(path, {}, 'HEAD');
      return headers.get('content-disposition');
    };
    expect(await name(CSV)).toBe('attachment; filename="permits.csv"');
    expect(await name('/feeds/permits/register.xml?document_type=adopted')).toBe(
      'attachment; filename="permits-document_type-adopted.xml"',
    );
    const names = await Promise.all(
      ['2026-05-01', '2026-05-01T01:00:00%2B01:00', '2026-04-30T01:00:00-01:00&document_type=adopted'].map((moment) =>
        name(`${CSV}?at=${moment}`),
      ),
    );
    expect(names).toEqual([
      'attachment; filename="permits-at-2026-05-01T000000Z.csv"',
      'attachment; filename="permits-at-2026-05-01T010000+0100.csv"',
      'attachment; filename="permits-document_type-adopted-at-2026-04-30T010000-0100.csv"',
    ]);
  });

  it('begins with a byte-order mark where the address says so', async () => {
    const { pro } = await sampleService();
    const plain = await bytesOf(await pro(CSV));
    const marked = await pro(`${CSV}?bom=1`);
    expect((await bytesOf(marked)).equals(Buffer.concat([Buffer.from('\uFEFF'), plain]))).toBe(true);
    expect(marked.headers.get('etag')).not.toBe((await pro(CSV)).headers.get('etag'));
    for (const path of [`${CSV}?bom=0`, '/feeds/permits/register.xml?bom=1']) {
      const refused = await pro(path);
      expect(await refused.json()).toMatchObject({ status: 400, code: 'invalid_parameter', parameter: 'bom' });
    }
  });

  it.each([
    ['gzip', 'gzip', gunzipSync],
    ['zstd, br, gzip', 'zstd', zstdDecompressSync],
    ['br', null, (bytes: Buffer) => bytes],
  ] as const)('is sent to who accepts %s as %s, with a tag of its own', async (accepted, coding, decode) => {
    const { pro } = await sampleService();
    const plain = await pro(CSV);
    const coded = await pro(CSV, { 'accept-encoding': accepted });
    expect(coded.headers.get('content-encoding')).toBe(coding);
    expect(decode(await bytesOf(coded)).equals(await bytesOf(plain))).toBe(true);
    const tag = coded.headers.get('etag')!;
    if (coding !== null) expect(tag).not.toBe(plain.headers.get('etag'));
    const again = await pro(CSV, { 'accept-encoding': accepted, 'if-none-match': tag });
    expect([again.status, again.headers.get('etag')]).toEqual([304, tag]);
    expect((await pro(CSV, { 'accept-encoding': accepted, 'if-match': '"other"' })).status).toBe(412);
  });

  it('can be read as far as it came, compressed too', async () => {
    const { pro, walks } = await watchedService();
    const held = Promise.withResolvers<undefined>();
    walks.before = (pages) => (pages < 20 ? undefined : held.promise);
    const reader = (await pro(CSV, { 'accept-encoding': 'gzip' })).body!.getReader();
    const gunzip = createGunzip();
    let text = '';
    gunzip.on('data', (chunk: Buffer) => (text += chunk.toString()));
    gunzip.write((await reader.read()).value);
    await until('the first records', () => text.includes('permits:'));
    held.resolve(undefined);
    await reader.cancel();
  });

  it('is not compressed as a workbook', async () => {
    const { pro } = await sampleService();
    const { headers } = await pro('/feeds/permits/register.xlsx', { 'accept-encoding': 'gzip' }, 'HEAD');
    expect(headers.get('content-encoding')).toBeNull();
  });

  it('has another tag after every change, and none that lasts where a writer does not say its version', async () => {
    const lines: Format = {
      name: 'ids',
      mediaType: 'text/plain; charset=utf-8',
      extension: 'txt',
      open: (out) => ({
        write: ({ records }) => {
          for (const { id } of records) out.text(`${id}\n`);
        },
        close: () => undefined,
      }),
    };
    const { pro, store } = await sampleService({ formats: [...EXPORT_FORMATS, lines] });
    const tag = async (path: string): Promise<string> => (await pro(path, {}, 'HEAD')).headers.get('etag')!;
    const before = await tag(CSV);
    expect(await tag(CSV)).toBe(before);
    const ids = await tag('/feeds/permits/register.ids');
    const again = await pro('/feeds/permits/register.ids', { 'if-none-match': ids });
    expect(again.status).toBe(200);
    // Nothing names its bytes.
    expect(['content-location', 'accept-ranges'].filter((name) => again.headers.has(name))).toEqual([]);
    await addSamples(store, SAMPLES + 1, SAMPLES + 1);
    expect(await tag(CSV)).not.toBe(before);
  });

  it.each(['document_type=adopted', 'q=permit&published_since=2026-01-01', `at=${at(1)}&document_type=adopted`])(
    'says under %s how many records it has, and without a filter nothing',
    async (query) => {
      const { pro } = await sampleService();
      const whole = await pro(`/feeds/permits/register.ndjson?${query}`);
      const count = (await whole.text()).split('\n').length - 1;
      expect([count > 0, count < SAMPLES]).toEqual([true, true]);
      expect(whole.headers.get('gazette-matched')).toBe(String(count));
      const named = await pro(whole.headers.get('content-location')!.slice(API.length));
      expect([named.headers.get('gazette-matched'), (await bytesOf(named)).length > 0]).toEqual([String(count), true]);
      expect((await pro(CSV)).headers.has('gazette-matched')).toBe(false);
    },
  );

  it('answers HEAD, 304 and 412 without reading a record', async () => {
    const { pro, store } = await watchedService();
    let pages = 0;
    const source = await store.source('permits');
    store.source = async () => ({ ...source, page: (query) => (pages++, source.page(query)) });
    const head = await pro(CSV, {}, 'HEAD');
    expect([head.status, head.headers.has('content-length'), await head.text()]).toEqual([200, false, '']);
    await pro(CSV, { 'if-none-match': head.headers.get('etag')! });
    await pro(CSV, { 'if-match': '"other"' });
    expect(pages).toBe(0);
    await (await pro(CSV)).arrayBuffer();
    expect(pages).toBe(1);
  });

  it.each([
    ['/feeds/permits/register.rss', 404, 'unknown_format'],
    ['/feeds/none/register.csv', 404, 'unknown_feed'],
    [`${CSV}?limit=5`, 400, 'unknown_parameter'],
    [`${CSV}?as_of=5`, 400, 'unknown_parameter'],
    [`${CSV}?document_typ=adopted`, 400, 'unknown_parameter'],
    [`${CSV}?data.nothing=1`, 400, 'unknown_parameter'],
    [`${CSV}?fields=nothing`, 400, 'invalid_parameter'],
  ])('refuses %s with %i %s', async (path, status, code) => {
    const { pro } = await sampleService();
    const response = await pro(path);
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([status, code]);
  });

  it('says what prevents its first page by a status, and gives its place back', async () => {
    const { pro, store } = await watchedService();
    const source = await store.source('permits');
    store.source = async () => ({
      ...source,
      page: () => {
        throw new GazetteError('index_building', 'not yet');
      },
    });
    for (let i = 0; i < 10; i++) expect(await (await pro(CSV)).json()).toMatchObject({ code: 'index_building' });
  });
});

describe('a whole register as GeoJSON', () => {
  const fields = (['latitude', 'longitude'] as const).map((name) => ({ name, label: name, type: 'number' as const }));
  const FILE = '/feeds/sites/register.geojson';

  /** A service over the samples, which have no places, and an open register that has some. */
  async function placedService(store: SqliteStore): Promise<SampleService> {
    const service = await sampleService({ store });
    await store.createRegister(
      defineRegister({ id: 'sites', title: 'Sites', created_at: at(0), access: 'open', fields }),
    );
    const sites = ['1', '2'].map((key) => say(key, { data: { latitude: 46.9, longitude: Number(key) } }, 'sites'));
    await store.apply('sites', sites, { recordedAt: at(1) });
    return service;
  }

  it('is what gazette export writes, byte for byte, where its records have places', async () => {
    const path = join(await folder(), 'store.db');
    const store = SqliteStore.open(path);
    const { get } = await placedService(store);
    const response = await get(FILE);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/geo+json']);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="sites.geojson"');
    const exported = await gazette(['export', 'sites', '--store', path, '--format', 'geojson']);
    expect(exported).toMatchObject({ code: 0, stderr: '' });
    const document = await bytesOf(response);
    expect(document.equals(exported.stdout)).toBe(true);
    expect(document.toString()).toContain('{"coordinates":[2,46.9],"type":"Point"}');
    const refused = await gazette(['export', 'permits', '--store', path, '--format', 'geojson']);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('geojson needs two fields of numbers, latitude and longitude, or') as string,
    });
    await store.close();
  });

  it('is refused where they have none, for everybody and every method', async () => {
    const { pro } = await placedService(SqliteStore.open(':memory:'));
    const refused = await pro('/feeds/permits/register.geojson');
    expect(refused.status).toBe(404);
    expect(await refused.json()).toMatchObject({
      code: 'unknown_format',
      detail: expect.stringContaining('which register permits lacks') as string,
    });
    expect((await pro('/feeds/permits/register.geojson', {}, 'HEAD')).status).toBe(404);
  });

  it('is named where it is, and nowhere else', async () => {
    const { get, pro, store } = await placedService(SqliteStore.open(':memory:'));
    await store.updateRegister(
      { ...(await store.register('permits'))!.definition, access: 'open' },
      { recordedAt: at(1) },
    );
    const { feeds } = (await (await get('/feeds')).json()) as { feeds: { links: { register: object } }[] };
    expect(feeds.map(({ links }) => Object.keys(links.register).includes('geojson'))).toEqual([false, true]);
    for (const [feedId, isThere] of [
      ['permits', false],
      ['sites', true],
    ] as const) {
      const [own, site] = [`/feeds/${feedId}`, BASE_URL];
      for (const path of [own, `${own}/openapi.json`, site + own, `${site}/guide?register=${feedId}`]) {
        expect([path, (await (await pro(path)).text()).includes('geojson')]).toEqual([path, isThere]);
      }
    }
    expect(await (await get('/openapi.json')).text()).toContain('application/geo+json');
  });
});

describe('who may have it', () => {
  it('are those with a key, and everybody where the register is open', async () => {
    const { get, pro, store } = await sampleService();
    const refused = await get(CSV);
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ code: 'credentials_required' });
    expect((await get(CSV, {}, 'HEAD')).status).toBe(401);
    expect((await pro(CSV)).headers.get('cache-control')).toBe('private, no-cache');
    await store.updateRegister(
      { ...(await store.register('permits'))!.definition, access: 'open' },
      { recordedAt: at(0) },
    );
    const open = await get(CSV);
    expect([open.status, open.headers.get('cache-control')]).toEqual([200, 'public, max-age=60']);
    expect((await bytesOf(open)).equals(await bytesOf(await pro(CSV)))).toBe(true);
  });

  it('get a page in a browser if they may not', async () => {
    const { get } = await sampleService();
    for (const path of [CSV, '/feeds/permits/records/export.csv', `${BASE_URL}/feeds/permits/register.csv`]) {
      const refused = await get(path, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
      expect([refused.status, refused.headers.get('content-type')]).toEqual([401, 'text/html; charset=utf-8']);
      expect(refused.headers.get('content-security-policy')).toContain("default-src 'none'");
      const page = await refused.text();
      expect(page).toContain('needs an API key');
      expect(page).toContain('/guide#keys');
    }
    expect((await get(CSV, { accept: '*/*' })).headers.get('content-type')).toBe('application/problem+json');
  });
});

describe('while it is sent', () => {
  it('is logged once, at its end, with its bytes', async () => {
    const { pro, lines } = await sampleService();
    const response = await pro(CSV);
    expect(lines).toEqual([]);
    const { length } = await bytesOf(response);
    expect(lines).toEqual([expect.objectContaining({ status: 200, bytes: length })]);
    expect(lines[0]).not.toHaveProperty('broken_off');
  });

  /** A service with an open register, and who asks it for all of that. */
  async function openService(options: WorldOptions = {}) {
    const service = await watchedService(options);
    const { definition } = (await service.store.register('permits'))!;
    await service.store.updateRegister({ ...definition, access: 'open' }, { recordedAt: at(0) });
    const ask = (address: string | undefined, authorization?: string): Promise<Response> =>
      service.fetch(new Request(API + CSV, authorization === undefined ? {} : { headers: { authorization } }), {
        remoteAddress: address,
      });
    return { ...service, ask };
  }

  async function refused(response: Response): Promise<void> {
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '30']);
    expect(await response.json()).toMatchObject({
      code: 'too_many_downloads',
      detail: 'at most 4 whole registers are sent at once, and 2 to one caller',
    });
  }

  it('takes one of few places, and gives it back whatever its end', async () => {
    const { key, accounts, walks, ask, ...service } = await openService();
    const [one, two] = [await ask('203.0.113.1'), await ask('203.0.113.1')];
    await refused(await ask('203.0.113.1'));
    // A key is another caller; its keys are one.
    const { key: other } = await accounts.createKey('acme');
    const [three, four] = [await ask('203.0.113.1', `Bearer ${key}`), await ask('203.0.113.2', `Bearer ${other}`)];
    expect([one, two, three, four].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await refused(await ask('203.0.113.3'));
    await refused(await ask(undefined));
    expect((await service.fetch(new Request(`${API}/feeds/permits/records`))).status).toBe(200);
    expect((await service.fetch(new Request(API + CSV, { method: 'HEAD' }))).status).toBe(200);

    await one.body!.cancel();
    await bytesOf(two);
    const failing = await ask('203.0.113.4');
    walks.before = () => {
      throw new Error('the disk is gone');
    };
    await expect(bytesOf(failing)).rejects.toThrow();
    walks.before = () => undefined;
    expect((await ask('203.0.113.5')).status).toBe(200);
    expect((await ask('203.0.113.6')).status).toBe(200);
    await refused(await ask('203.0.113.7'));
  });

  it('keeps its place for a minute in which nothing of it is read, or until another needs that', async () => {
    const errors: unknown[] = [];
    const lines: object[] = [];
    const logger = { info: (line: object) => lines.push(line), error: (line: object) => errors.push(line) };
    const { ask, walks } = await openService({ logger });
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    onTestFinished(() => {
      clock.mockRestore();
    });
    const readers: ReadableStreamDefaultReader<Uint8Array>[] = [];
    const begun = async (address: string): Promise<void> => {
      const response = await ask(address);
      expect(response.status).toBe(200);
      readers.push(response.body!.getReader());
    };
    const readEnd = async (reader: number): Promise<void> => {
      while (!(await readers[reader]!.read()).done);
    };
    const breaksOff = (reader: number): Promise<void> => expect(readEnd(reader)).rejects.toThrow('broken off');
    await begun('203.0.113.1');
    now = 1;
    await begun('203.0.113.2');
    await begun('203.0.113.2');
    now = 2;
    await begun('203.0.113.1');
    now = 60_000;
    // Who reads has begun anew to wait.
    await readers[0]!.read();
    await refused(await ask('203.0.113.3'));
    now = 60_002;
    // Who has as many as one caller may have loses one of them, and nobody else does.
    await begun('203.0.113.1');
    await breaksOff(3);
    await refused(await ask('203.0.113.1'));
    // These wait for the store, and not the store for them.
    const { promise: isRead, resolve: goOn } = Promise.withResolvers<undefined>();
    let waiting = 0;
    walks.before = () => {
      waiting++;
      return isRead;
    };
    const ends = [0, 1, 4].map((reader) => readEnd(reader));
    await until('the store', () => waiting === 3);
    now = 200_000;
    await begun('203.0.113.3');
    await breaksOff(2);
    await refused(await ask('203.0.113.3'));
    goOn(undefined);
    await Promise.all([...ends, readEnd(5)]);
    expect(errors).toEqual([]);
    expect(lines.filter((line) => 'broken_off' in line)).toHaveLength(2);
  });
});

wholeRegistersContract('SQLite', async () => {
  const store = SqliteStore.open(':memory:');
  return { store, dispose: () => store.close() };
});
