import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { KeyUses } from '../../src/access/key-uses.ts';
import type { AccountStore, KeyUse } from '../../src/stores/contract/accounts.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { accountNamed, keyOfAccount } from '../contracts/accounts.ts';
import { at } from '../contracts/store-register.ts';
import { letPass } from '../until.ts';

let accounts: AccountStore;
/** What was recorded, and how often recording fails first. */
let recorded: ReadonlyMap<string, KeyUse>[];
let failures: number;
let errors: unknown[];
/** What recording waits for. */
let held: Promise<undefined> | null;
const ms = (minute: number): number => Date.parse(at(minute));
const lastUse = async (): Promise<unknown> => (await accounts.keys('acme'))[0]?.lastUsedAt;
const requests = async (): Promise<unknown> => (await accounts.keys('acme'))[0]?.requests;
const keyUses = (intervalMs = 60_000): KeyUses =>
  new KeyUses(accounts, { intervalMs, onError: (error) => errors.push(error) });

beforeEach(async () => {
  recorded = [];
  failures = 0;
  held = null;
  const kept = SqliteStore.open(':memory:').accounts;
  const record = kept.recordKeyUses.bind(kept);
  accounts = Object.assign(kept, {
    recordKeyUses: async (uses: ReadonlyMap<string, KeyUse>) => {
      await held;
      if (failures-- > 0) throw new Error('the disk is full');
      recorded.push(uses);
      await record(uses);
    },
  });
  errors = [];
  await accounts.createAccount(accountNamed('acme'));
  await accounts.createKey(keyOfAccount('acme', 'a'));
});

describe('the uses of keys', () => {
  it('are recorded to the minute, many in one write', async () => {
    const uses = keyUses();
    for (let second = 0; second < 59; second++) uses.note('key_a', ms(3) + second * 1000);
    uses.note('key_b', ms(2));
    expect(recorded).toEqual([]);
    await uses.flush();
    expect(recorded).toEqual([
      new Map([
        ['key_a', { at: at(3), requests: 59 }],
        ['key_b', { at: at(2), requests: 1 }],
      ]),
    ]);
    expect(await lastUse()).toBe(at(3));
    await uses.close();
  });

  it('are written once a minute however often a key is used', async () => {
    const uses = keyUses();
    for (let second = 0; second < 180; second++) {
      uses.note('key_a', ms(0) + second * 1000);
      await uses.flush();
    }
    expect(recorded).toHaveLength(3);
    expect(await requests()).toBe(121);
    // A clock that was set back.
    uses.note('key_a', ms(1));
    await uses.close();
    expect(recorded).toHaveLength(4);
    expect([await lastUse(), await requests()]).toEqual([at(2), 181]);
  });

  it('are all counted after a while, when no other minute comes', async () => {
    const uses = keyUses(10);
    uses.note('key_a', ms(1));
    await uses.flush();
    for (let more = 0; more < 9; more++) uses.note('key_a', ms(1) + more);
    await expect.poll(requests).toBe(10);
    await uses.close();
    expect(recorded).toHaveLength(2);
  });

  it('are recorded by themselves after a while, time and again', async () => {
    const uses = keyUses(10);
    for (const minute of [1, 2]) {
      uses.note('key_a', ms(minute));
      await expect.poll(lastUse).toBe(at(minute));
    }
    await uses.close();
  });

  it('are kept when recording fails, and recorded later', async () => {
    failures = 1;
    const uses = keyUses(10);
    uses.note('key_a', ms(1));
    await uses.flush();
    expect(errors).toEqual([expect.objectContaining({ message: 'the disk is full' })]);
    uses.note('key_a', ms(0));
    await expect.poll(lastUse).toBe(at(1));
    await uses.close();
    expect(errors).toHaveLength(1);
  });

  it('keep what was noted while a write that fails goes on', async () => {
    failures = 1;
    const uses = keyUses();
    uses.note('key_a', ms(1));
    const failing = uses.flush();
    await Promise.resolve();
    uses.note('key_a', ms(2));
    await failing;
    expect(errors).toHaveLength(1);
    await uses.flush();
    expect(recorded).toEqual([new Map([['key_a', { at: at(2), requests: 2 }]])]);
    await uses.close();
  });

  it('are recorded when they are closed, and no longer noted', async () => {
    const uses = keyUses();
    uses.note('key_a', ms(1));
    await uses.close();
    expect(await lastUse()).toBe(at(1));
    uses.note('key_a', ms(2));
    await uses.flush();
    expect(await lastUse()).toBe(at(1));
  });

  it('are not closed before a write that had begun is over', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    held = promise;
    const uses = keyUses();
    uses.note('key_a', ms(1));
    const begun = uses.flush();
    let isClosed = false;
    const closed = uses.close().then(() => (isClosed = true));
    await nextTurn();
    expect([isClosed, await lastUse()]).toEqual([false, null]);
    resolve(undefined);
    await Promise.all([begun, closed]);
    expect(await lastUse()).toBe(at(1));
  });

  it('do not go on failing after they are closed', async () => {
    failures = Infinity;
    const uses = keyUses(5);
    uses.note('key_a', ms(1));
    await uses.close();
    await letPass(30, 'six times its interval: a further try would have failed by now');
    expect(errors).toHaveLength(1);
  });

  it('are not worth a word once the store is closed', async () => {
    const store = SqliteStore.open(':memory:');
    const uses = new KeyUses(store.accounts, { onError: (error) => errors.push(error) });
    await store.close();
    uses.note('key_a', ms(1));
    await uses.close();
    expect(errors).toEqual([]);
  });
});
