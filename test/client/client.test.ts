// The consumer's client against the real service, with the faults of real networks in between.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CachedAnswer, ClientOptions } from '../../src/client/index.ts';
import { exportPages } from '../../src/client/export-pages.ts';
import { history } from '../../src/client/history.ts';
import { linkTarget } from '../../src/client/link-header.ts';
import { records } from '../../src/client/records.ts';
import { type Fault, type FaultyService, startFaultyService } from './faulty-service.ts';
import { keyAt, statementAt } from '../contracts/deployment.ts';
import { at } from '../contracts/store-register.ts';

const COUNT = 30;
const ALL = Array.from({ length: COUNT }, (_, index) => `permits:${keyAt(COUNT - index)}`);

let service: FaultyService;
let waits: number[];
let options: ClientOptions;
beforeEach(async () => {
  service = await startFaultyService(COUNT);
  waits = [];
  options = {
    key: service.key,
    random: () => 1,
    sleep: async (ms) => {
      waits.push(ms);
    },
  };
});
afterEach(() => service.stop());

const list = (query = ''): string => `${service.url}/api/v1/feeds/permits/records${query}`;
const csvUrl = (query = ''): string => `${service.url}/api/v1/feeds/permits/records/export.csv${query}`;
const ids = async (more: Parameters<typeof records>[1] = {}, query = ''): Promise<string[]> =>
  (await Array.fromAsync(records(list(query), { ...options, ...more }))).map(({ id }) => id);
const csvIds = async (more: ClientOptions & { limit?: number } = {}): Promise<string[]> => {
  const pages = await Array.fromAsync(exportPages(csvUrl(), { ...options, ...more }));
  return pages.flatMap(({ body }) => parse<{ id: string }>(Buffer.from(body), { columns: true }).map(({ id }) => id));
};

describe('records()', () => {
  it.each([1, 7, 30, 100])('gives every record once, %i a page', async (limit) => {
    expect(await ids({ limit })).toEqual(ALL);
    expect(service.asked.every(({ authorization }) => authorization === `Bearer ${service.key}`)).toBe(true);
  });

  it('gives the latest three without a key', async () => {
    expect((await Array.fromAsync(records(list(), { sleep: async () => undefined }))).map(({ id }) => id)).toEqual(
      ALL.slice(0, 3),
    );
  });

  it('takes filters, and goes on through empty pages', async () => {
    const adopted = ALL.filter((id) => Number(id.slice(-3)) % 3 === 0);
    expect(await ids({ filter: { documentType: 'adopted' }, limit: 1 })).toEqual(adopted);
    const empty = JSON.stringify({ feed_id: 'permits', records: [], next_offset: 3, as_of: COUNT, total: COUNT });
    service.faults.push({ status: 200, headers: { 'Content-Type': 'application/json' }, body: empty });
    expect(await ids({ limit: 10 })).toEqual(ALL.slice(3));
  });

  it('gives what was there all the time, once, while the register is written to', async () => {
    let written = 0;
    service.onRequest = async () => {
      written++;
      await service.store.apply('permits', [statementAt(1000 + written, COUNT)], { recordedAt: at(10 + written) });
      if (written === 2) await service.store.withdraw('permits', [`permits:${keyAt(5)}`], { recordedAt: at(50) });
    };
    const found = await ids({ limit: 4 });
    expect(new Set(found).size).toBe(found.length);
    expect(found).toEqual(expect.arrayContaining(ALL.filter((id) => id !== `permits:${keyAt(5)}`)));
  });

  it.each<[string, string]>([
    ['no list', '[]'],
    ['no records', '{"next_offset":null}'],
    ['a next_offset that leads nowhere', '{"records":[],"next_offset":0}'],
    ['half a body', '{"records":['],
    ['a record without id', '{"records":[{}],"next_offset":null}'],
  ])('refuses %s', async (_, body) => {
    service.faults.push({ status: 200, body });
    await expect(ids()).rejects.toMatchObject({ code: 'invalid_answer' });
  });
});

describe('exportPages()', () => {
  it('follows Link to the last page', async () => {
    expect(await csvIds({ limit: 7 })).toEqual(ALL);
  });

  it('goes to no other origin, by Link or by redirection, and shows the key to none', async () => {
    const strangers: (string | undefined)[] = [];
    const stranger = createServer((request, response) => {
      strangers.push(request.headers.authorization);
      response.end('id\r\nstolen\r\n');
    });
    stranger.listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const elsewhere = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}/export.csv`;
    const hostile: Fault[] = [
      { status: 200, headers: { Link: `<${elsewhere}>; rel="next"` }, body: 'id\r\n' },
      { status: 302, headers: { Location: elsewhere } },
      { status: 307, headers: { Location: `//127.0.0.1:${new URL(elsewhere).port}/x` } },
      { status: 200, headers: { Link: `<http://user:secret@${new URL(elsewhere).host}/>; rel=next` }, body: 'id\r\n' },
    ];
    for (const fault of hostile) {
      service.faults.push(fault);
      await expect(csvIds()).rejects.toMatchObject({ code: 'foreign_address' });
    }
    expect(strangers).toEqual([]);
    stranger.close();
  });

  it('follows redirections within the origin, and not for ever', async () => {
    service.faults.push({ status: 301, headers: { Location: `${csvUrl()}?limit=100` } });
    expect(await csvIds()).toEqual(ALL);
    for (let i = 0; i < 60; i++) service.faults.push({ status: 302, headers: { Location: csvUrl() } });
    await expect(csvIds()).rejects.toMatchObject({ code: 'request_failed' });
    service.faults.length = 0;
  });

  it('does not go round in a circle', async () => {
    service.faults.push({ status: 200, headers: { Link: `<${csvUrl()}>; rel="next"` }, body: 'id\r\n' });
    await expect(csvIds()).rejects.toMatchObject({ code: 'invalid_answer' });
  });
});

describe('history()', () => {
  it.each([1, 2, 3, 6, 100])('gives every version once, %i a page, also while one is recorded', async (limit) => {
    const change = async (title: string, minute: number): Promise<void> => {
      await service.store.apply('permits', [{ ...statementAt(4, COUNT), title }], { recordedAt: at(minute) });
    };
    for (let minute = 1; minute <= 5; minute++) await change(`Title ${minute}`, minute);
    let asked = 0;
    service.onRequest = async () => {
      if (++asked === 2) await change('Meanwhile', 20);
    };
    const url = `${service.url}/api/v1/records/permits:${keyAt(4)}/history`;
    const versions = (await Array.fromAsync(history(url, { ...options, limit }))).map(({ version }) => version);
    expect(versions).toEqual([6, 5, 4, 3, 2, 1]);
  });
});

describe('a client in trouble', () => {
  const faults = fc.constantFrom<Fault>(
    null,
    'reset',
    'cut',
    { status: 503 },
    { status: 503, headers: { 'Retry-After': '2' } },
    { status: 429, headers: { 'Retry-After': '1' } },
    { status: 502, body: '<html>' },
  );

  it('collects exactly the register through cut connections, 429 and 503', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(faults, { maxLength: 12 }), fc.integer({ min: 3, max: 30 }), async (script, limit) => {
        service.faults.push(...script);
        expect(await ids({ limit, attempts: 20 })).toEqual(ALL);
        service.faults.push(...script);
        expect(await csvIds({ limit, attempts: 20 })).toEqual(ALL);
        service.faults.length = 0;
      }),
      { numRuns: 40 },
    );
  });

  it('waits as long as it is told, else twice as long each time', async () => {
    service.clock.now = Date.parse('2026-05-01T12:00:00Z');
    service.faults.push({ status: 503, headers: { 'Retry-After': '7' } }, 'reset', 'reset', {
      status: 429,
      headers: { 'Retry-After': 'Fri, 01 May 2026 12:00:05 GMT' },
    });
    expect(await ids({ now: () => service.clock.now })).toEqual(ALL);
    expect(waits).toEqual([7000, 1000, 2000, 5000]);
  });

  it('gives up where the service asks for too long, and after so many tries', async () => {
    service.faults.push({ status: 503, headers: { 'Retry-After': '4000' } });
    await expect(ids()).rejects.toMatchObject({ code: 'request_failed' });
    expect(waits).toEqual([]);
    service.faults.push('reset', 'reset', 'reset');
    await expect(ids({ attempts: 3 })).rejects.toMatchObject({ code: 'request_failed' });
    service.faults.push({ status: 503 }, { status: 503 });
    await expect(ids({ attempts: 2 })).rejects.toMatchObject({ code: 'request_refused', details: { status: 503 } });
  });

  it('does not try again what will not change', async () => {
    const before = service.asked.length;
    await expect(ids({ key: 'gz_nonsense' })).rejects.toMatchObject({
      code: 'request_refused',
      details: { status: 401, code: 'malformed_key' },
    });
    expect(service.asked.length - before).toBe(1);
    expect(waits).toEqual([]);
  });

  it('waits no longer than a try may take', async () => {
    service.onRequest = () => new Promise((resolve) => setTimeout(resolve, 400));
    await expect(ids({ timeoutMs: 50, attempts: 2 })).rejects.toMatchObject({ code: 'request_failed' });
    service.onRequest = () => undefined;
  });

  it('stops when it is told to, also in the middle of a wait', async () => {
    const stop = new AbortController();
    service.faults.push({ status: 503, headers: { 'Retry-After': '60' } });
    const walk = Array.fromAsync(records(list(), { key: service.key, signal: stop.signal }));
    setTimeout(() => {
      stop.abort();
    }, 50);
    await expect(walk).rejects.toMatchObject({ code: 'aborted' });
  });

  it('revalidates what it knows, and is not sent it again', async () => {
    const cache = new Map<string, CachedAnswer>();
    expect(await ids({ cache, limit: 10 })).toEqual(ALL);
    const before = service.asked.length;
    expect(await ids({ cache, limit: 10 })).toEqual(ALL);
    expect(service.asked.slice(before).map(({ status }) => status)).toEqual([304, 304, 304]);
    await service.store.apply('permits', [{ ...statementAt(4, COUNT), title: 'Changed' }], { recordedAt: at(9) });
    const again = await Array.fromAsync(records(list(), { ...options, cache, limit: 10 }));
    expect(again.find(({ id }) => id === `permits:${keyAt(4)}`)!.title).toBe('Changed');
  });
});

describe('a Link header', () => {
  it.each<[string | null, string | null]>([
    [null, null],
    ['', null],
    ['<https://a/>; rel="next"', 'https://a/'],
    ['<https://a/>; rel=next', 'https://a/'],
    ['<https://a/>;rel="prev", <https://b/>; title="a, b; c"; rel="last next"', 'https://b/'],
    ['<https://a/?x=1,2;3>; REL="NEXT"', 'https://a/?x=1,2;3'],
    ['<https://a/>; rel="nextish"', null],
    ['https://a/; rel="next"', null],
    ['<https://a/>; title="x\\", rel=next"; rel=prev', null],
  ])('of %s leads to %s', (header, target) => {
    expect(linkTarget(header, 'next')).toBe(target);
  });
});
