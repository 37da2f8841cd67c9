// Conditional requests as RFC 9110 section 13 tells them, on every kind of answer the service gives; and that a 304
// touches no record.
import { beforeEach, describe, expect, it } from 'vitest';
import type { RegisterSource } from '../../src/register/sources/source.ts';
import { DelegatingStore } from '../contracts/delegating-store.ts';
import { world, keyAt, statementAt } from '../world.ts';
import { at } from '../contracts/store-register.ts';

const COUNT = 12;
const OLD = `permits:${keyAt(2)}`;
const LIST = '/feeds/permits/records';
const EXPORTS = ['csv', 'xlsx', 'xml', 'rss', 'atom'].map((format) => `${LIST}/export.${format}`);
const PATHS = [
  '/feeds',
  '/feeds/permits',
  `${LIST}?limit=2`,
  ...EXPORTS,
  '/feeds/permits/changes?limit=3',
  '/feeds/permits/register.xsd',
  `/records/${OLD}`,
  `/records/${OLD}/history`,
  '/openapi.json',
  '/reference',
];

/** A store that counts how often anybody reads a record or a version. */
class CountingStore extends DelegatingStore {
  reads = 0;

  override async source(feedId: string): Promise<RegisterSource> {
    const source = await super.source(feedId);
    return {
      ...source,
      definition: source.definition,
      page: (query) => {
        this.reads++;
        return source.page(query);
      },
      revision: () => source.revision!(),
      ...(source.lastChange === undefined ? {} : { lastChange: () => source.lastChange!() }),
    };
  }

  override async record(...parameters: Parameters<DelegatingStore['record']>): ReturnType<DelegatingStore['record']> {
    this.reads++;
    return super.record(...parameters);
  }

  override async history(
    ...parameters: Parameters<DelegatingStore['history']>
  ): ReturnType<DelegatingStore['history']> {
    this.reads++;
    return super.history(...parameters);
  }

  override async changes(
    ...parameters: Parameters<DelegatingStore['changes']>
  ): ReturnType<DelegatingStore['changes']> {
    this.reads++;
    return super.changes(...parameters);
  }
}

const store = new CountingStore();
const service = await world({ store, records: COUNT });

const ask = async (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Response> =>
  service.get(path, { key: service.key, headers, method });
const tagOf = async (path: string): Promise<string> => (await ask(path)).headers.get('ETag')!;

describe.each(PATHS)('a conditional request to %s', (path) => {
  let etag: string;
  beforeEach(async () => {
    etag = await tagOf(path);
  });

  it('has a strong tag that stays as long as nothing changes', async () => {
    expect(etag).toMatch(/^"[\x21\x23-\x7e]+"$/);
    expect(await tagOf(path)).toBe(etag);
  });

  it.each(['GET', 'HEAD'])('is answered to %s by If-None-Match as RFC 9110 13.1.2 says', async (method) => {
    const gzip = `${etag.slice(0, -1)}-gzip"`;
    const table: readonly (readonly [string, number])[] = [
      [etag, 304],
      [`W/${etag}`, 304],
      ['*', 304],
      [`"other", ${etag}`, 304],
      [`"with, comma" , W/${etag},"x"`, 304],
      [gzip, 304],
      ['"other"', 200],
      [etag.slice(1, -1), 200],
      ['', 200],
    ];
    for (const [value, status] of table) {
      const response = await ask(path, { 'If-None-Match': value }, method);
      expect([value, response.status]).toEqual([value, status]);
      if (status === 304) {
        // RFC 9110 15.4.5: what a 200 would have said, and no body.
        expect([response.headers.get('ETag'), await response.text()]).toEqual([etag, '']);
        expect(response.headers.get('Vary')).toContain('Authorization');
        expect(response.headers.get('Cache-Control')).not.toBeNull();
        expect(response.headers.get('Content-Type')).toBeNull();
      }
    }
  });

  it('is refused by If-Match and If-Unmodified-Since where they do not hold (13.1.1, 13.1.4)', async () => {
    expect((await ask(path, { 'If-Match': etag })).status).toBe(200);
    expect((await ask(path, { 'If-Match': '*' })).status).toBe(200);
    expect((await ask(path, { 'If-Match': '"other"' })).status).toBe(412);
    // Strong comparison.
    expect((await ask(path, { 'If-Match': `W/${etag}` })).status).toBe(412);
    const long = 'Thu, 01 Jan 1970 00:00:10 GMT';
    const isDated = (await ask(path)).headers.has('Last-Modified');
    expect((await ask(path, { 'If-Unmodified-Since': long })).status).toBe(isDated ? 412 : 200);
    // 13.2.2: If-Match decides alone where it stands.
    expect((await ask(path, { 'If-Match': etag, 'If-Unmodified-Since': long })).status).toBe(200);
  });

  it('goes by If-Modified-Since only where there is no If-None-Match (13.1.3)', async () => {
    const modified = (await ask(path)).headers.get('Last-Modified');
    const late = 'Fri, 31 Dec 2100 00:00:00 GMT';
    // No answer said this date.
    expect((await ask(path, { 'If-Modified-Since': late })).status).toBe(200);
    expect((await ask(path, { 'If-Modified-Since': 'yesterday' })).status).toBe(200);
    if (modified === null) return;
    expect((await ask(path, { 'If-Modified-Since': modified })).status).toBe(304);
    expect((await ask(path, { 'If-Modified-Since': modified, 'If-None-Match': '"other"' })).status).toBe(200);
  });

  it('reads no record for a 304', async () => {
    for (const method of ['GET', 'HEAD']) {
      const before = store.reads;
      expect((await ask(path, { 'If-None-Match': etag }, method)).status).toBe(304);
      expect(store.reads - before).toBe(0);
    }
  });
});

describe('the tag of an answer', () => {
  it('changes with the register, and with everything that shapes the bytes', async () => {
    const before = new Map<string, string>();
    for (const path of PATHS) before.set(path, await tagOf(path));
    const tags = [...before.values()];
    expect(new Set(tags).size).toBe(tags.length);
    expect(await tagOf(`${LIST}?limit=3`)).not.toBe(before.get(`${LIST}?limit=2`));

    await store.apply('permits', [{ ...statementAt(2, COUNT), title: 'Changed' }], { recordedAt: at(3) });
    for (const path of PATHS) {
      // The schema's tag may go with the register's revision: its bytes are made of the definition alone.
      if (path === '/feeds/permits/register.xsd') continue;
      expect([path, (await tagOf(path)) === before.get(path)]).toEqual([path, path === '/reference']);
    }
  });

  it('belongs to one content coding', async () => {
    for (const path of [`${LIST}?limit=10`, `${LIST}/export.csv`, `${LIST}/export.atom`]) {
      const plain = await ask(path, { 'Accept-Encoding': 'identity' });
      const gzip = await ask(path, { 'Accept-Encoding': 'gzip' });
      expect([plain.headers.get('Content-Encoding'), gzip.headers.get('Content-Encoding')]).toEqual([null, 'gzip']);
      expect(gzip.headers.get('ETag')).not.toBe(plain.headers.get('ETag'));
      const again = { 'Accept-Encoding': 'gzip', 'If-None-Match': gzip.headers.get('ETag')! };
      expect((await ask(path, again)).status).toBe(304);
    }
  });

  it('comes with Last-Modified only once the last change is more than two seconds old', async () => {
    const path = `${LIST}/export.csv`;
    const changed = at(90);
    await store.apply('permits', [{ ...statementAt(3, COUNT), title: 'Changed' }], { recordedAt: changed });
    service.clock.now = Date.parse(changed) + 1500;
    expect((await ask(path)).headers.has('Last-Modified')).toBe(false);
    service.clock.now = Date.parse(changed) + 4000;
    expect((await ask(path)).headers.get('Last-Modified')).toBe(new Date(changed).toUTCString());
  });
});
