// One list of what an owner does with her account, through every coat: the command line, the routes for programs, the pages.
// Each must leave the store as the rules of operate/ leave it when they are called directly, and refuse with their codes.
import { beforeAll, describe, expect, it } from 'vitest';
import { Accounts } from '../../src/operate/accounts.ts';
import { toAttemptAnswer, toDeliveryAnswer, toEndpointAnswer, toKeyAnswer } from '../../src/operate/answers.ts';
import { Endpoints } from '../../src/operate/endpoints.ts';
import type { ServiceStore } from '../../src/stores/contract/accounts.ts';
import { SecretBox } from '../../src/webhooks/send/secret-box.ts';
import { CHANGES, NAMING, REFUSALS } from './account-acts.ts';
import { type CoatKind, type CoatSubject, OWN_KEY, type Scene, type State, URL_OF_MINE } from './account-coat.ts';
import { SECRETS_KEY } from './full-store.ts';
import { at, permits, say } from './store-register.ts';
import { ledgerOf } from '../wings/selling/ledger-of.ts';

const MINUTES_MS = 600_000;

const UNKNOWN = {
  key: ['unknown_key', `key_${'z'.repeat(12)}`],
  endpoint: ['unknown_endpoint', `ep_${'0'.repeat(18)}`],
  delivery: ['unknown_delivery', 'dlv_999999'],
} as const;

const HELD = { ...{ lease: 'l', limit: 99, limitPerEndpoint: 99 }, room: new Map(), accountRoom: new Map() } as const;

/** Registers the suite for one coat. @param rules the rules themselves, with which it is compared */
export function accountCoatsContract(kind: CoatKind, rules: CoatKind): void {
  describe(`${kind.name}: an owner’s account`, () => {
    let subject: CoatSubject;
    let reference: CoatSubject;
    let count = 0;
    beforeAll(async () => {
      [subject, reference] = await Promise.all([kind.open(), rules.open()]);
      for (const { store } of [subject, reference]) {
        for (const id of ['permits', 'laws']) await store.createRegister(permits(id));
      }
      return async () => {
        await Promise.all([subject.dispose(), reference.dispose()]);
      };
    });

    /** A new account, beside one with a key, an endpoint and a delivery. */
    async function sceneOf({ store, coatOf }: CoatSubject, isFilled: boolean): Promise<Scene> {
      const accounts = new Accounts(store, { product: 'gazette' });
      const endpoints = new Endpoints(store, { box: () => SecretBox.fromHex(SECRETS_KEY) });
      const [own, other] = [`own-${count}`, `other-${count}`];
      for (const id of [own, other]) await accounts.add(id, '2099-01-01');
      const fill = async (accountId: string): Promise<Scene['foreign']> => {
        const { endpoint } = await endpoints.add({ accountId, url: URL_OF_MINE });
        const [{ entry }, { id }] = [await accounts.createKey(accountId), await endpoints.test(endpoint.id)];
        return { key: entry.id, endpoint: endpoint.id, delivery: id };
      };
      const foreign = await fill(other);
      if (isFilled) await fill(own);
      const endpoint_ = async (): Promise<string> => (await store.deliveries.endpoints(own)).at(-1)!.id;
      return {
        ...{ foreign, coat: await coatOf(own), endpoint: endpoint_ },
        key: async () => (await store.accounts.keys(own)).find(({ name }) => name !== OWN_KEY)!,
        delivery: async () => (await endpoints.deliveries(await endpoint_(), { limit: 1 }))[0]!.id,
        settle: (as) => settleAll(store, own, as),
        credit: (cents) => credit(store, own, cents),
        spend: (cents) => spend(store, own, cents),
        state: () => stateOf(store, own),
      };
    }

    async function scenes({ isFilled = false } = {}): Promise<readonly [own: Scene, rules: Scene]> {
      count++;
      return [await sceneOf(subject, isFilled), await sceneOf(reference, isFilled)];
    }

    it.each(Object.entries(CHANGES))('leaves %s', async (_, [act, leaves]) => {
      const [own, known] = await scenes();
      for (const scene of [known, own]) await act(scene);
      const state = await own.state();
      expect(state).toMatchObject(leaves);
      expect(state).toEqual(await known.state());
    });

    it.each(REFUSALS)('refuses %s', async (_, code, act) => {
      const [own, known] = await scenes({ isFilled: true });
      const before = await own.state();
      const rule = await refusalOf(act(known));
      const said = await refusalOf(act(own));
      expect([rule.code, said.code]).toEqual([code, kind.codes[code] ?? code]);
      if (kind.saysRule) expect(withoutIds(said)).toContain(withoutIds(rule));
      expect(await own.state()).toEqual(before);
    });

    it.each(NAMING)('refuses a %s that is another’s, or none: %s', async (named, _what, act) => {
      const [{ coat, foreign, state }] = await scenes();
      const [code, none] = UNKNOWN[named];
      const ids = kind.isOperators && named !== 'key' ? [none] : [none, foreign[named]];
      for (const id of ids) {
        expect([id, (await refusalOf(act(coat, id))).code]).toEqual([id, kind.codes[code] ?? code]);
      }
      expect(await state()).toEqual({ keys: [], endpoints: [], deliveries: [] });
      const other = await stateOf(subject.store, `other-${count}`);
      expect(other).toMatchObject({ keys: [{ state: 'active', name: null }], deliveries: [{ state: 'pending' }] });
      expect(other.endpoints).toMatchObject([{ url: URL_OF_MINE, disabled_at: null, next_secret_prepared: false }]);
    });
  });
}

async function refusalOf(work: Promise<unknown>): Promise<{ readonly code: unknown; readonly said: string }> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error && error.cause !== undefined) return { code: error.cause, said: error.message };
    throw error;
  }
  return { code: 'done', said: 'it was not refused' };
}

function withoutIds({ said }: { readonly said: string }): string {
  return said.replaceAll(/\b(?:ep|key|dlv)_\w+/g, 'id');
}

/** Gives an account credit, in a service that sells records. */
async function credit(store: ServiceStore, accountId: string, amount: number): Promise<void> {
  const { definition } = (await store.register('permits'))!;
  await store.updateRegister({ ...definition, prices: { currency: 'EUR', per_record: 1 } }, { recordedAt: at(1) });
  await store.apply('permits', [say('1', {})], { recordedAt: at(0) });
  await ledgerOf(store).grantCredit({ accountId, price: { amount, currency: 'EUR' }, reference: null, reason: null });
}

/** Buys the record of {@link credit} with the newest key. */
async function spend(store: ServiceStore, accountId: string, amount: number): Promise<void> {
  const keyId = (await store.accounts.keys(accountId)).find(({ name }) => name !== OWN_KEY)!.id;
  const item = (await ledgerOf(store).items(['permits:1'])).get('permits:1')!;
  const { definition } = (await store.register('permits'))!;
  await store.updateRegister({ ...definition, prices: { currency: 'EUR', per_record: amount } }, { recordedAt: at(1) });
  await ledgerOf(store).buy({ accountId, keyId, item, expected: null, idempotencyKey: null });
}

async function settleAll(
  { deliveries }: ServiceStore,
  accountId: string,
  state: 'failed' | 'acknowledged',
): Promise<void> {
  const now = new Date().toISOString();
  const endpoints = new Set((await deliveries.endpoints(accountId)).map(({ id }) => id));
  const claimed = await deliveries.claim({ ...HELD, now, until: now });
  const isFailed = state === 'failed';
  const attempt = {
    at: now,
    durationMs: 7,
    status: isFailed ? 500 : 204,
    error: null,
    response: isFailed ? 'no' : null,
  };
  const outcome = { lease: 'l', isGone: false, nextAttemptAt: null, reason: isFailed ? 'exhausted' : null };
  const own = claimed.filter(({ endpoint }) => endpoints.has(endpoint.id));
  await deliveries.settle(
    own.map(({ id }) => ({ ...outcome, id, state, attempt })),
    { at: now, failingBefore: '2020-01-01T00:00:00.000Z' },
  );
}

async function stateOf(store: ServiceStore, accountId: string): Promise<State> {
  const accounts = new Accounts(store, { product: 'gazette' });
  const endpoints = await store.deliveries.endpoints(accountId);
  const now = new Date().toISOString();
  const deliveries = [];
  for (const [at, { id }] of endpoints.entries()) {
    for (const delivery of await store.deliveries.deliveries(id, { limit: 100, now })) {
      const attempts = (await store.deliveries.attempts(delivery.id)).map(toAttemptAnswer);
      deliveries.push({
        ...toDeliveryAnswer(delivery),
        id: deliveries.length,
        event: null,
        endpoint: at,
        all: attempts,
      });
    }
  }
  const keys = (await accounts.keys(accountId)).filter(({ name }) => name !== OWN_KEY);
  return timeless({
    keys: keys.map((key, id) => ({
      ...toKeyAnswer(key, accounts.keyStateOf(key)),
      id,
      account: null,
      last_four: null,
    })),
    endpoints: endpoints.map((endpoint, id) => ({ ...toEndpointAnswer(endpoint), id, account: null })),
    deliveries,
  });
}

/** The state with its times as hours from now. */
function timeless(state: State): State {
  const nowMs = Date.now();
  const text = JSON.stringify(state, (_, value: unknown) => {
    if (typeof value !== 'string' || !/^20\d\d-\d\d-\d\dT/.test(value) || value > '2080') return value;
    const ms = Date.parse(value) - nowMs;
    return Math.abs(ms) < MINUTES_MS ? 'now' : `in ${Math.round(ms / 3_600_000)} h`;
  });
  return JSON.parse(text) as State;
}
