// The part of the contract that is about owners: their addresses, what their keys may do, and how accounts are removed.
import assert from 'node:assert/strict';
import { rejects } from '../../assertions.ts';
import { around, each, group, type Test } from '../../test.ts';
import type { KeyChange, NewApiKey, ServiceStore } from '../../../stores/contract/accounts.ts';
import { accountNamed, digestOf, keyOfAccount, type OpenServiceStore } from './keys.ts';
import { at, permits, say } from '../said.ts';

const LIMIT = { limit: 600, windowSeconds: 60 };

/** What a key may do that may do little. */
const SMALL: Partial<NewApiKey> = { scopes: ['account'], feeds: ['permits'], limit: LIMIT, expiresAt: at(30) };

/** What such a key may give to another. */
const SMALLER: Partial<NewApiKey> = {
  ...SMALL,
  scopes: ['webhooks', 'account'],
  limit: { limit: 10, windowSeconds: 1 },
};

/** More than it has, in each way. */
const TOO_MUCH: readonly Partial<NewApiKey>[] = [
  { scopes: ['read'] },
  { feeds: null },
  { feeds: ['permits', 'other'] },
  { limit: null },
  { limit: { limit: 601, windowSeconds: 60 } },
  { limit: { limit: 11, windowSeconds: 1 } },
  { expiresAt: null },
  { expiresAt: at(31) },
];

/** Registers the suite for one implementation. */
export function grantsContract(test: Test, open: OpenServiceStore): void {
  group(test, 'keeps what owners decide', (test) => {
    let store: ServiceStore;
    let dispose: () => Promise<void>;

    const it = around(
      test,
      async () => {
        ({ store, dispose } = await open());
        for (const id of ['acme', 'other']) await store.accounts.createAccount(accountNamed(id));
        for (const id of ['permits', 'other']) await store.createRegister(permits(id));
      },
      () => dispose(),
    );
    const named = (id: string): Pick<NewApiKey, 'id' | 'accountId' | 'product'> => {
      return { id, accountId: 'acme', product: 'gazette' };
    };
    const create = (text: string, given: Partial<NewApiKey> = {}, by: string | null = null) =>
      store.accounts.createKey({ ...keyOfAccount('acme', text), ...given }, { by });

    it('as the address of an account, in lower case, which several may have', async () => {
      const { email } = await store.accounts.createAccount({ ...accountNamed('new'), email: 'Anna@Example.ORG' });
      assert.equal(email, 'anna@example.org');
      await store.accounts.updateAccount('acme', { email: 'anna@example.org' });
      const ids = async (address: string): Promise<string[]> =>
        (await store.accounts.accountsOfEmail(address)).map(({ id }) => id);
      assert.deepEqual(await ids('ANNA@example.org'), ['acme', 'new']);
      assert.deepEqual(await ids('an_a@example.org'), []);
      assert.deepEqual(await ids('anna@example.org\0'), []);
      await store.accounts.updateAccount('acme', { isSuspended: true });
      assert.equal((await store.accounts.updateAccount('new', { email: null })).email, null);
      assert.deepEqual(await ids('anna@example.org'), ['acme']);
    });

    each(
      it,
      'but takes no address such as %j',
      [
        ...['', 'anna', '@example.org', 'anna@localhost', 'anna@example.org, b@example.org', 'Anna <a@example.org>'],
        ...['a@example.org\r\nBcc: b@example.org', 'a@-.org', 'ä@example.org', `${'a'.repeat(65)}@example.org`],
        `a@${'b.'.repeat(130)}org`,
      ],
      async (email) => {
        const refused = { code: 'invalid_option', details: { option: 'email' } };
        await rejects(store.accounts.updateAccount('acme', { email }), refused);
        await rejects(store.accounts.createAccount({ ...accountNamed('new'), email }), refused);
        assert.equal((await store.accounts.account('acme'))?.email, null);
      },
    );

    it('as the name of a key and what it may do', async () => {
      const given: KeyChange = {
        name: ' Website ',
        scopes: ['account', 'read'],
        feeds: ['other', 'permits', 'other'],
        limit: LIMIT,
      };
      const key = await create('a', { ...given, expiresAt: '2026-05-01T02:30:00+02:00' });
      const kept = { name: 'Website', scopes: ['read', 'account'], feeds: ['other', 'permits'], limit: LIMIT };
      const { name, scopes, feeds, limit, expiresAt } = key;
      assert.deepEqual({ name, scopes, feeds, limit, expiresAt }, { ...kept, expiresAt: at(30) });
      assert.deepEqual((await store.accounts.findKey(digestOf('a')))?.key, key);
      assert.deepEqual(await store.accounts.keys('acme'), [key]);
      const changed = await store.accounts.updateKey(named('key_a'), { name: null, feeds: [], limit: null });
      assert.deepEqual(changed, { ...key, name: null, feeds: null, limit: null });
      assert.deepEqual(await store.accounts.updateKey(named('key_a'), {}), changed);
      assert.deepEqual((await store.accounts.findKey(digestOf('a')))?.key, changed);
    });

    each(
      it,
      'but not %j of a key',
      [
        { name: '' },
        { name: 'a\nb' },
        { name: '\ud800' },
        { name: 'a'.repeat(101) },
        { scopes: [] },
        { scopes: ['write' as 'read'] },
        { limit: { limit: 0, windowSeconds: 60 } },
      ],
      async (wrong) => {
        const key = await create('a');
        await rejects(create('b', wrong), { code: 'invalid_option' });
        await rejects(store.accounts.updateKey(named('key_a'), wrong), { code: 'invalid_option' });
        assert.deepEqual(await store.accounts.keys('acme'), [key]);
      },
    );

    it('but no key of a register that does not exist', async () => {
      await create('a');
      await rejects(create('b', { feeds: ['permits', 'x'] }), { code: 'unknown_feed' });
      await rejects(store.accounts.updateKey(named('key_a'), { feeds: ['x'] }), { code: 'unknown_feed' });
    });

    it('and gives a successor what the key may do that it replaces', async () => {
      const { name, scopes, feeds, limit, expiresAt } = await create('a', { ...SMALL, name: 'Website' });
      const asked = { ...keyOfAccount('acme', 'b'), name: 'Other', scopes: ['read'] as const };
      const successor = await store.accounts.rotateKey('key_a', asked, { endsAt: at(5) });
      assert.deepEqual({ ...successor, ...{ name, scopes, feeds, limit, expiresAt } }, successor);
    });

    it('and changes no key that is unknown, revoked, another account’s or another product’s', async () => {
      await create('a');
      const change = { name: 'x' };
      const refused = { code: 'unknown_key' };
      for (const wrong of [{ id: 'key_x' }, { id: 'key_\0' }, { accountId: 'other' }, { product: 'Gazette' }]) {
        await rejects(store.accounts.updateKey({ ...named('key_a'), ...wrong }, change), refused);
      }
      await store.accounts.revokeKey('key_a', { revokedAt: at(1) });
      await rejects(store.accounts.updateKey(named('key_a'), change), refused);
      assert.equal((await store.accounts.keys('acme'))[0]?.name, null);
    });

    it('and lets a key make keys that may do what it may, or less', async () => {
      await create('small', SMALL);
      const made = await create('smaller', SMALLER, 'key_small');
      assert.deepEqual(made.scopes, ['webhooks', 'account']);
      const renamed = await store.accounts.updateKey(named('key_smaller'), { name: 'x' }, { by: 'key_small' });
      assert.equal(renamed.name, 'x');
      await store.accounts.rotateKey('key_smaller', keyOfAccount('acme', 'next'), { endsAt: at(5), by: 'key_small' });
      // Its own successor ends when it would have ended.
      await store.accounts.rotateKey('key_small', keyOfAccount('acme', 'own'), { endsAt: at(5), by: 'key_small' });
      // It ends at minute 5 now, before the keys that it might make.
      const again = { endsAt: at(5), by: 'key_small' };
      await rejects(create('late', SMALL, 'key_small'), { code: 'insufficient_scope' });
      await rejects(store.accounts.rotateKey('key_small', keyOfAccount('acme', 'late'), again), {
        code: 'insufficient_scope',
      });
    });

    each(it, 'and lets no key give another more than its own: %j', TOO_MUCH, async (more) => {
      const refused = { code: 'insufficient_scope' };
      await create('small', SMALL);
      await rejects(create('b', { ...SMALL, ...more }, 'key_small'), refused);
      await create('c', { ...SMALL, ...more });
      const by = { by: 'key_small' };
      const rotated = store.accounts.rotateKey('key_c', keyOfAccount('acme', 'd'), { endsAt: at(5), ...by });
      await rejects(rotated, refused);
      const { expiresAt, ...change } = more;
      if (expiresAt === undefined) {
        await rejects(store.accounts.updateKey(named('key_small'), change, by), refused);
        await rejects(store.accounts.updateKey(named('key_c'), change, by), refused);
      }
      const ids = (await store.accounts.keys('acme')).map(({ id }) => id);
      assert.deepEqual(ids, ['key_c', 'key_small']);
      assert.equal((await store.accounts.findKey(digestOf('c')))?.key.endsAt, null);
    });

    it('and makes none by a key that was revoked, or is another account’s', async () => {
      await create('gone');
      await store.accounts.createKey(keyOfAccount('other', 'theirs'));
      await store.accounts.revokeKey('key_gone', { revokedAt: at(1) });
      for (const by of ['key_gone', 'key_theirs', 'key_x']) await rejects(create('b', {}, by), { code: 'unknown_key' });
    });

    it('and removes an account with its keys, endpoints and deliveries, and nothing of another', async () => {
      for (const accountId of ['acme', 'other']) {
        await store.accounts.createKey(keyOfAccount(accountId, accountId));
        const all = { feeds: null, types: null, filter: null, createdAt: at(0), secret: Uint8Array.from([1]) };
        for (const n of [1, 2]) {
          const id = `ep_${accountId}${n}`;
          await store.deliveries.createEndpoint({ ...all, id, accountId, url: 'https://example.org/' });
          await store.deliveries.createTest(id, { id: 'evt_test', type: 'endpoint.test' }, { at: at(1) });
        }
      }
      await store.apply('permits', [say('a')], { recordedAt: at(1) });
      const [delivery] = await store.deliveries.deliveries('ep_acme1', { limit: 1 });
      assert.equal(await store.deliveries.ownerOf(delivery!.id), 'acme');
      assert.equal(await store.deliveries.ownerOf('ep_acme1'), 'acme');
      for (const accountId of ['acme', 'other']) {
        await store.signIns.keepLink({
          owner: { kind: 'account', id: accountId },
          digest: digestOf('link'),
          createdAt: at(1),
          endsAt: at(9),
        });
        const session = { digest: digestOf(`session of ${accountId}`), createdAt: at(2), endsAt: at(99) };
        await store.signIns.useLink('account', digestOf('link'), session);
      }
      await store.accounts.removeAccount('acme', { at: at(2) });
      assert.equal(await store.accounts.account('acme'), null);
      assert.equal(await store.signIns.findSession('account', digestOf('session of acme'), { at: at(3) }), null);
      assert.equal(await store.signIns.findSession('account', digestOf('session of other'), { at: at(3) }), 'other');
      assert.equal(await store.accounts.findKey(digestOf('acme')), null);
      assert.equal(await store.deliveries.ownerOf(delivery!.id), null);
      assert.equal(await store.deliveries.ownerOf('ep_acme1'), null);
      assert.equal(await store.deliveries.ownerOf('ep_\0'), null);
      assert.deepEqual(
        (await store.deliveries.endpoints()).map(({ id }) => id),
        ['ep_other1', 'ep_other2'],
      );
      assert.equal((await store.deliveries.deliveries('ep_other1', { limit: 9 })).length, 1);
      assert.equal((await store.accounts.keys('other')).length, 1);
      for (const again of ['acme', 'x', 'acme\0']) {
        await rejects(store.accounts.removeAccount(again, { at: at(3) }), { code: 'unknown_account' });
      }
      await rejects(store.accounts.removeAccount('other', { at: 'soon' }), { code: 'invalid_option' });
      // The id is free again, and opens nothing of before.
      await store.accounts.createAccount(accountNamed('acme'));
      assert.deepEqual(await store.accounts.keys('acme'), []);
    });
  });
}
