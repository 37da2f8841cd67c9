import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Accounts, DEFAULT_GRACE_MS, type IssuedKey } from '../../src/operate/accounts.ts';
import { digestApiKey, isApiKey } from '../../src/access/api-key.ts';
import { createAuthenticator } from '../../src/access/authenticate.ts';
import { KeyUses } from '../../src/access/key-uses.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { at } from '../contracts/store-register.ts';

let store: SqliteStore;
let nowMs: number;
let accounts: Accounts;

const iso = (ms: number): string => new Date(ms).toISOString();

beforeEach(async () => {
  store = SqliteStore.open(':memory:');
  nowMs = Date.parse(at(0));
  accounts = new Accounts(store, { product: 'gazette', now: () => nowMs });
  await accounts.add('acme', at(60));
});
afterEach(() => store.close());

describe('an account', () => {
  it('is active until its access ends, which may be moved either way', async () => {
    const state = async (): Promise<string> => accounts.stateOf((await store.accounts.account('acme'))!);
    expect(await state()).toBe('active');
    nowMs = Date.parse(at(60));
    expect(await state()).toBe('lapsed');
    await accounts.extend('acme', at(90));
    expect(await state()).toBe('active');
    await accounts.suspend('acme');
    expect(await state()).toBe('suspended');
    await accounts.resume('acme');
    expect(await state()).toBe('active');
    await accounts.extend('acme', at(-1));
    expect(await state()).toBe('lapsed');
    expect(accounts.stateOf(await accounts.add('new', null))).toBe('lapsed');
    expect((await accounts.all()).map(({ id, createdAt }) => [id, createdAt])).toEqual([
      ['acme', at(0)],
      ['new', at(60)],
    ]);
  });

  it('has access to the last moment of a day in UTC, and to no time that is none', async () => {
    expect((await accounts.add('day', '2026-03-01')).accessUntil).toBe('2026-03-01T23:59:59.999Z');
    expect((await accounts.extend('day', '2026-03-02')).accessUntil).toBe('2026-03-02T23:59:59.999Z');
    await expect(accounts.extend('day', '2026-02-30')).rejects.toMatchObject({ code: 'invalid_option' });
  });
});

describe('a key of an account', () => {
  it('is made for the product and kept by its digest', async () => {
    const { key, entry } = await accounts.createKey('acme');
    expect(isApiKey(key)).toBe(true);
    expect(await store.accounts.findKey(digestApiKey(key))).toEqual({
      key: entry,
      account: await store.accounts.account('acme'),
    });
    expect(entry).toMatchObject({ product: 'gazette', createdAt: at(0), lastFour: key.slice(-4) });
    expect(accounts.keyStateOf(entry)).toBe('active');
  });

  it.each([
    [undefined, DEFAULT_GRACE_MS],
    [{ graceMs: 90_000 }, 90_000],
    [{ graceMs: 0 }, 0],
  ])('is rotated with grace %j, and is the old one until then', async (options, graceMs) => {
    const { entry } = await accounts.createKey('acme');
    const rotated = await accounts.rotateKey('acme', entry.id, options);
    expect(rotated.replaced).toEqual({ ...entry, endsAt: iso(nowMs + graceMs) });
    expect(accounts.keyStateOf(rotated.entry)).toBe('active');
    expect(accounts.keyStateOf(rotated.replaced)).toBe(graceMs === 0 ? 'ended' : 'rotated');
    nowMs += graceMs;
    expect(accounts.keyStateOf(rotated.replaced)).toBe('ended');
    expect(await store.accounts.findKey(digestApiKey(rotated.key))).toMatchObject({
      key: { id: rotated.entry.id, endsAt: null },
    });
  });

  it.each([-1, NaN, Infinity, 367 * DEFAULT_GRACE_MS])('is not rotated with a grace of %d ms', async (graceMs) => {
    const { entry } = await accounts.createKey('acme');
    await expect(accounts.rotateKey('acme', entry.id, { graceMs })).rejects.toMatchObject({
      code: 'invalid_option',
      details: { option: 'grace' },
    });
    expect(await accounts.keys('acme')).toEqual([entry]);
  });

  it('need not be named while it is the only one that works', async () => {
    const first = await accounts.createKey('acme');
    const second = await accounts.rotateKey('acme', null);
    expect(second.replaced.id).toBe(first.entry.id);
    // The first is in its grace: it is the second that is meant.
    const third = await accounts.rotateKey('acme', null, { graceMs: 0 });
    expect(third.replaced.id).toBe(second.entry.id);
    expect((await accounts.revokeKey('acme', null)).id).toBe(third.entry.id);
    await expect(accounts.revokeKey('acme', null)).rejects.toMatchObject({
      code: 'unknown_key',
      message: 'account "acme" has no key for the product "gazette" that works',
    });
  });

  it('must be named when there are several', async () => {
    const made: IssuedKey[] = [await accounts.createKey('acme'), await accounts.createKey('acme')];
    const ids = made.map(({ entry }) => entry.id).reverse();
    await expect(accounts.revokeKey('acme', null)).rejects.toMatchObject({
      code: 'unknown_key',
      message: `account "acme" has 2 keys that work: say which, of ${ids.join(', ')}`,
    });
    await accounts.revokeKey('acme', ids[0]!);
    expect((await accounts.keys('acme')).map((key) => accounts.keyStateOf(key))).toEqual(['revoked', 'active']);
  });

  it('is revoked also in its grace, and once for all', async () => {
    const { entry } = await accounts.createKey('acme');
    await accounts.rotateKey('acme', entry.id);
    expect(accounts.keyStateOf(await accounts.revokeKey('acme', entry.id))).toBe('revoked');
    nowMs += 1000;
    expect((await accounts.revokeKey('acme', entry.id)).revokedAt).toBe(at(0));
    await expect(accounts.rotateKey('acme', entry.id)).rejects.toMatchObject({ code: 'unknown_key' });
  });

  it('is reached neither from another account nor from another product', async () => {
    const { entry } = await accounts.createKey('acme');
    await accounts.add('other', null);
    const others = new Accounts(store, { product: 'permits', now: () => nowMs });
    const refused = (message: string) => ({ code: 'unknown_key', message });
    for (const attempt of [() => accounts.revokeKey('other', entry.id), () => accounts.rotateKey('other', entry.id)]) {
      await expect(attempt()).rejects.toMatchObject(refused(`account "other" has no key "${entry.id}"`));
    }
    for (const attempt of [() => others.revokeKey('acme', entry.id), () => others.rotateKey('acme', entry.id)]) {
      await expect(attempt()).rejects.toMatchObject(
        refused(`key ${entry.id} of account "acme" is for the product "gazette", not "permits"`),
      );
    }
    expect(await accounts.keys('acme')).toEqual([entry]);
    await expect(accounts.createKey('nobody')).rejects.toMatchObject({ code: 'unknown_account' });
    await expect(accounts.rotateKey('nobody', null)).rejects.toMatchObject({ code: 'unknown_account' });
  });
});

describe('a database file', () => {
  it('holds no key, nor any part of its secret, whatever was done with it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gazette-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const sqlite = SqliteStore.open(join(folder, 'store.db'));
    const own = new Accounts(sqlite, { product: 'gazette' });
    await own.add('acme', iso(Date.now() + 60_000));
    const issued = [await own.createKey('acme'), await own.createKey('acme')];
    issued.push(await own.rotateKey('acme', issued[0]!.entry.id));
    const uses = new KeyUses(sqlite.accounts);
    const authenticate = createAuthenticator({
      accounts: sqlite.accounts,
      product: 'gazette',
      onUse: (id, ms) => {
        uses.note(id, ms);
      },
    });
    for (const { key } of issued) {
      await authenticate(new Request('https://example.org/', { headers: { authorization: `Bearer ${key}` } }));
    }
    await uses.close();
    await own.revokeKey('acme', issued[1]!.entry.id);
    const names = await readdir(folder);
    expect(names).toContain('store.db-wal');
    const scan = async (): Promise<string> =>
      (await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'latin1')))).join();
    for (const isClosed of [false, true]) {
      if (isClosed) await sqlite.close();
      const bytes = await scan();
      for (const { key, entry } of issued) {
        // The scan finds what is there.
        expect(bytes).toContain(entry.id);
        expect(bytes).toContain(Buffer.from(digestApiKey(key)).toString('latin1'));
        const secret = key.slice(3, 35);
        for (let from = 0; from <= secret.length - 8; from++) expect(bytes).not.toContain(secret.slice(from, from + 8));
        expect(bytes).not.toContain(key.slice(-6));
      }
    }
  });
});
