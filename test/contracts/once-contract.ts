// Requests with an Idempotency-Key under concurrency and when processes are killed, on every store: two services on one
// database take effect once.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Accounts } from '../../src/operate/accounts.ts';
import { createGazette, type Gazette } from '../../src/service/create-gazette.ts';
import type { ServiceStore } from '../../src/stores/contract/accounts.ts';
import type { DeliveryStore } from '../../src/stores/contract/deliveries.ts';
import { SecretBox } from '../../src/webhooks/send/secret-box.ts';
import { type Answered, askerOf } from '../http/account/service.ts';
import { until } from '../until.ts';

/** Opens a database through two connections: those of two processes, where the database has such. */
export type OpenTwice = () => Promise<{
  readonly stores: readonly [ServiceStore, ServiceStore];
  readonly dispose: () => Promise<void>;
}>;

const REPEATS = 64;

const SCOPES = { scopes: ['read', 'webhooks', 'account'] } as const;

/** Registers the suite for one database. */
export function onceContract(name: string, open: OpenTwice): void {
  describe(`requests that must not take effect twice, on ${name}`, () => {
    let stores: readonly [ServiceStore, ServiceStore];
    let dispose: () => Promise<void>;
    let key: string;
    let nowMs: number;
    let services: readonly Gazette[];

    const serviceOn = (store: ServiceStore): Gazette =>
      createGazette({
        ...{ store, limits: null, now: () => nowMs, logger: { info: () => undefined, error: () => undefined } },
        endpoints: { box: () => SecretBox.fromHex('ab'.repeat(32)) },
      });
    const ask = (gazette: Gazette, path: string, body: object, given = key): Promise<Answered> =>
      askerOf(gazette, given)('POST', path, body, { 'idempotency-key': 'once' });
    /** Where the database is too busy to answer in time, one asks again. */
    const askUntilAnswered = (gazette: Gazette, path: string, body: object): Promise<Answered> =>
      until('an answer of the database', async () => {
        const answer = await ask(gazette, path, body);
        return answer.status === 503 ? null : answer;
      });
    const keys = async (): Promise<number> => (await stores[0].accounts.keys('demo')).length;

    beforeEach(async () => {
      nowMs = Date.parse('2026-11-20T12:00:00Z');
      ({ stores, dispose } = await open());
      const accounts = new Accounts(stores[0], { product: 'gazette', now: () => nowMs });
      await accounts.add('demo', '2030-01-01T00:00:00Z');
      ({ key } = await accounts.createKey('demo', SCOPES));
      services = stores.map(serviceOn);
    });
    afterEach(async () => {
      await Promise.all(services.map((service) => service.close()));
      await dispose();
    });

    it(`take effect once under ${REPEATS} repeats at once, half of them at another process`, async () => {
      const path = '/account/keys';
      const answers = await Promise.all(
        Array.from({ length: REPEATS }, (_, n) => askUntilAnswered(services[n % 2]!, path, { name: 'Website' })),
      );
      expect(await keys()).toBe(2);
      const shown = answers.filter(({ body }) => typeof body.key === 'string');
      expect(shown).toHaveLength(1);
      const { key: once, ...same } = shown[0]!.body;
      expect(once).toMatch(/^gz_/);
      for (const { status, body } of answers) {
        if (status === 409) expect(body.code).toBe('idempotency_in_progress');
        else if (typeof body.key !== 'string')
          expect([status, body]).toEqual([201, { ...same, key: null, code: 'shown_once' }]);
      }
      const later = await ask(services[1]!, path, { name: 'Website' });
      expect([later.status, later.body]).toEqual([201, { ...same, key: null, code: 'shown_once' }]);
    });

    it('answer as before when the process is killed between the effect and the answer', async () => {
      const killed = new KilledAfter(stores[0]);
      const first = serviceOn(killed.store);
      expect((await ask(first, '/account/keys', { name: 'Website' })).status).toBe(500);
      expect(await keys()).toBe(2);
      const again = await ask(services[1]!, '/account/keys', { name: 'Website' });
      expect(again).toMatchObject({ status: 201, body: { key: null, code: 'shown_once', name: 'Website' } });
      expect(await keys()).toBe(2);
      await first.close();
    });

    it('wait for an attempt that is running, and begin again once it must have been killed', async () => {
      const { idempotency } = stores[0];
      // A process begins, and is killed before the effect.
      const killed = new KilledBefore(stores[0]);
      const first = serviceOn(killed.store);
      await ask(first, '/account/keys', { name: 'Website' });
      await first.close();
      expect(await keys()).toBe(1);
      const running = { status: 409, body: { code: 'idempotency_in_progress' } };
      expect(await ask(services[1]!, '/account/keys', { name: 'Website' })).toMatchObject(running);
      expect((await ask(services[1]!, '/account/keys', { name: 'Other' })).body.code).toBe('idempotency_mismatch');
      nowMs += 120_000;
      expect((await ask(services[1]!, '/account/keys', { name: 'Website' })).body.key).toMatch(/^gz_/);
      // The first attempt was not killed after all: it changes nothing now.
      const late = idempotency.ending(killed.token!);
      const accounts = new Accounts(late, { product: 'gazette' });
      await expect(accounts.createKey('demo')).rejects.toMatchObject({ code: 'idempotency_in_progress' });
      expect(await keys()).toBe(2);
    });

    it('keep the result of the last part of a change in parts', async () => {
      const { idempotency, deliveries } = stores[0];
      const secret = Uint8Array.from([1]);
      const at = new Date(nowMs).toISOString();
      const id = 'ep_000000000000000000';
      const all = { feeds: null, types: null, filter: null, createdAt: at, secret };
      await deliveries.createEndpoint({ ...all, id, accountId: 'demo', url: 'https://example.org/' });
      for (let n = 0; n < 3; n++) await deliveries.createTest(id, { id: `evt_${n}`, type: 'endpoint.test' }, { at });
      const request = { accountId: 'demo', route: 'r', key: 'k', digest: new Uint8Array(32), token: 't' };
      const times = { at, until: at, forgetBefore: at };
      expect(await idempotency.begin({ ...request, ...times })).toEqual({ kind: 'begun' });
      expect(await replayed(idempotency.ending('t').deliveries, id, at)).toBe(3);
      expect(await idempotency.begin({ ...request, ...times, token: 'u' })).toEqual({
        ...{ kind: 'done', result: '{"replayed":3,"next":null}', at },
      });
      await idempotency.abandon('t');
      expect(await idempotency.begin({ ...request, ...times, token: 'u' })).toMatchObject({ kind: 'done' });
    });
  });
}

function replayed(deliveries: DeliveryStore, endpointId: string, at: string): Promise<number> {
  return deliveries.replay({ endpointId, since: '1970-01-01T00:00:00.000Z' }, { at });
}

/** A store whose process is killed after a change that ends a request: nothing comes back. */
class KilledAfter {
  readonly store: ServiceStore;

  constructor(store: ServiceStore) {
    const { idempotency } = store;
    const ending: typeof idempotency.ending = (token) => {
      const { accounts, deliveries } = idempotency.ending(token);
      const createKey: typeof accounts.createKey = async (...given) => {
        await accounts.createKey(...given);
        throw new Error('killed');
      };
      return { deliveries, accounts: { ...accounts, createKey } };
    };
    this.store = over(store, { ...idempotency, ending, abandon: (token) => idempotency.abandon(token) });
  }
}

/** A store whose process is killed before it changes anything: not even the attempt is abandoned. */
class KilledBefore {
  token: string | undefined;
  readonly store: ServiceStore;

  constructor(store: ServiceStore) {
    const { idempotency } = store;
    const ending: typeof idempotency.ending = (token) => {
      this.token = token;
      throw new Error('killed');
    };
    this.store = over(store, { ...idempotency, ending, abandon: () => Promise.resolve() });
  }
}

function over(store: ServiceStore, idempotency: ServiceStore['idempotency']): ServiceStore {
  return new Proxy(store, {
    get(of, name) {
      if (name === 'idempotency') return idempotency;
      const part: unknown = Reflect.get(of, name, of);
      // A store's own members are private: its methods must not be called on the proxy.
      return typeof part === 'function' ? (part.bind(of) as unknown) : part;
    },
  });
}
