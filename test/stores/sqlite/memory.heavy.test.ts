// `SqliteStore.open(':memory:')` keeps every promise of a store, and its copy is whole.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { accountStoreContract, type OpenServiceStore } from '../../contracts/account-store-contract.ts';
import { deliveryStoreContract } from '../../contracts/delivery-store-contract.ts';
import { storeContract } from '../../contracts/store-contract.ts';
import { at, permits, say, walk } from '../../contracts/store-register.ts';
import { tries } from '../../effort.ts';

const open: OpenServiceStore = async () => {
  const store = SqliteStore.open(':memory:');
  return { store, dispose: () => store.close() };
};

storeContract('SqliteStore in memory', open, tries(40, 10_000));
accountStoreContract('SqliteStore in memory', open);
deliveryStoreContract('SqliteStore in memory', open);

describe('a store in memory', () => {
  it('is copied to a file with everything in it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gazette-'));
    const store = SqliteStore.open(':memory:');
    await store.createRegister(permits());
    await store.apply('permits', [say('a'), say('b')], { recordedAt: at(0) });
    await store.backup(join(folder, 'copy.db'));
    const copy = SqliteStore.open(join(folder, 'copy.db'));
    expect(await walk(copy)).toEqual(await walk(store));
    // A copy has logs of its own, and a later date for conditional requests.
    const { log, lastModified, ...rest } = (await store.register('permits'))!;
    expect(await copy.register('permits')).toMatchObject(rest);
    expect((await copy.register('permits'))!.log).not.toBe(log);
    expect((await copy.register('permits'))!.lastModified).toBeGreaterThan(lastModified!);
    await copy.close();
    await store.close();
    await rm(folder, { recursive: true });
  });

  it('is no other store in memory', async () => {
    const [one, other] = [SqliteStore.open(':memory:'), SqliteStore.open(':memory:')];
    await one.createRegister(permits());
    expect(await other.registers()).toEqual([]);
    await one.close();
    await other.close();
  });
});
