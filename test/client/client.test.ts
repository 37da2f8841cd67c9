// The consumer's client against the real service, with the faults of real networks in between.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CachedAnswer, ClientOptions } from '../../src/client/client-options.ts';
import type { PageOptions } from '../../src/client/address.ts';
import { changes, type ChangesOptions } from '../../src/client/changes.ts';
import { exportPages } from '../../src/client/export-pages.ts';
import { history, type HistoryOptions } from '../../src/client/history.ts';
import { records } from '../../src/client/records.ts';
import { renumber } from '../../src/operate/registers/renumber.ts';
import { type Fault, type FaultyService, startFaultyService, withoutWaits } from './faulty-service.ts';
import { keyAt, statementAt } from '../world.ts';
import { at } from '../contracts/store-register.ts';
import { letPass } from '../until.ts';
import { tries } from '../effort.ts';

const COUNT = 30;
const ALL = Array.from({ length: COUNT }, (_, index) => `permits:${keyAt(COUNT - index)}`);

let service: FaultyService;
let waits: number[];
let options: ClientOptions;
beforeEach(async () => {
  service = await startFaultyService(COUNT);
  ({ options, waits } = withoutWaits(service));
  options = { ...options, random: () => 1 };
});
afterEach(() => service.stop());

const list = (query = ''): string => `${service.url}/api/v1/feeds/permits/records${query}`;
const csvUrl = (query = ''): string => `${service.url}/api/v1/feeds/permits/records/export.csv${query}`;
const ids = async (more: Parameters<typeof records>[1] = {}, query = ''): Promise<string[]> =>
  (await Array.fromAsync(records(list(query), { ...options, ...more }))).map(({ id }) => id);
const csvIds = async (more: ClientOptions & PageOptions = {}): Promise<string[]> => {
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
    const facilityOnly = ALL.slice(0, 2).concat(['permits:007']);
    for (const id of facilityOnly) {
      const statement = statementAt(Number(id.slice(-3)), COUNT);
      await service.store.apply('permits', [{ ...statement, facility_id: 'FAC-0009' }], { recordedAt: at(5) });
    }
    expect(await ids({ filter: { document_type: 'adopted' }, limit: 1 })).toEqual(adopted);
    expect(await ids({ filter: { facility_id: 'FAC-0009' }, limit: 2 })).toEqual(facilityOnly);
    expect(await csvIds({ filter: { document_type: 'adopted' }, limit: 4 })).toEqual(adopted);
    expect(await csvIds({ filter: { facility_id: 'FAC-0009' }, limit: 2 })).toEqual(facilityOnly);
    const words = { q: '"permit number" -7', document_type: ['adopted', 'draft'], updated_since: '2026-05-01' };
    const found = ALL.filter((id) => id !== `permits:${keyAt(7)}`);
    expect(await ids({ filter: words, limit: 3 })).toEqual(found);
    expect(await csvIds({ filter: words, limit: 50 })).toEqual(found);
    // What the address asks for stays, and what the options ask for replaces it.
    expect(await ids({ filter: { key: [keyAt(3), keyAt(1)] } }, '?document_type=adopted')).toEqual([
      `permits:${keyAt(3)}`,
    ]);
    const empty = JSON.stringify({ feed_id: 'permits', records: [], next_offset: 3, as_of: COUNT, total: COUNT });
    service.faults.push({ status: 200, headers: { 'Content-Type': 'application/json' }, body: empty });
    expect(await ids({ limit: 10 })).toEqual(ALL.slice(3));
  });

  it('gives the members that are asked for', async () => {
    const chosen = await Array.fromAsync(records(list(), { ...options, fields: ['data.amount', 'title'], limit: 7 }));
    expect(chosen.map(({ id }) => id)).toEqual(ALL);
    expect(chosen[3]).toEqual({ id: `permits:${keyAt(27)}`, data: { amount: 27 }, title: 'Permit number 27' });
    const [page] = await Array.fromAsync(exportPages(csvUrl(), { ...options, fields: ['data.amount', 'title'] }));
    expect(new TextDecoder().decode(page!.body)).toMatch(/^(?:\uFEFF)?id,amount,title\r\n/);
  });

  it('waits while the words of a register are being indexed', async () => {
    service.faults.push({ status: 503, headers: { 'Retry-After': '30' }, body: '{"code":"index_building"}' });
    expect(await ids({ filter: { q: 'permit' } })).toEqual(ALL);
    expect(waits).toEqual([30_000]);
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

  it('tells once how many records match a filter, and nothing without one', async () => {
    const told: object[] = [];
    const onMatched = (matched: object): number => told.push(matched);
    expect(await ids({ limit: 4, filter: { document_type: 'adopted' }, onMatched })).toHaveLength(10);
    expect(told).toEqual([{ matched: 10, isAtLeast: false }]);
    await ids({ limit: 10, onMatched });
    expect(told).toHaveLength(1);
  });

  it('stays in the view of its first page, and tells it once', async () => {
    const views: (number | string)[] = [];
    service.onRequest = async () => {
      const written = service.asked.length;
      await service.store.apply('permits', [statementAt(1000 + written, COUNT)], { recordedAt: at(10 + written) });
    };
    expect(await ids({ limit: 10, onView: (asOf) => views.push(asOf) })).toHaveLength(COUNT + 1);
    expect(views).toEqual([COUNT + 1]);
    expect(service.asked.map(({ path }) => new URL(path, service.url).searchParams.get('as_of'))).toEqual([
      null,
      ...Array.from({ length: 3 }, () => String(COUNT + 1)),
    ]);
  });

  it.each<[string, object[], object[]]>([
    ['that go by no view', [{ position: 5 }, { position: 4 }], [{ position: 4 }, { position: 3 }]],
    ['that have no positions', [{}, {}], [{}, {}]],
  ])('gives records %s once', async (_, ...pages) => {
    for (const [index, members] of pages.entries()) {
      const body = {
        // The second of the first page comes again as the first of the next.
        records: members.map((more, place) => ({ id: `permits:${index + place}`, ...more })),
        next_offset: index === 0 ? 2 : null,
      };
      service.faults.push({ status: 200, body: JSON.stringify(body) });
    }
    expect(await ids()).toEqual(['permits:0', 'permits:1', 'permits:2']);
  });

  it('tells records with positions by them, not by their ids', async () => {
    const page = (position: number, next: number | null): Fault => ({
      status: 200,
      body: JSON.stringify({ records: [{ id: `permits:${next}`, position }], next_offset: next }),
    });
    service.faults.push(page(5, 1), page(5, 2), page(4, null));
    expect(await ids()).toEqual(['permits:1', 'permits:null']);
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

  it.each([[['?limit=100']], [['?limit=100#more']], [['?a', '?limit=100']], [['?a', '?b', '?a']], [['?a#1', '?a#2']]])(
    'does not go round in the circle %j',
    async (queries) => {
      for (const query of queries) {
        service.faults.push({ status: 200, headers: { Link: `<${csvUrl(query)}>; rel="next"` }, body: 'id\r\n' });
      }
      await expect(csvIds({ limit: 100 })).rejects.toMatchObject({ code: 'invalid_answer' });
      expect(service.asked).toHaveLength(queries.length);
    },
  );

  it.each(['javascript:alert(1)', 'file:///etc/passwd', 'data:,id', 'blob:ORIGIN/x', 'http://user:secret@HOST/x'])(
    'does not ask %s, by Link or by redirection',
    async (address) => {
      const { origin, host } = new URL(service.url);
      const target = address.replace('ORIGIN', origin).replace('HOST', host);
      service.faults.push({ status: 200, headers: { Link: `<${target}>; rel="next"` }, body: 'id\r\n' });
      service.faults.push({ status: 302, headers: { Location: target } });
      await expect(csvIds()).rejects.toMatchObject({ code: 'invalid_answer' });
      await expect(csvIds()).rejects.toMatchObject({ code: 'invalid_answer' });
      expect(service.asked).toHaveLength(2);
      expect(waits).toEqual([]);
    },
  );

  it('says so where a browser hides what a redirection leads to', async () => {
    // What a browser makes of `redirect: 'manual'`; Node shows the answer itself.
    const opaque = Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' });
    await expect(csvIds({ fetch: async () => opaque })).rejects.toMatchObject({
      code: 'request_refused',
      message: expect.stringContaining('redirects, and a browser does not say where') as string,
    });
    expect(waits).toEqual([]);
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

  it('asks for statements where that is said', async () => {
    const url = `${service.url}/api/v1/records/${statementAt(4, COUNT).id}/history`;
    const statementsOf = async (asked: HistoryOptions): Promise<unknown[]> =>
      (await Array.fromAsync(history(url, { ...options, ...asked }))).map(({ statement }) => statement);
    expect(await statementsOf({})).toEqual([undefined]);
    expect(await statementsOf({ withStatement: true })).toEqual([
      expect.objectContaining({ data: expect.any(Object) as unknown }),
    ]);
  });
});

describe('changes()', () => {
  const url = (query = ''): string => `${service.url}/api/v1/feeds/permits/changes${query}`;
  const told = async (more: ChangesOptions, query?: string): Promise<string[]> =>
    (await Array.fromAsync(changes(url(query), { ...options, ...more }))).map(
      ({ record_id, cause, matches }) => `${record_id.slice(-3)} ${cause}${matches === false ? ' out' : ''}`,
    );
  const write = async (index: number, minute: number, more: object): Promise<void> => {
    await service.store.apply('permits', [{ ...statementAt(index, COUNT), ...more }], { recordedAt: at(minute) });
  };

  it.each([1, 7, 30, 100])('gives every version once, oldest first, %i a page', async (limit) => {
    const places: string[] = [];
    const all = await told({ limit, onNextSince: (since) => places.push(since) });
    expect(all).toEqual(Array.from({ length: COUNT }, (_, index) => `${keyAt(index + 1)} first_observed`));
    expect(places.at(-1)).toMatch(/^[0-9a-f]{8}\.30$/);
    await write(4, 5, { title: 'Changed' });
    await service.store.withdraw('permits', [`permits:${keyAt(6)}`], { recordedAt: at(6) });
    expect(await told({ since: places.at(-1)! })).toEqual(['004 source_change', '006 withdrawn']);
    expect(await told({}, `?since=${places.at(-1)!}&limit=1`)).toEqual(['004 source_change', '006 withdrawn']);
  });

  it('tells of new keys, also to who asks for the old one or the new one', async () => {
    const rows = [{ from: '004', to: 'X', where: 'line 1' }];
    const now = (): number => Date.parse(at(5));
    await renumber(service.store, 'permits', { name: 'map.csv', rows }, { who: null, now });
    const since = `${COUNT}`;
    expect(await told({ since })).toEqual(['004 renumbered']);
    expect(await told({ since, filter: { key: 'X' } })).toEqual(['004 renumbered']);
    expect(await told({ since, filter: { key: '004' } })).toEqual(['004 renumbered out']);
    expect(await told({ since, filter: { key: '003' } })).toEqual([]);
  });

  it('tells of records that match a filter before or after, and goes on where a page has none', async () => {
    await write(4, 5, { document_type: 'adopted' });
    await write(3, 6, { document_type: 'draft' });
    await write(1, 7, { title: 'Changed' });
    const filter = { document_type: 'adopted', q: 'number' };
    const since = `${COUNT}`;
    expect(await told({ filter, since, limit: 1 })).toEqual(['004 source_change', '003 source_change out']);
    const empty = { status: 200, headers: { Link: '</next>; rel="next"' } };
    service.faults.push({ ...empty, body: JSON.stringify({ versions: [], next_since: '31' }) });
    const places: string[] = [];
    const onNextSince = (next: string): void => void places.push(next);
    expect(await told({ since, onNextSince })).toEqual(['003 source_change', '001 source_change']);
    expect(places).toEqual(['31', expect.stringMatching(/\.33$/)]);
  });

  it('asks for statements where that is said', async () => {
    const statementsOf = async (more: ChangesOptions): Promise<unknown[]> =>
      (await Array.fromAsync(changes(url(), { ...options, ...more }))).map(({ statement }) => statement);
    expect((await statementsOf({}))[0]).toBe(undefined);
    expect((await statementsOf({ withStatement: true }))[0]).toMatchObject({ data: { amount: 1 } });
  });

  it('says where to go on only when everything before was taken', async () => {
    const places: string[] = [];
    for await (const { change } of changes(url(), {
      ...options,
      limit: 10,
      onNextSince: (next) => places.push(next),
    })) {
      if (change === 15) break;
    }
    expect(places).toEqual([expect.stringMatching(/\.10$/)]);
  });

  it.each(['', '-1', '01', 'x.1', '0123abcd.', '0&limit=1'])('asks nothing with the place %j', async (since) => {
    await expect(told({ since })).rejects.toMatchObject({ code: 'invalid_option', details: { option: 'since' } });
    expect(service.asked).toEqual([]);
  });

  it.each<[string, string, string?]>([
    ['no object', '[]'],
    ['no place to go on', '{"versions":[]}'],
    ['a place that is none', '{"versions":[],"next_since":"soon"}'],
    ['a version without its record', '{"versions":[{"version":1}],"next_since":"1"}'],
    ['a next page that is this one', '{"versions":[],"next_since":"7"}', '</next>; rel="next"'],
  ])('refuses %s', async (_, body, link) => {
    service.faults.push({ status: 200, body, headers: link === undefined ? {} : { Link: link } });
    await expect(told({ since: '7' })).rejects.toMatchObject({ code: 'invalid_answer' });
    expect(service.asked).toHaveLength(1);
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
    { status: 504 },
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
      { numRuns: tries(20) },
    );
  });

  it('goes on where the service was down for a while', async () => {
    const sleep = async (ms: number): Promise<void> => {
      waits.push(ms);
      if (waits.length === 3) await service.comeBack();
    };
    let asked = 0;
    service.onRequest = () => {
      if (++asked === 3) service.goDown();
    };
    expect(await ids({ limit: 7, sleep })).toEqual(ALL);
    expect(waits).toEqual([500, 1000, 2000]);
    waits.length = 0;
    asked = 0;
    expect(await csvIds({ limit: 7, sleep })).toEqual(ALL);
    expect(waits).toEqual([500, 1000, 2000]);
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

  it('understands the obsolete forms of a date, none of them as a local time (RFC 9110 5.6.7)', async () => {
    service.clock.now = Date.parse('2026-05-01T12:00:00Z');
    const until = (date: string): Fault => ({ status: 503, headers: { 'Retry-After': date } });
    service.faults.push(until('Friday, 01-May-26 12:00:09 GMT'), until('Fri May  1 12:00:08 2026'));
    expect(await ids({ now: () => service.clock.now })).toEqual(ALL);
    expect(waits).toEqual([9000, 8000]);
  });

  it('waits twice as long each time, half of it by chance, and never longer than half a minute', async () => {
    const reset = Array<Fault>(9).fill('reset');
    service.faults.push(...reset);
    await ids({ attempts: 10 });
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    waits.length = 0;
    const chances = [0, 0.5, 0.999, 0];
    service.faults.push(...reset.slice(0, 4));
    await ids({ random: () => chances.shift()! });
    expect(waits).toEqual([250, 750, 1999, 2000]);
  });

  it.each([429, 502, 503, 504])('tries again what was answered %i', async (status) => {
    service.faults.push({ status });
    expect(await ids()).toEqual(ALL);
    expect(waits).toEqual([500]);
  });

  it('waits its own time where the service asks for none', async () => {
    const now = { status: 503, headers: { 'Retry-After': '0' } };
    const past = { status: 503, headers: { 'Retry-After': 'Fri, 01 May 2026 12:00:05 GMT' } };
    service.faults.push(now, now, past, past);
    expect(await ids()).toEqual(ALL);
    expect(waits).toEqual([500, 1000, 2000, 4000]);
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

  it.each([undefined, new AbortController().signal])(
    'waits no longer than a try may take (signal: %s)',
    async (signal) => {
      let answer = (): void => undefined;
      service.onRequest = () => new Promise((resolve) => (answer = resolve));
      const stop = signal === undefined ? {} : { signal };
      // Where no time-out ends the try, the service does in the end.
      const late = setTimeout(() => {
        service.onRequest = () => undefined;
        answer();
      }, 1000);
      await expect(ids({ timeoutMs: 50, attempts: 1, ...stop })).rejects.toMatchObject({ code: 'request_failed' });
      clearTimeout(late);
      service.onRequest = () => undefined;
      answer();
    },
  );

  it('stops when it is told to, also in the middle of a wait', async () => {
    const stop = new AbortController();
    service.faults.push({ status: 503, headers: { 'Retry-After': '60' } });
    const walk = Array.fromAsync(records(list(), { key: service.key, signal: stop.signal }));
    void letPass(50, 'that it waits cannot be seen from here').then(() => {
      stop.abort();
    });
    await expect(walk).rejects.toMatchObject({ code: 'aborted' });
  });

  it('stops when it is told to, also in the middle of a request', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    let answer = (): void => undefined;
    service.onRequest = () =>
      new Promise((resolve) => {
        answer = resolve;
        stop.abort(reason);
      });
    // Where the request is not ended, it is answered in the end.
    const late = setTimeout(() => {
      answer();
    }, 1000);
    await expect(ids({ signal: stop.signal })).rejects.toMatchObject({ code: 'aborted', cause: reason });
    clearTimeout(late);
    answer();
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

  it('asks without a condition where what a cache kept is no entity tag', async () => {
    const kept: CachedAnswer = { etag: 'none\n…', headers: [], body: new Uint8Array() };
    expect(await ids({ cache: { get: () => kept, set: () => undefined } })).toEqual(ALL);
    expect(waits).toEqual([]);
  });
});
