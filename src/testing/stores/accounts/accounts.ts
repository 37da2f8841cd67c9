// The contract of every store of accounts and keys. Each implementation runs it; tests of one engine are separate.
import { createHash } from 'node:crypto';
import assert from 'node:assert/strict';
import { matches, rejects } from '../../assertions.ts';
import { around, each, group, type Test } from '../../test.ts';
import type { ServiceStore } from '../../../stores/contract/accounts.ts';
import { grantsContract } from './grants.ts';
import { accountNamed, digestOf, keyOfAccount, type OpenServiceStore } from './keys.ts';
import { at } from '../said.ts';

/** Registers the suite for one implementation. */
export function accountStoreContract(test: Test, open: OpenServiceStore): void {
  grantsContract(test, open);

  group(test, 'keeps accounts', (test) => {
    let store: ServiceStore;
    let dispose: () => Promise<void>;

    const it = around(
      test,
      async () => {
        ({ store, dispose } = await open());
        await store.accounts.createAccount(accountNamed('acme'));
      },
      () => dispose(),
    );

    it('and finds them by id, and all of them in the order of their ids', async () => {
      const acme = { id: 'acme', accessUntil: at(60), isSuspended: false, limit: null, email: null, createdAt: at(0) };
      assert.deepEqual(await store.accounts.account('acme'), acme);
      assert.equal(await store.accounts.account('ACME'), null);
      assert.equal(await store.accounts.account('acme\0'), null);
      const zero = await store.accounts.createAccount({ id: '0', accessUntil: null, createdAt: at(1) });
      assert.deepEqual(zero, {
        id: '0',
        accessUntil: null,
        isSuspended: false,
        limit: null,
        email: null,
        createdAt: at(1),
      });
      assert.deepEqual(await store.accounts.accounts(), [zero, acme]);
    });

    it('and refuses a second one of the same id, leaving the first', async () => {
      const again = { ...accountNamed('acme'), accessUntil: null };
      await rejects(store.accounts.createAccount(again), { code: 'account_exists', details: { account: 'acme' } });
      assert.equal((await store.accounts.account('acme'))?.accessUntil, at(60));
    });

    each(it, 'and takes no account named %j', ['', '-a', 'Acme', 'a b', 'é', 'a\0', 'a'.repeat(65)], async (id) => {
      await rejects(store.accounts.createAccount(accountNamed(id)), {
        code: 'invalid_option',
        details: { option: 'account' },
      });
      assert.equal((await store.accounts.accounts()).length, 1);
    });

    it('and keeps the limits that they have, and may lose', async () => {
      const limit = { limit: 1_000_000, windowSeconds: 86_400 };
      const made = await store.accounts.createAccount({ ...accountNamed('fast'), limit });
      const kept = await store.accounts.updateAccount('fast', { isSuspended: true });
      const lost = await store.accounts.updateAccount('fast', { limit: null });
      const got = await store.accounts.updateAccount('acme', { limit });
      const limits = [made, kept, lost, got].map((account) => account.limit);
      assert.deepEqual(limits, [limit, limit, null, limit]);
      const wrong = { limit: { ...limit, windowSeconds: 86_401 } };
      await rejects(store.accounts.updateAccount('acme', wrong), { code: 'invalid_option' });
    });

    it('and changes what is given, leaving the rest', async () => {
      const acme = { id: 'acme', accessUntil: at(60), isSuspended: false, limit: null, email: null, createdAt: at(0) };
      assert.deepEqual(await store.accounts.updateAccount('acme', { isSuspended: true }), {
        ...acme,
        isSuspended: true,
      });
      assert.deepEqual(await store.accounts.updateAccount('acme', { accessUntil: at(90) }), {
        ...acme,
        accessUntil: at(90),
        isSuspended: true,
      });
      assert.deepEqual(await store.accounts.updateAccount('acme', { isSuspended: false, accessUntil: null }), {
        ...acme,
        accessUntil: null,
      });
      assert.deepEqual(await store.accounts.updateAccount('acme', {}), { ...acme, accessUntil: null });
      assert.deepEqual(await store.accounts.account('acme'), { ...acme, accessUntil: null });
    });

    it('and keeps times in UTC, whatever their offset', async () => {
      const { accessUntil } = await store.accounts.updateAccount('acme', { accessUntil: '2027-01-01T01:30:00+02:00' });
      assert.equal(accessUntil, '2026-12-31T23:30:00.000Z');
    });

    each(
      it,
      'and refuses the time %j wherever it is given',
      ['', '2027-01-01', 'tomorrow', '2027-13-01T00:00:00Z', '9999-12-31T23:59:59-01:00'],
      async (time) => {
        const entry = await store.accounts.createKey(keyOfAccount('acme', 'a'));
        const refused = { code: 'invalid_option' };
        for (const attempt of [
          store.accounts.createAccount({ ...accountNamed('other'), accessUntil: time }),
          store.accounts.createAccount({ ...accountNamed('other'), createdAt: time }),
          store.accounts.updateAccount('acme', { accessUntil: time }),
          store.accounts.createKey({ ...keyOfAccount('acme', 'b'), createdAt: time }),
          store.accounts.rotateKey(entry.id, keyOfAccount('acme', 'b'), { endsAt: time }),
          store.accounts.revokeKey(entry.id, { revokedAt: time }),
          store.accounts.recordKeyUses(new Map([[entry.id, { at: time, requests: 1 }]])),
        ]) {
          await rejects(attempt, refused);
        }
        assert.deepEqual(await store.accounts.keys('acme'), [entry]);
        assert.equal((await store.accounts.accounts()).length, 1);
      },
    );

    it('and has none of another id', async () => {
      const unknown = { code: 'unknown_account', details: { account: 'other' } };
      await rejects(store.accounts.updateAccount('other', { isSuspended: true }), unknown);
      await rejects(store.accounts.createKey(keyOfAccount('other', 'a')), unknown);
      await rejects(store.accounts.keys('other'), unknown);
      assert.equal(await store.accounts.findKey(digestOf('a')), null);
    });
  });

  group(test, 'keeps keys', (test) => {
    let store: ServiceStore;
    let dispose: () => Promise<void>;

    const it = around(
      test,
      async () => {
        ({ store, dispose } = await open());
        await store.accounts.createAccount(accountNamed('acme'));
        await store.accounts.createAccount(accountNamed('other'));
        await store.accounts.createKey(keyOfAccount('acme', 'first'));
      },
      () => dispose(),
    );

    const first = {
      id: 'key_first',
      accountId: 'acme',
      product: 'gazette',
      lastFour: 'irst',
      createdAt: at(0),
      lastUsedAt: null,
      endsAt: null,
      revokedAt: null,
      ...{ name: null, scopes: ['read'], feeds: null, limit: null, expiresAt: null, requests: 0 },
    };

    it('and finds one by its digest with the account as it now is', async () => {
      matches(await store.accounts.createKey(keyOfAccount('acme', 'second')), { id: 'key_second' });
      assert.deepEqual(await store.accounts.findKey(digestOf('first')), {
        key: first,
        account: await store.accounts.account('acme'),
      });
      await store.accounts.updateAccount('acme', { isSuspended: true });
      assert.equal((await store.accounts.findKey(digestOf('first')))?.account.isSuspended, true);
      assert.equal(await store.accounts.findKey(digestOf('firs')), null);
      assert.equal(await store.accounts.findKey(new Uint8Array()), null);
    });

    it('and takes none whose digest is no SHA-256', async () => {
      const sha1 = createHash('sha1').update('x').digest();
      await rejects(store.accounts.createKey({ ...keyOfAccount('acme', 'x'), digest: sha1 }), {
        code: 'invalid_option',
        details: { option: 'digest' },
      });
    });

    it('and takes no id or digest twice', async () => {
      await assert.rejects(store.accounts.createKey({ ...keyOfAccount('acme', 'x'), id: 'key_first' }));
      await assert.rejects(store.accounts.createKey({ ...keyOfAccount('other', 'first'), id: 'key_x' }));
      assert.deepEqual(await store.accounts.keys('acme'), [first]);
      assert.deepEqual(await store.accounts.keys('other'), []);
    });

    it('and lists an account’s own, the newest first, ended ones included', async () => {
      await store.accounts.createKey(keyOfAccount('other', 'theirs'));
      // A clock that was set back does not change the order.
      await store.accounts.createKey({ ...keyOfAccount('acme', 'second'), createdAt: at(-5) });
      await store.accounts.revokeKey('key_first', { revokedAt: at(1) });
      await store.accounts.rotateKey('key_second', keyOfAccount('acme', 'third'), { endsAt: at(2) });
      assert.deepEqual(
        (await store.accounts.keys('acme')).map(({ id }) => id),
        ['key_third', 'key_second', 'key_first'],
      );
    });

    it('and rotates one: the successor lives, the old one has an end', async () => {
      const successor = await store.accounts.rotateKey('key_first', keyOfAccount('acme', 'second'), { endsAt: at(10) });
      assert.deepEqual(successor, { ...first, id: 'key_second', lastFour: 'cond' });
      assert.deepEqual((await store.accounts.findKey(digestOf('second')))?.key, successor);
      assert.deepEqual((await store.accounts.findKey(digestOf('first')))?.key, { ...first, endsAt: at(10) });
    });

    it('and lets a rotation only ever bring an end nearer', async () => {
      await store.accounts.rotateKey('key_first', keyOfAccount('acme', 'second'), { endsAt: at(10) });
      await store.accounts.rotateKey('key_first', keyOfAccount('acme', 'third'), { endsAt: at(20) });
      assert.equal((await store.accounts.findKey(digestOf('first')))?.key.endsAt, at(10));
      await store.accounts.rotateKey('key_first', keyOfAccount('acme', 'fourth'), {
        endsAt: '2026-05-01T02:05:00+02:00',
      });
      assert.equal((await store.accounts.findKey(digestOf('first')))?.key.endsAt, at(5));
    });

    it('and rotates none that is unknown, revoked, another account’s or another product’s, and keeps no successor', async () => {
      const successor = keyOfAccount('acme', 'second');
      const end = { endsAt: at(10) };
      const refused = { code: 'unknown_key' };
      await rejects(store.accounts.rotateKey('key_x', successor, end), refused);
      await rejects(store.accounts.rotateKey('key_\0', successor, end), refused);
      await rejects(store.accounts.rotateKey('key_first', { ...successor, accountId: 'other' }, end), refused);
      await rejects(store.accounts.rotateKey('key_first', { ...successor, product: 'Gazette' }, end), refused);
      assert.deepEqual((await store.accounts.findKey(digestOf('first')))?.key, first);
      await store.accounts.revokeKey('key_first', { revokedAt: at(1) });
      await rejects(store.accounts.rotateKey('key_first', successor, end), {
        ...refused,
        details: { key: 'key_first', account: 'acme' },
      });
      assert.equal(await store.accounts.findKey(digestOf('second')), null);
      assert.deepEqual((await store.accounts.findKey(digestOf('first')))?.key, { ...first, revokedAt: at(1) });
    });

    it('and ends none by a rotation that fails half way', async () => {
      const taken = { ...keyOfAccount('acme', 'second'), id: 'key_first' };
      await assert.rejects(store.accounts.rotateKey('key_first', taken, { endsAt: at(1) }));
      assert.deepEqual((await store.accounts.findKey(digestOf('first')))?.key, first);
    });

    it('and revokes one for ever', async () => {
      const revoked = { ...first, revokedAt: at(1) };
      assert.deepEqual(await store.accounts.revokeKey('key_first', { revokedAt: at(1) }), revoked);
      assert.deepEqual(await store.accounts.revokeKey('key_first', { revokedAt: at(2) }), revoked);
      assert.equal((await store.accounts.findKey(digestOf('first')))?.key.revokedAt, at(1));
      const missing = { code: 'unknown_key', details: { key: 'key_x' } };
      await rejects(store.accounts.revokeKey('key_x', { revokedAt: at(1) }), missing);
      await rejects(store.accounts.revokeKey('key_\0', { revokedAt: at(1) }), { code: 'unknown_key' });
    });

    it('and records how often and when each was last used, never an earlier time', async () => {
      await store.accounts.createKey(keyOfAccount('other', 'theirs'));
      const usesOf = async (text: string): Promise<unknown[]> => {
        const { lastUsedAt, requests } = (await store.accounts.findKey(digestOf(text)))!.key;
        return [lastUsedAt, requests];
      };
      const used = async (): Promise<unknown[]> => [await usesOf('first'), await usesOf('theirs')];
      const record = (...uses: [string, string][]) =>
        store.accounts.recordKeyUses(new Map(uses.map(([id, at]) => [id, { at, requests: 2 }])));
      await record(['key_first', at(5)], ['key_unknown', at(5)], ['key_\0', at(5)]);
      assert.deepEqual(await used(), [[at(5), 2], [null, 0]]); // prettier-ignore
      await record(['key_first', at(4)], ['key_theirs', at(4)]);
      assert.deepEqual(await used(), [[at(5), 4], [at(4), 2]]); // prettier-ignore
      // Later as a time, but not in the order of texts.
      await record(['key_first', '2026-04-30T23:06:00-01:00'], ['key_theirs', '2026-05-01T02:03:00+02:00']);
      assert.deepEqual(await used(), [[at(6), 6], [at(4), 4]]); // prettier-ignore
      await record();
    });

    it('and is not reached by what a caller does to what it got', async () => {
      const found = (await store.accounts.findKey(digestOf('first')))!;
      Object.assign(found.key, { revokedAt: at(0) });
      Object.assign(found.account, { isSuspended: true });
      const [listed] = await store.accounts.keys('acme');
      Object.assign(listed!, { revokedAt: at(0) });
      Object.assign((await store.accounts.accounts())[0]!, { isSuspended: true });
      assert.deepEqual((await store.accounts.findKey(digestOf('first')))?.key, first);
      assert.equal((await store.accounts.account('acme'))?.isSuspended, false);
    });

    it('and loses nothing when all is done at once', async () => {
      const names = Array.from({ length: 12 }, (_, index) => `k${index}`);
      await Promise.all(names.map((name) => store.accounts.createKey(keyOfAccount('acme', name))));
      await Promise.all([
        ...names.slice(0, 4).map((name) => store.accounts.revokeKey(`key_${name}`, { revokedAt: at(1) })),
        ...names
          .slice(4, 8)
          .map((name) => store.accounts.rotateKey(`key_${name}`, keyOfAccount('acme', `${name}s`), { endsAt: at(2) })),
        // The same keys in different orders.
        store.accounts.recordKeyUses(new Map(names.map((name) => [`key_${name}`, { at: at(3), requests: 1 }]))),
        store.accounts.recordKeyUses(
          new Map(names.toReversed().map((name) => [`key_${name}`, { at: at(4), requests: 2 }])),
        ),
      ]);
      const byId = new Map((await store.accounts.keys('acme')).map((key) => [key.id, key]));
      assert.equal(byId.size, 1 + 12 + 4);
      names.forEach((name, index) => {
        matches(byId.get(`key_${name}`), {
          revokedAt: index < 4 ? at(1) : null,
          endsAt: index >= 4 && index < 8 ? at(2) : null,
          lastUsedAt: at(4),
          requests: 3,
        });
      });
    });
  });
}
