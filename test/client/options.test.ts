// What a walk is given: keys, options and addresses, checked before anything is asked, and never shown.
import { inspect } from 'node:util';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import {
  changes,
  type ClientOptions,
  exportPages,
  type PageOptions,
  history,
  records,
} from '../../src/client/index.ts';
import { keyAt, statementAt } from '../world.ts';
import { at } from '../contracts/store-register.ts';
import { startFaultyService, withoutWaits } from './faulty-service.ts';

const COUNT = 12;

const service = await startFaultyService(COUNT);
afterAll(() => service.stop());
let waits: number[];
let options: ClientOptions;
beforeEach(() => {
  service.asked.length = 0;
  ({ options, waits } = withoutWaits(service));
});

const NAMES = ['records', 'exportPages', 'history', 'changes'] as const;
type Walk = (url: string | URL, options?: ClientOptions & PageOptions) => AsyncGenerator;
const WALKS: Readonly<Record<(typeof NAMES)[number], Walk>> = { records, exportPages, history, changes };
const PATHS = {
  records: '/api/v1/feeds/permits/records',
  exportPages: '/api/v1/feeds/permits/records/export.csv',
  history: `/api/v1/records/permits:${keyAt(4)}/history`,
  changes: '/api/v1/feeds/permits/changes',
} as const;
const failureOf = (walk: keyof typeof WALKS, url: string | URL, more: object = {}): Promise<unknown> =>
  Array.fromAsync(WALKS[walk](url, { ...options, ...more })).then(
    () => 'no failure',
    (error: unknown) => error,
  );

describe.each(NAMES)('%s()', (walk) => {
  const urlOf = (query = ''): string => `${service.url}${PATHS[walk]}${query}`;

  it.each(['gz_hidden\ngz_hidden', 'gz_hidden…', 'gz hidden', 'gz_hidden\0', 'gz_hiddén', '', ' '])(
    'asks nothing with the key %j, and does not show it',
    async (key) => {
      const error = await failureOf(walk, urlOf(), { key });
      expect(error).toMatchObject({ code: 'invalid_option', details: { option: 'key' } });
      expect(inspect(error, { depth: 9 })).not.toContain('hidd');
      expect([service.asked, waits]).toEqual([[], []]);
    },
  );

  it('drops blanks around the key', async () => {
    await Array.fromAsync(WALKS[walk](urlOf(), { ...options, key: ` ${service.key}\r\n` }));
    expect(service.asked.map(({ authorization }) => authorization)).toEqual([`Bearer ${service.key}`]);
  });

  it('does not show a key that the service says back', async () => {
    service.faults.push({ status: 403, body: JSON.stringify({ code: 'no hidden"key', detail: 'not hidden"key' }) });
    const error = await failureOf(walk, urlOf(), { key: 'hidden"key' });
    expect(error).toMatchObject({ code: 'request_refused', details: { status: 403, code: 'no …' } });
    expect(inspect(error, { depth: 9 })).not.toContain('hidden');
  });

  it.each<[string, number]>([
    ...[NaN, 0, -1, 1.5, Infinity].map((value): [string, number] => ['attempts', value]),
    ...[NaN, 0, -1, 1.5, Infinity, 2 ** 31].map((value): [string, number] => ['timeoutMs', value]),
    ...[NaN, -1, 1.5, Infinity, 2 ** 31].map((value): [string, number] => ['maxWaitMs', value]),
    ...[NaN, 0, -1, 1.5, 101].map((value): [string, number] => ['limit', value]),
  ])('refuses %s of %d', async (option, value) => {
    const error = await failureOf(walk, urlOf(), { [option]: value });
    expect(error).toMatchObject({ code: 'invalid_option', message: expect.stringContaining(option) as string });
    expect(service.asked).toEqual([]);
  });

  it.each([
    'no address',
    'ftp://example.org/',
    'file:///etc/passwd',
    'ftp://someone:hidden@example.org/',
    'http://someone:hidden@[::/',
    'http://someone:hidden@127.0.0.1:9/',
    'http://hidden@127.0.0.1:9/',
    'http://:hidden@127.0.0.1:9/',
    'http://127.0.0.1:9/#hidden',
  ])('refuses the address %s', async (url) => {
    const error = await failureOf(walk, url);
    expect(error).toMatchObject({ code: 'invalid_option', message: expect.stringContaining('the address') as string });
    expect(inspect(error, { depth: 9 })).not.toContain('hidden');
    expect(waits).toEqual([]);
  });

  it('does not try again what fetch will never ask', async () => {
    expect(await failureOf(walk, 'http://127.0.0.1:6667/')).toMatchObject({ code: 'request_failed' });
    expect(waits).toEqual([]);
  });
});

describe('the query of an address', () => {
  const asked = (): string[] => service.asked.map(({ path }) => path.slice(path.indexOf('?')));

  it.each(['records', 'exportPages'] as const)('is asked for by %s()', async (walk) => {
    const url = `${service.url}${PATHS[walk]}?limit=2&document_type=adopted&offset=1`;
    await Array.fromAsync(WALKS[walk](url, options));
    expect(asked()[0]).toBe('?limit=2&document_type=adopted&offset=1');
    expect(asked()[1]).toMatch(/limit=2&.*document_type=adopted/);
    service.asked.length = 0;
    await Array.fromAsync(WALKS[walk](url, { ...options, limit: 100, filter: { document_type: 'draft' } }));
    expect(asked()).toEqual(['?limit=100&offset=1&document_type=draft']);
  });

  it('is asked for by history()', async () => {
    for (let minute = 1; minute <= 5; minute++) {
      const statement = { ...statementAt(4, COUNT), title: `Title ${minute}` };
      await service.store.apply('permits', [statement], { recordedAt: at(minute) });
    }
    const url = `${service.url}${PATHS.history}?limit=2&offset=1`;
    const versions = async (more: object): Promise<number[]> =>
      (await Array.fromAsync(history(url, { ...options, ...more }))).map(({ version }) => version);
    expect(await versions({})).toEqual([5, 4, 3, 2, 1]);
    expect(asked()).toEqual(['?limit=2&offset=1', '?limit=2&offset=3', '?limit=2&offset=5']);
    service.asked.length = 0;
    expect(await versions({ limit: 100 })).toEqual([5, 4, 3, 2, 1]);
    expect(asked()).toEqual(['?limit=100&offset=1']);
  });

  it.each(['?limit=many', '?limit=', '?limit=500'])('is refused where it is %s', async (query) => {
    for (const walk of ['records', 'history'] as const) {
      const error = await failureOf(walk, `${service.url}${PATHS[walk]}${query}`);
      expect(error).toMatchObject({ code: 'invalid_option' });
    }
    expect(service.asked).toEqual([]);
  });

  it('is refused where a history cannot begin there', async () => {
    const error = await failureOf('history', `${service.url}${PATHS.history}?offset=-1`);
    expect(error).toMatchObject({ code: 'invalid_option' });
  });
});
