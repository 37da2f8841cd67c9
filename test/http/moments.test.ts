// `?at=` over HTTP: the list, a record, pages of exports and whole registers as they were, for those who may have all of a register.
import { describe, expect, it } from 'vitest';
import type { RegisterSource } from '../../src/register/sources/source.ts';
import { DelegatingStore } from '../contracts/delegating-store.ts';
import { at, permits, say } from '../contracts/store-register.ts';
import { openShop } from '../wings/selling/shop.ts';
import { type ListBody, NOW, world } from '../world.ts';

const THEN = at(5);
const OPEN = 'notices';

/** A register of 7 records at THEN: since then one was changed, one withdrawn, one redacted, one renumbered, and one is new. */
async function changed(): Promise<Awaited<ReturnType<typeof world>>> {
  const service = await world({ records: 7 });
  const { store } = service;
  await store.withdraw('permits', ['permits:007'], { recordedAt: at(1) });
  await store.apply('permits', [say('002', { title: 'Now' }), say('008')], { recordedAt: at(10) });
  await store.withdraw('permits', ['permits:003'], { recordedAt: at(11) });
  await store.redact('permits:004', { recordedAt: at(12) });
  await store.apply(OPEN, [say('1', {}, OPEN)], { recordedAt: at(3) });
  await store.updateRegister({ ...permits(OPEN), access: 'open' }, { recordedAt: at(12) });
  return service;
}

const service = await changed();
const keysOf = ({ records }: Pick<ListBody, 'records'>): readonly string[] => records.map(({ key }) => key);
const pro = async (path: string): Promise<ListBody & { readonly code?: string; readonly parameter?: string }> =>
  (await service.pro(path)).json() as never;

it('lists the records of then, as they were, on pages that are of the same moment', async () => {
  const first = await service.pro(`/feeds/permits/records?at=${THEN}&limit=3`);
  const body = (await first.json()) as ListBody;
  expect([keysOf(body), body.next_offset, body.as_of, body.total]).toEqual([['006', '005', '003'], 5, undefined, null]);
  const next = /<(.*)>/.exec(first.headers.get('link')!)![1]!;
  expect(new URL(next).searchParams.get('at')).toBe(THEN);
  const rest = (await (await service.pro(next)).json()) as ListBody;
  expect([keysOf(rest), rest.next_offset]).toEqual([['002', '001'], null]);
  expect(rest.records[0]).toMatchObject({ title: 'Permit number 2', version: 1, updated_at: at(0) });
});

it('counts and finds what matched then, and takes a day and any offset of time', async () => {
  const found = await pro(`/feeds/permits/records?at=${THEN}&document_type=adopted&limit=1`);
  expect([keysOf(found), 'total' in found, (found as unknown as { readonly matched: number }).matched]).toEqual([
    ['006'],
    false,
    2,
  ]);
  expect(keysOf(await pro('/feeds/permits/records?at=2026-05-01'))).toEqual(['007', '006', '005', '003', '002', '001']);
  expect(
    keysOf(await pro(`/feeds/permits/records?at=${encodeURIComponent('2026-05-01T02:05:00+02:00')}`)),
  ).toHaveLength(5);
  expect(keysOf(await pro('/feeds/permits/records?at=2026-04-30'))).toEqual([]);
});

it('shows a record as it was, also one that was withdrawn since; none of one that was redacted', async () => {
  const answer = async (id: string, moment: string): Promise<unknown[]> => {
    const response = await service.pro(`/records/permits:${id}?at=${moment}`);
    const body = (await response.json()) as {
      readonly title: string;
      readonly log_index?: number;
      readonly code?: string;
    };
    return [response.status, body.code ?? body.title, body.log_index];
  };
  expect(await answer('002', THEN)).toEqual([200, 'Permit number 2', 1]);
  expect(await answer('002', at(10))).toEqual([200, 'Now', 8]);
  expect(await answer('003', THEN)).toEqual([200, 'Permit number 3', 2]);
  expect(await answer('003', at(11))).toEqual([410, 'record_withdrawn', undefined]);
  expect(await answer('004', THEN)).toEqual([404, 'unknown_record', undefined]);
  expect(await answer('007', THEN)).toEqual([410, 'record_withdrawn', undefined]);
  expect(await answer('008', THEN)).toEqual([404, 'unknown_record', undefined]);
  expect(await answer('none', THEN)).toEqual([404, 'unknown_record', undefined]);
  const { detail } = (await (await service.pro(`/records/permits:008?at=${THEN}`)).json()) as {
    readonly detail: string;
  };
  expect(detail).toBe(`there is no record "permits:008" of ${THEN}`);
});

it.each(['csv', 'xml', 'xlsx', 'atom', 'rss'])('exports pages of then as %s, which say so', async (format) => {
  const response = await service.pro(`/feeds/permits/records/export.${format}?at=${THEN}&limit=2`);
  expect(response.status).toBe(200);
  expect(new URL(/<(.*)>/.exec(response.headers.get('link')!)![1]!).searchParams.get('at')).toBe(THEN);
  const name = `filename="permits-at-${THEN.replaceAll(':', '')}-0001.${format}"`;
  expect(response.headers.get('content-disposition')).toContain(name);
});

it('writes a whole register of then, byte for byte as its pages are', async () => {
  const lines: string[] = [];
  let next: string | undefined = `/feeds/permits/records/export.csv?at=${THEN}&limit=2`;
  while (next !== undefined) {
    const response = await service.pro(next);
    const [head, ...records] = (await response.text()).split('\r\n').slice(0, -1);
    lines.push(...(lines.length === 0 ? [head!] : []), ...records);
    next = /<(.*)>/.exec(response.headers.get('link') ?? '')?.[1];
  }
  const whole = await service.pro(`/feeds/permits/register.csv?at=${THEN}`);
  expect(await whole.text()).toBe(lines.map((line) => `${line}\r\n`).join(''));
  expect(lines).toHaveLength(6);
  const ndjson = await (await service.pro(`/feeds/permits/register.ndjson?at=${THEN}`)).text();
  const { records } = await pro(`/feeds/permits/records?at=${THEN}`);
  expect(ndjson).toBe(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
});

it('answers 304 while nothing changed, and with another tag once a record of then is redacted', async () => {
  const own = await changed();
  const tagOf = async (path: string): Promise<string> => (await own.pro(path, { method: 'HEAD' })).headers.get('etag')!;
  for (const path of [
    '/feeds/permits/records',
    '/records/permits:005',
    '/feeds/permits/records/export.csv',
    '/feeds/permits/register.csv',
  ]) {
    const asked = `${path}?at=${THEN}`;
    const etag = await tagOf(asked);
    expect(etag).not.toBe(await tagOf(path));
    expect((await own.pro(asked, { headers: { 'if-none-match': etag } })).status).toBe(304);
  }
  const before = await tagOf(`/feeds/permits/records?at=${THEN}`);
  await own.store.redact('permits:005', { recordedAt: at(20) });
  for (const path of [
    '/feeds/permits/records',
    '/feeds/permits/records/export.csv',
    '/feeds/permits/register.ndjson',
  ]) {
    const answer = await own.pro(`${path}?at=${THEN}`, { headers: { 'if-none-match': before } });
    expect([answer.status, (await answer.text()).includes('number 5')]).toEqual([200, false]);
  }
});

describe('refuses', () => {
  const two = new Date(NOW - 2000).toISOString();
  const later = new Date(NOW - 1999).toISOString();
  const paths = [
    '/feeds/permits/records',
    '/records/permits:001',
    '/feeds/permits/records/export.csv',
    '/feeds/permits/register.csv',
  ];

  it.each(paths)('a moment that is not past, or none, at %s', async (path) => {
    expect((await service.pro(`${path}?at=${two}`)).status).toBe(200);
    for (const wrong of [
      later,
      '2999-01-01',
      'yesterday',
      '2026-02-30',
      '2026-02-30T00:00:00Z',
      '',
      `${THEN}&at=${THEN}`,
    ]) {
      expect(await pro(`${path}?at=${wrong}`)).toMatchObject({ code: 'invalid_parameter', parameter: 'at' });
    }
    expect(await (await service.pro(`${path}?at=2026-02-30`)).text()).toContain(', got \\"2026-02-30\\""');
  });

  it.each(paths)('the public at %s', async (path) => {
    const answer = await service.get(`${path}?at=${THEN}`);
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="registers"']);
    expect(await answer.text()).not.toContain('Permit');
  });

  it('who buys single records', async () => {
    const shop = await openShop();
    const [record] = ((await (await shop.get('/feeds/permits/records', { key: shop.spender })).json()) as ListBody)
      .records;
    for (const path of [...paths, `/records/${record!.id}`]) {
      const answer = await shop.get(`${path}?at=${at(1)}`, { key: shop.spender });
      expect([path, answer.status, ((await answer.json()) as { readonly code: string }).code]).toEqual([
        path,
        403,
        'insufficient_scope',
      ]);
    }
  });

  it.each([
    ['as_of beside it', '/feeds/permits/records?as_of=3', 'at'],
    ['words', '/feeds/permits/records?q=permit', 'q'],
    ['words in an export', '/feeds/permits/records/export.csv?q=permit', 'q'],
    ['words in a whole register', '/feeds/permits/register.csv?q=permit', 'q'],
    ['facets', '/feeds/permits/facets?field=document_type', 'at'],
    ['changes', '/feeds/permits/changes?limit=1', 'at'],
  ])('%s', async (_, path, parameter) => {
    const answer = await service.pro(`${path}&at=${THEN}`);
    expect([answer.status, await answer.json()]).toMatchObject([400, { parameter }]);
    const any = await service.pro(`${path}&at=${THEN}`, { headers: { 'if-none-match': '*' } });
    expect(any.status).toBe(400);
  });
});

it('is for everybody where a register is open', async () => {
  for (const path of ['records', 'records/export.csv', 'register.ndjson']) {
    const answer = await service.get(`/feeds/${OPEN}/${path}?at=${THEN}`);
    expect([answer.status, (await answer.text()).includes(`${OPEN}:1`)]).toEqual([200, true]);
  }
  expect((await service.get(`/records/${OPEN}:1?at=${THEN}`)).status).toBe(200);
  expect((await service.get(`/records/${OPEN}:1?at=${at(2)}`)).status).toBe(404);
});

it.each([
  ['/feeds/permits/records', ['stamp', 'page', 'revision']],
  ['/feeds/permits/records?document_type=adopted', ['stamp', 'page', 'revision']],
  ['/feeds/permits/records/export.csv', ['stamp', 'page', 'revision']],
  ['/records/permits:001', ['stamp', 'record', 'history', 'revision']],
])('asks the store for nothing more where no moment is asked for, at %s', async (path, asked) => {
  const calls: string[] = [];
  const counted = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(of, name) {
        const member: unknown = Reflect.get(of, name, of);
        if (typeof member !== 'function') return member;
        return (...given: unknown[]): unknown => {
          calls.push(String(name));
          return Reflect.apply(member, of, given);
        };
      },
    });
  class Counted extends DelegatingStore {
    override async source(...given: Parameters<DelegatingStore['source']>): Promise<RegisterSource> {
      return counted(await super.source(...given));
    }
  }
  const own = await world({ records: 7, store: counted(new Counted()) });
  await own.pro('/feeds/permits');
  calls.length = 0;
  await (await own.pro(path)).arrayBuffer();
  expect(calls).toEqual(asked);
});
