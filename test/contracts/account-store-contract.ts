// What every store of accounts and keys must do. Each implementation runs it; what differs by engine is tested beside it.
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ServiceStore } from '../../src/stores/contract/accounts.ts';
import { accountNamed, digestOf, keyOfAccount } from './accounts.ts';
import { at } from './store-register.ts';

/** Opens an empty store. */
export type OpenServiceStore = () => Promise<{
  readonly store: ServiceStore;
  readonly dispose: () => Promise<void>;
}>;

/** Registers the suite for one implementation. */
export function accountStoreContract(name: string, open: OpenServiceStore): void {
  describe(`${name} keeps accounts`, () => {
    let store: ServiceStore;
    let dispose: () => Promise<void>;

    beforeEach(async () => {
      ({ store, dispose } = await open());
      await store.accounts.createAccount(accountNamed('acme'));
    });
    afterEach(() => dispose());

    it('and finds them by id, and all of them in the order of their ids', async () => {
      const acme = { id: 'acme', accessUntil: at(60), isSuspended: false, createdAt: at(0) };
      expect(await store.accounts.account('acme')).toEqual(acme);
      expect(await store.accounts.account('ACME')).toBeNull();
      expect(await store.accounts.account('acme\0')).toBeNull();
      const zero = await store.accounts.createAccount({ id: '0', accessUntil: null, createdAt: at(1) });
      expect(zero).toEqual({ id: '0', accessUntil: null, isSuspended: false, createdAt: at(1) });
      expect(await store.accounts.accounts()).toEqual([zero, acme]);
    });

    it('and refuses a second one of the same id, leaving the first', async () => {
      const again = { ...accountNamed('acme'), accessUntil: null };
      await expect(store.accounts.createAccount(again)).rejects.toMatchObject({
        code: 'account_exists',
        details: { account: 'acme' },
      });
      expect((await store.accounts.account('acme'))?.accessUntil).toBe(at(60));
    });

    it.each(['', '-a', 'Acme', 'a b', 'é', 'a\0', 'a'.repeat(65)])('and takes no account named %j', async (id) => {
      await expect(store.accounts.createAccount(accountNamed(id))).rejects.toMatchObject({
        code: 'invalid_option',
        details: { option: 'account' },
      });
      expect(await store.accounts.accounts()).toHaveLength(1);
    });

    it('and changes what is given, leaving the rest', async () => {
      const acme = { id: 'acme', accessUntil: at(60), isSuspended: false, createdAt: at(0) };
      expect(await store.accounts.updateAccount('acme', { isSuspended: true })).toEqual({ ...acme, isSuspended: true });
      expect(await store.accounts.updateAccount('acme', { accessUntil: at(90) })).toEqual({
        ...acme,
        accessUntil: at(90),
        isSuspended: true,
      });
      expect(await store.accounts.updateAccount('acme', { isSuspended: false, accessUntil: null })).toEqual({
        ...acme,
        accessUntil: null,
      });
      expect(await store.accounts.updateAccount('acme', {})).toEqual({ ...acme, accessUntil: null });
      expect(await store.accounts.account('acme')).toEqual({ ...acme, accessUntil: null });
    });

    it('and keeps times in UTC, whatever their offset', async () => {
      const { accessUntil } = await store.accounts.updateAccount('acme', { accessUntil: '2027-01-01T01:30:00+02:00' });
      expect(accessUntil).toBe('2026-12-31T23:30:00.000Z');
    });

    it.each(['', '2027-01-01', 'tomorrow', '2027-13-01T00:00:00Z', '9999-12-31T23:59:59-01:00'])(
      'and refuses the time %j wherever it is given',
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
          store.accounts.recordKeyUses(new Map([[entry.id, time]])),
        ]) {
          await expect(attempt).rejects.toMatchObject(refused);
        }
        expect(await store.accounts.keys('acme')).toEqual([entry]);
        expect(await store.accounts.accounts()).toHaveLength(1);
      },
    );

    it('and has none of another id', async () => {
      const unknown = { code: 'unknown_account', details: { account: 'other' } };
      await expect(store.accounts.updateAccount('other', { isSuspended: true })).rejects.toMatchObject(unknown);
      await expect(store.accounts.createKey(keyOfAccount('other', 'a'))).rejects.toMatchObject(unknown);
      await expect(store.accounts.keys('other')).rejects.toMatchObject(unknown);
      expect(await store.accounts.findKey(digestOf('a'))).toBeNull();
    });
  });

  describe(`${name} keeps keys`, () => {
    let store: ServiceStore;
    let dispose: () => Promise<void>;

    beforeEach(async () => {
      ({ store, dispose } = await open());
      await store.accounts.createAccount(accountNamed('acme'));
      await store.accounts.createAccount(accountNamed('other'));
      await store.accounts.createKey(keyOfAccount('acme', 'first'));
    });
    afterEach(() => dispose());

    const first = {
      id: 'key_first',
      accountId: 'acme',
      product: 'gazette',
      lastFour: 'irst',
      createdAt: at(0),
      lastUsedAt: null,
      endsAt: null,
      revokedAt: null,
    };

    it('and finds one by its digest with the account as it now is', async () => {
      expect(await store.accounts.createKey(keyOfAccount('acme', 'second'))).toMatchObject({ id: 'key_second' });
      expect(await store.accounts.findKey(digestOf('first'))).toEqual({
        key: first,
        account: await store.accounts.account('acme'),
      });
      await store.accounts.updateAccount('acme', { isSuspended: true });
      expect((await store.accounts.findKey(digestOf('first')))?.account.isSuspended).toBe(true);
      expect(await store.accounts.findKey(digestOf('firs'))).toBeNull();
      expect(await store.accounts.findKey(new Uint8Array())).toBeNull();
    });

    it('and takes none whose digest is no SHA-256', async () => {
      const sha1 = createHash('sha1').update('x').digest();
      await expect(store.accounts.createKey({ ...keyOfAccount('acme', 'x'), digest: sha1 })).rejects.toMatchObject({
        code: 'invalid_option',
        details: { option: 'digest' },
      });
    });

    it('and takes no id or digest twice', async () => {
      await expect(store.accounts.createKey({ ...keyOfAccount('acme', 'x'), id: 'key_first' })).rejects.toThrow();
      await expect(store.accounts.createKey({ ...keyOfAccount('other', 'first'), id: 'key_x' })).rejects.toThrow();
      expect(await store.accounts.keys('acme')).toEqual([first]);
      expect(await store.accounts.keys('other')).toEqual([]);
    });

    it('and lists an account’s own, the newest first, ended ones included', async () => {
      await store.accounts.createKey(keyOfAccount('other', 'theirs'));
      // A clock that was set back changes nothing of the order.
      await store.accounts.createKey({ ...keyOfAccount('acme', 'second'), createdAt: at(-5) });
      await store.accounts.revokeKey('key_first', { revokedAt: at(1) });
      await store.accounts.rotateKey('key_second', keyOfAccount('acme', 'third'), { endsAt: at(2) });
      expect((await store.accounts.keys('acme')).map(({ id }) => id)).toEqual(['key_third', 'key_second', 'key_first']);
    });

    it('and rotates one: the successor lives, the old one has an end', async () => {
      const successor = await store.accounts.rotateKey('key_first', keyOfAccount('acme', 'second'), { endsAt: at(10) });
      expect(successor).toEqual({ ...first, id: 'key_second', lastFour: 'cond' });
      expect((await store.accounts.findKey(digestOf('second')))?.key).toEqual(successor);
      expect((await store.accounts.findKey(digestOf('first')))?.key).toEqual({ ...first, endsAt: at(10) });
    });

    it('and lets a rotation only ever bring an end nearer', async () => {
      await store.accounts.rotateKey('key_first', keyOfAccount('acme', 'second'), { endsAt: at(10) });
      await store.accounts.rotateKey('key_first', keyOfAccount('acme', 'third'), { endsAt: at(20) });
      expect((await store.accounts.findKey(digestOf('first')))?.key.endsAt).toBe(at(10));
      await store.accounts.rotateKey('key_first', keyOfAccount('acme', 'fourth'), {
        endsAt: '2026-05-01T02:05:00+02:00',
      });
      expect((await store.accounts.findKey(digestOf('first')))?.key.endsAt).toBe(at(5));
    });

    it('and rotates none that is unknown, revoked, another account’s or another product’s, and keeps no successor', async () => {
      const successor = keyOfAccount('acme', 'second');
      const end = { endsAt: at(10) };
      const refused = { code: 'unknown_key' };
      await expect(store.accounts.rotateKey('key_x', successor, end)).rejects.toMatchObject(refused);
      await expect(store.accounts.rotateKey('key_\0', successor, end)).rejects.toMatchObject(refused);
      await expect(
        store.accounts.rotateKey('key_first', { ...successor, accountId: 'other' }, end),
      ).rejects.toMatchObject(refused);
      await expect(
        store.accounts.rotateKey('key_first', { ...successor, product: 'Gazette' }, end),
      ).rejects.toMatchObject(refused);
      expect((await store.accounts.findKey(digestOf('first')))?.key).toEqual(first);
      await store.accounts.revokeKey('key_first', { revokedAt: at(1) });
      await expect(store.accounts.rotateKey('key_first', successor, end)).rejects.toMatchObject({
        ...refused,
        details: { key: 'key_first', account: 'acme' },
      });
      expect(await store.accounts.findKey(digestOf('second'))).toBeNull();
      expect((await store.accounts.findKey(digestOf('first')))?.key).toEqual({ ...first, revokedAt: at(1) });
    });

    it('and ends none by a rotation that fails half way', async () => {
      const taken = { ...keyOfAccount('acme', 'second'), id: 'key_first' };
      await expect(store.accounts.rotateKey('key_first', taken, { endsAt: at(1) })).rejects.toThrow();
      expect((await store.accounts.findKey(digestOf('first')))?.key).toEqual(first);
    });

    it('and revokes one for ever', async () => {
      expect(await store.accounts.revokeKey('key_first', { revokedAt: at(1) })).toEqual({ ...first, revokedAt: at(1) });
      expect(await store.accounts.revokeKey('key_first', { revokedAt: at(2) })).toEqual({ ...first, revokedAt: at(1) });
      expect((await store.accounts.findKey(digestOf('first')))?.key.revokedAt).toBe(at(1));
      await expect(store.accounts.revokeKey('key_x', { revokedAt: at(1) })).rejects.toMatchObject({
        code: 'unknown_key',
        details: { key: 'key_x' },
      });
      await expect(store.accounts.revokeKey('key_\0', { revokedAt: at(1) })).rejects.toMatchObject({
        code: 'unknown_key',
      });
    });

    it('and records the last use of each, never an earlier one', async () => {
      await store.accounts.createKey(keyOfAccount('other', 'theirs'));
      const lastUses = async (): Promise<unknown[]> =>
        (await Promise.all(['first', 'theirs'].map((text) => store.accounts.findKey(digestOf(text))))).map(
          (found) => found?.key.lastUsedAt,
        );
      const record = (...uses: [string, string][]) => store.accounts.recordKeyUses(new Map(uses));
      await record(['key_first', at(5)], ['key_unknown', at(5)], ['key_\0', at(5)]);
      expect(await lastUses()).toEqual([at(5), null]);
      await record(['key_first', at(4)], ['key_theirs', at(4)]);
      expect(await lastUses()).toEqual([at(5), at(4)]);
      // Later as a time though not as a text.
      await record(['key_first', '2026-04-30T23:06:00-01:00'], ['key_theirs', '2026-05-01T02:03:00+02:00']);
      expect(await lastUses()).toEqual([at(6), at(4)]);
      await record();
      expect(await lastUses()).toEqual([at(6), at(4)]);
    });

    it('and is not reached by what a caller does to what it got', async () => {
      const found = (await store.accounts.findKey(digestOf('first')))!;
      Object.assign(found.key, { revokedAt: at(0) });
      Object.assign(found.account, { isSuspended: true });
      const [listed] = await store.accounts.keys('acme');
      Object.assign(listed!, { revokedAt: at(0) });
      Object.assign((await store.accounts.accounts())[0]!, { isSuspended: true });
      expect((await store.accounts.findKey(digestOf('first')))?.key).toEqual(first);
      expect((await store.accounts.account('acme'))?.isSuspended).toBe(false);
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
        store.accounts.recordKeyUses(new Map(names.map((name) => [`key_${name}`, at(3)]))),
        store.accounts.recordKeyUses(new Map(names.toReversed().map((name) => [`key_${name}`, at(4)]))),
      ]);
      const byId = new Map((await store.accounts.keys('acme')).map((key) => [key.id, key]));
      expect(byId.size).toBe(1 + 12 + 4);
      names.forEach((name, index) => {
        expect(byId.get(`key_${name}`)).toMatchObject({
          revokedAt: index < 4 ? at(1) : null,
          endsAt: index >= 4 && index < 8 ? at(2) : null,
          lastUsedAt: at(4),
        });
      });
    });
  });
}
