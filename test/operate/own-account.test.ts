// What an owner may do with her account: everything of her own, and nothing of another's, which looks as if it did not exist.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Accounts } from '../../src/operate/accounts.ts';
import { Endpoints } from '../../src/operate/endpoints.ts';
import { OwnAccount } from '../../src/operate/own-account.ts';
import { GazetteError } from '../../src/errors.ts';
import type { KeyScope } from '../../src/stores/contract/accounts.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { SecretBox } from '../../src/webhooks/send/secret-box.ts';
import { at, permits } from '../contracts/store-register.ts';

const URL_OF_MINE = 'https://8.8.8.8/hook';

let store: SqliteStore;
let accounts: Accounts;
let endpoints: Endpoints;
let mine: OwnAccount;
let theirs: OwnAccount;

beforeEach(async () => {
  store = SqliteStore.open(':memory:');
  const now = (): number => Date.parse(at(5));
  accounts = new Accounts(store, { product: 'gazette', now });
  endpoints = new Endpoints(store, { box: () => SecretBox.fromHex('ab'.repeat(32)), now });
  for (const id of ['acme', 'other']) await accounts.add(id, at(60));
  for (const id of ['permits', 'laws']) await store.createRegister(permits(id));
  [mine, theirs] = ['acme', 'other'].map((accountId) => new OwnAccount({ accounts, endpoints, accountId })) as [
    OwnAccount,
    OwnAccount,
  ];
});
afterEach(() => store.close());

/** The account `acme` as a program with a new key has it. */
async function withKey(scopes: readonly KeyScope[], feeds: readonly string[] | null = null): Promise<OwnAccount> {
  const { entry } = await mine.createKey({ scopes, feeds });
  return new OwnAccount({ accounts, endpoints, accountId: 'acme', by: entry });
}

describe('an owner', () => {
  it('sees until when access runs, and how it is used', async () => {
    const { key, entry } = await mine.createKey({ name: 'Website' });
    expect(key).toMatch(/^gz_/);
    await store.accounts.recordKeyUses(new Map([[entry.id, { at: at(3), requests: 5 }]]));
    await mine.createKey();
    expect(await mine.account()).toMatchObject({
      ...{ state: 'active', lastUsedAt: at(3), requests: 5 },
      account: { id: 'acme', accessUntil: at(60) },
    });
    expect((await theirs.account()).lastUsedAt).toBeNull();
  });

  it('sees the deliveries of all endpoints, the newest first, with their outcomes, and replays those that failed', async () => {
    const ids = [];
    for (const path of ['a', 'b']) ids.push((await mine.addEndpoint({ url: `${URL_OF_MINE}/${path}` })).endpoint.id);
    const made = [];
    for (const id of [...ids, ...ids]) made.unshift((await mine.testEndpoint(id)).id);
    await theirs.testEndpoint((await theirs.addEndpoint({ url: URL_OF_MINE })).endpoint.id);
    expect((await mine.deliveries({ limit: 3 })).map(({ id }) => id)).toEqual(made.slice(0, 3));
    expect((await mine.deliveries({ limit: 3, before: made[2]! })).map(({ id }) => id)).toEqual(made.slice(3));
    const toOne = await mine.deliveries({ limit: 9, endpointId: ids[0]! });
    expect(toOne.map(({ id }) => id)).toEqual([made[1], made[3]]);
    expect(await mine.replayEndpoint(ids[0]!)).toBe(0);
    expect(await mine.replayEndpoint(ids[0]!, { isMissed: false })).toBe(2);
    expect(await mine.replayDelivery(made[0]!)).toBe(1);
    expect(await mine.delivery(made[0]!)).toMatchObject({ delivery: { state: 'pending' }, attempts: [] });
  });

  it('has keys made that may do no more than the key that makes them, and as much where nothing is asked for', async () => {
    const limit = { limit: 10, windowSeconds: 60 };
    const { entry } = await mine.createKey({ scopes: ['read', 'account'], feeds: ['laws'], limit, expiresAt: at(30) });
    const program = new OwnAccount({ accounts, endpoints, accountId: 'acme', by: entry });
    const made = (await program.createKey()).entry;
    expect(made).toMatchObject({ scopes: ['read'], feeds: ['laws'], limit, expiresAt: at(30) });
    for (const more of [{ feeds: ['permits'] }, { feeds: null }, { limit: null }, { expiresAt: at(31) }]) {
      await expect(program.createKey(more)).rejects.toMatchObject({ code: 'insufficient_scope' });
    }
    await expect(program.updateKey(made.id, { limit: null })).rejects.toMatchObject({ code: 'insufficient_scope' });
    const wide = (await mine.createKey({ scopes: ['read', 'webhooks', 'account'] })).entry.id;
    await expect(program.rotateKey(wide)).rejects.toMatchObject({ code: 'insufficient_scope' });
    expect((await program.rotateKey(made.id, { graceMs: 0 })).entry).toMatchObject({ feeds: ['laws'], limit });
    expect((await program.revokeKey(wide)).revokedAt).toBe(at(5));
  });

  it('has endpoints handled by a key only where it opens their registers', async () => {
    const program = await withKey(['webhooks'], ['permits']);
    const own = (await program.addEndpoint({ url: URL_OF_MINE })).endpoint;
    expect(own.feeds).toEqual(['permits']);
    const { endpoint: all } = await mine.addEndpoint({ url: URL_OF_MINE });
    const delivery = (await mine.testEndpoint(all.id)).id;
    const refused = { code: 'insufficient_scope', details: { option: 'feeds' } };
    for (const attempt of [
      () => program.addEndpoint({ url: URL_OF_MINE, feeds: ['laws'] }),
      () => program.addEndpoint({ url: URL_OF_MINE, feeds: [] }),
      () => program.updateEndpoint(own.id, { feeds: [] }),
      () => program.updateEndpoint(all.id, { url: 'https://8.8.4.4/' }),
      () => program.removeEndpoint(all.id),
      () => program.setEnabled(all.id, false),
      () => program.testEndpoint(all.id),
      () => program.prepareSecret(all.id),
      () => program.activateSecret(all.id),
      () => program.replayEndpoint(all.id),
      () => program.replayDelivery(delivery),
    ]) {
      await expect(attempt()).rejects.toMatchObject(refused);
    }
    expect(await program.testEndpoint(own.id)).toMatchObject({ state: 'pending' });
    expect((await program.endpoints()).map(({ id }) => id)).toEqual([own.id, all.id]);
  });
});

/** Everything that names something of an account. */
const NAMING: readonly [
  what: 'key' | 'endpoint' | 'delivery',
  act: (own: OwnAccount, id: string) => Promise<unknown>,
][] = [
  ['key', (own, id) => own.updateKey(id, { name: 'x' })],
  ['key', (own, id) => own.rotateKey(id)],
  ['key', (own, id) => own.revokeKey(id)],
  ['endpoint', (own, id) => own.endpoint(id)],
  ['endpoint', (own, id) => own.updateEndpoint(id, { url: 'https://8.8.4.4/' })],
  ['endpoint', (own, id) => own.setEnabled(id, false)],
  ['endpoint', (own, id) => own.setEnabled(id, true)],
  ['endpoint', (own, id) => own.testEndpoint(id)],
  ['endpoint', (own, id) => own.prepareSecret(id)],
  ['endpoint', (own, id) => own.activateSecret(id)],
  ['endpoint', (own, id) => own.replayEndpoint(id)],
  ['endpoint', (own, id) => own.deliveries({ endpointId: id, limit: 9 })],
  ['endpoint', (own, id) => own.removeEndpoint(id)],
  ['delivery', (own, id) => own.delivery(id)],
  ['delivery', (own, id) => own.replayDelivery(id)],
];

describe('what is another account’s', () => {
  it.each(NAMING.map(([what, act], n) => [n, what, act] as const))(
    'is refused as what does not exist: %i, of a %s',
    async (_, what, act) => {
      const endpoint = (await theirs.addEndpoint({ url: URL_OF_MINE })).endpoint.id;
      const ids = {
        ...{ endpoint, key: (await theirs.createKey()).entry.id, delivery: (await theirs.testEndpoint(endpoint)).id },
      };
      const absent = { endpoint: `ep_${'0'.repeat(18)}`, key: 'key_000000000000', delivery: 'dlv_999' }[what];
      const before = await everythingOf(theirs);
      for (const own of [mine, await withKey(['read', 'webhooks', 'account'])]) {
        const [foreign, missing] = await Promise.all(
          [ids[what], absent].map((id) => refusalOf(() => act(own, id), id)),
        );
        expect(foreign).toEqual(missing);
        // What another account has is no endpoint where a delivery is meant, or the other way round.
        const wrong = what === 'delivery' ? endpoint : ids.delivery;
        expect((await refusalOf(() => act(own, wrong), wrong)).code).toBe(missing!.code);
      }
      expect(await everythingOf(theirs)).toEqual(before);
    },
  );

  it('takes as many look-ups as what does not exist', async () => {
    const endpoint = (await theirs.addEndpoint({ url: URL_OF_MINE })).endpoint.id;
    const delivery = (await theirs.testEndpoint(endpoint)).id;
    let calls = 0;
    const counted = <T extends object>(part: T): T =>
      new Proxy(part, {
        get: (of, name) => {
          calls++;
          return Reflect.get(of, name, of) as unknown;
        },
      });
    const watched = new OwnAccount({
      accounts: new Accounts({ accounts: counted(store.accounts) }, { product: 'gazette' }),
      endpoints: new Endpoints(
        { deliveries: counted(store.deliveries) },
        { box: () => SecretBox.fromHex('ab'.repeat(32)) },
      ),
      accountId: 'acme',
    });
    const key = (await theirs.createKey()).entry.id;
    const ids = { key: [key, 'key_x'], endpoint: [endpoint, 'ep_x'], delivery: [delivery, 'dlv_999'] };
    for (const [what, act] of NAMING) {
      const counts = [];
      for (const id of ids[what]) {
        calls = 0;
        await refusalOf(() => act(watched, id), id);
        counts.push(calls);
      }
      expect(counts[0]).toBe(counts[1]);
    }
  });
});

async function everythingOf(own: OwnAccount): Promise<unknown> {
  return { all: await own.endpoints(), keys: await own.keys(), deliveries: await own.deliveries({ limit: 99 }) };
}

async function refusalOf(act: () => Promise<unknown>, id: string): Promise<{ code: string; text: string }> {
  try {
    await act();
  } catch (error) {
    if (error instanceof GazetteError) return { code: error.code, text: error.message.replaceAll(id, 'ID') };
    throw error;
  }
  throw new Error('nothing was refused');
}
