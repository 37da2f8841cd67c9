// How many keys are remembered between two changes of the store.
import { expect, it } from 'vitest';
import { createApiKey } from '../../src/access/api-key.ts';
import { createAuthenticator } from '../../src/access/authenticate.ts';
import { Accounts } from '../../src/operate/accounts.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';

it('is a thousand, however many come: the one that was not used for longest is looked up again', async () => {
  const store = SqliteStore.open(':memory:');
  const accounts = new Accounts(store, { product: 'gazette' });
  await accounts.add('acme', '2999-01-01T00:00:00Z');
  const { key, entry } = await accounts.createKey('acme');
  const account = (await store.accounts.account('acme'))!;
  let lookUps = 0;
  // Every key is one of this account: making a thousand would take longer.
  const counting = Object.create(store.accounts, {
    findKey: {
      value: () => {
        lookUps++;
        return Promise.resolve({ key: entry, account });
      },
    },
  }) as SqliteStore['accounts'];
  const authenticate = createAuthenticator({ accounts: counting, product: 'gazette', now: Date.now });
  const send = (sent: string): Promise<unknown> =>
    authenticate(new Request('https://example.org/', { headers: { authorization: `Bearer ${sent}` } }), 1);
  await send(key);
  const second = createApiKey();
  await send(second);
  for (let others = 2; others < 1000; others++) await send(createApiKey());
  await send(key);
  expect(lookUps).toBe(1000);
  await send(createApiKey());
  await send(key);
  expect(lookUps).toBe(1001);
  await send(second);
  expect(lookUps).toBe(1002);
  await store.close();
});

it('is looked up once by all who come at the same time under the same stamp', async () => {
  const store = SqliteStore.open(':memory:');
  const accounts = new Accounts(store, { product: 'gazette' });
  await accounts.add('acme', '2999-01-01T00:00:00Z');
  const { key } = await accounts.createKey('acme');
  let lookUps = 0;
  const counting = Object.create(store.accounts, {
    findKey: {
      value: (digest: Uint8Array) => {
        lookUps++;
        return store.accounts.findKey(digest);
      },
    },
  }) as SqliteStore['accounts'];
  const authenticate = createAuthenticator({ accounts: counting, product: 'gazette' });
  /** How often keys are looked up by requests with these stamps. */
  const lookedUpBy = async (sent: string, ...stamps: (number | undefined)[]): Promise<number> => {
    const before = lookUps;
    const request = new Request('https://example.org/', { headers: { authorization: `Bearer ${sent}` } });
    await Promise.allSettled(stamps.map((stamp) => authenticate(request, stamp)));
    return lookUps - before;
  };
  expect([await lookedUpBy(key, 1, 1, 1), await lookedUpBy(key, 1)]).toEqual([1, 0]);
  // What was asked under an earlier stamp says nothing about a later one, and nothing is known without.
  expect([await lookedUpBy(key, 2, 3, 3), await lookedUpBy(key, undefined, undefined)]).toEqual([2, 2]);
  expect(await lookedUpBy(createApiKey(), 4, 4)).toBe(1);
  await store.close();
});
