// A crowd at once: requests for one page at the same time share one render. Reads of the store are held back until all
// requests wait, so that each interleaving is forced.
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { createApiKey, newKeyEntry } from '../../src/access/api-key.ts';
import { GazetteError } from '../../src/errors.ts';
import type { RegisterSource } from '../../src/register/sources/source.ts';
import { DelegatingStore } from '../contracts/delegating-store.ts';
import { BASE_URL, world, type World, PRODUCT } from '../world.ts';
import { at } from '../contracts/store-register.ts';
import { signedInTo } from '../pages/account/own-browser.ts';
import { until } from '../until.ts';

const LIST = '/api/v1/feeds/permits/records';
const OLDER = '/records/permits:020"';
const CSV = '/api/v1/feeds/permits/records/export.csv';

/** Answers no read of a page before it is let go. */
class HeldStore extends DelegatingStore {
  readonly signals: (AbortSignal | undefined)[] = [];
  readonly #gate = Promise.withResolvers<undefined>();
  /** How many reads fail from now on. */
  failures = 0;

  letGo(): void {
    this.#gate.resolve(undefined);
  }

  override async source(...given: Parameters<DelegatingStore['source']>): Promise<RegisterSource> {
    const source = await super.source(...given);
    const page: RegisterSource['page'] = async (query) => {
      this.signals.push(query.signal);
      await this.#gate.promise;
      query.signal?.throwIfAborted();
      if (this.failures-- > 0) throw new GazetteError('store_unavailable', 'the store is away');
      return source.page(query);
    };
    return Object.create(source, { page: { value: page } }) as RegisterSource;
  }
}

let store: HeldStore;
let service: World;
/** How many requests have come to where they render or wait. */
let come: number;

beforeEach(async () => {
  store = new HeldStore();
  const logger = { info: () => undefined, error: () => undefined };
  service = await world({ store, cacheBytes: 0, logger });
  come = 0;
  onTestFinished(async () => {
    await service.close();
    await store.close();
  });
});

/** Sends a request, which counts as come when its `Accept-Encoding` is read: what follows awaits nothing before it waits. */
function ask(path: string, key: string | null, signal?: AbortSignal): Promise<Response> {
  return send(path, key === null ? {} : { authorization: `Bearer ${key}` }, signal);
}

function send(path: string, given: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Response> {
  const request = new Request(BASE_URL + path, { headers: given, ...(signal === undefined ? {} : { signal }) });
  const { headers: fields } = request;
  const get = (name: string): string | null => {
    if (name === 'accept-encoding') come++;
    return fields.get(name);
  };
  return service.fetch(
    Object.defineProperty(request, 'headers', { value: Object.create(fields, { get: { value: get } }) }),
  );
}

const allCome = (count: number): Promise<unknown> => until(`${count} requests`, () => come === count);

it.each([
  ['a list', LIST, true],
  ['the list that the public sees', LIST, false],
  ['an export', CSV, true],
  ['a page for people', '/feeds/permits', false],
])('renders %s once for 200 requests', async (_, path, hasKey) => {
  const answers = Array.from({ length: 200 }, () => ask(path, hasKey ? service.key : null));
  await allCome(200);
  const { length: reads } = store.signals;
  store.letGo();
  const responses = await Promise.all(answers);
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(await Promise.all(responses.map((response) => response.text()))).size).toBe(1);
  expect(reads).toBe(1);
  if (hasKey) expect(new Set(responses.map(({ headers }) => headers.get('x-request-id'))).size).toBe(200);
});

it('renders for each tier on its own', async () => {
  const answers = [ask(LIST, service.key), ask(LIST, null)];
  await allCome(2);
  store.letGo();
  const [pro, open] = await Promise.all(answers.map(async (answer) => (await answer).text()));
  expect([store.signals.length, pro === open]).toEqual([2, false]);
});

it('refuses a key that was revoked while its request waited', async () => {
  const other = createApiKey();
  const entry = newKeyEntry(other, { accountId: service.accountId, product: PRODUCT, createdAt: at(0) });
  await store.accounts.createKey(entry);
  const first = ask(CSV, service.key);
  await allCome(1);
  const waiting = [ask(CSV, other), ask(CSV, service.key)];
  await allCome(3);
  await store.accounts.revokeKey(entry.id, { revokedAt: at(59) });
  store.letGo();
  const [revoked, valid] = await Promise.all(waiting);
  expect([(await first).status, revoked!.status, valid!.status]).toEqual([200, 401, 200]);
  expect(await revoked!.json()).toMatchObject({ code: 'revoked_key' });
  expect(store.signals).toHaveLength(1);
});

it('shows what strangers see to who signed out while her page waited', async () => {
  const [staying, leaving] = [
    await signedInTo(service, service.accountId),
    await signedInTo(service, service.accountId),
  ];
  const page = '/feeds/permits';
  const first = send(page, { cookie: staying.cookie });
  await allCome(1);
  const waiting = send(page, { cookie: leaving.cookie });
  await allCome(2);
  await store.signIns.endSessions({ kind: 'account', id: service.accountId });
  store.letGo();
  const [whole, left] = [await (await first).text(), await waiting];
  expect([whole.includes(OLDER), (await left.text()).includes(OLDER)]).toEqual([true, false]);
  expect(left.headers.get('cache-control')).toBe('public, max-age=60');
});

it('goes on for the others when the request that renders goes away', async () => {
  const gone = new AbortController();
  const first = ask(CSV, service.key, gone.signal);
  await allCome(1);
  const second = ask(CSV, service.key);
  await allCome(2);
  gone.abort();
  expect(store.signals[0]!.aborted).toBe(false);
  store.letGo();
  expect((await second).status).toBe(200);
  await first;
  expect(store.signals).toHaveLength(1);
});

it('stops when all have gone away, and renders again for who comes then', async () => {
  const gone = new AbortController();
  const left = [ask(CSV, service.key, gone.signal), ask(CSV, service.key, gone.signal)];
  await allCome(2);
  gone.abort();
  expect(store.signals[0]!.aborted).toBe(true);
  const late = ask(CSV, service.key);
  await allCome(3);
  store.letGo();
  expect((await Promise.all(left)).map(({ status }) => status)).toEqual([499, 499]);
  expect((await late).status).toBe(200);
  expect(store.signals).toHaveLength(2);
});

it('leaves a failure to the request that rendered, and renders once more for the others', async () => {
  store.failures = 1;
  const answers = Array.from({ length: 20 }, () => ask(CSV, service.key));
  await allCome(20);
  store.letGo();
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses).toEqual([503, ...Array.from({ length: 19 }, () => 200)]);
  expect(store.signals).toHaveLength(2);
});

it('answers all with an error where every render fails', async () => {
  store.failures = Infinity;
  const answers = Array.from({ length: 20 }, () => ask(CSV, service.key));
  await allCome(20);
  store.letGo();
  expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([503]));
});
