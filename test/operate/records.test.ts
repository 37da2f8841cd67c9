import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Records } from '../../src/operate/records.ts';
import { VERSIONS_PAGE_SIZE } from '../../src/stores/contract/registers.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { at, permits, say } from '../contracts/store-register.ts';

let store: SqliteStore;
let records: Records;

beforeEach(async () => {
  store = SqliteStore.open(':memory:');
  records = new Records(store, { now: () => Date.parse(at(9000)) });
  await store.createRegister(permits());
});
afterEach(() => store.close());

describe('a record', () => {
  it('is found with all its versions, newest first, also when it is withdrawn', async () => {
    const count = VERSIONS_PAGE_SIZE + 1;
    for (let version = 1; version <= count; version++) {
      await store.apply('permits', [say('1', { title: `Version ${version}` })], { recordedAt: at(version) });
    }
    await store.withdraw('permits', ['permits:1'], { recordedAt: at(count + 1) });
    expect(await records.find('permits:1')).toMatchObject({ state: 'withdrawn', version: count + 1 });
    const versions = (await Array.fromAsync(records.versions('permits:1'))).flat().map(({ version }) => version);
    expect(versions).toEqual(Array.from({ length: count + 1 }, (_, index) => count + 1 - index));
  });

  it('is erased once, and nothing is left of its content', async () => {
    await store.apply('permits', [say('1', { title: 'confidential' })], { recordedAt: at(1) });
    expect(await records.erase('permits:1')).toBe(true);
    expect(await records.erase('permits:1')).toBe(false);
    const [versions] = await Array.fromAsync(records.versions('permits:1'));
    expect(JSON.stringify([await records.find('permits:1'), versions])).not.toContain('confidential');
    expect(Date.parse(versions![0]!.recorded_at)).toBe(Date.parse(at(9000)));
  });

  it('is refused where there never was one', async () => {
    await expect(records.find('permits:2')).rejects.toMatchObject({ code: 'unknown_record' });
    await expect(records.erase('permits:2')).rejects.toMatchObject({ code: 'unknown_record' });
  });

  it('is refused by its key, and its id is named', async () => {
    await store.apply('permits', [say('22~2F01~3Aa')], { recordedAt: at(1) });
    const { id } = await records.find('permits:22~2F01~3Aa');
    const message = `there is no record "permits:22/01:a"; the record with this key has the id "${id}"`;
    await expect(records.find('permits:22/01:a')).rejects.toMatchObject({ code: 'unknown_record', message });
    for (const none of ['permits:22/02', 'permits:', 'permits', ':22/01:a', '']) {
      await expect(records.find(none)).rejects.toMatchObject({ message: `there is no record "${none}"` });
    }
  });
});
