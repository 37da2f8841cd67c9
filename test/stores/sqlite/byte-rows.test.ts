import { expect, it } from 'vitest';
import { csv } from '../../../src/formats/csv.ts';
import { PAGE_SIZE } from '../../../src/register/page.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { byteRowsContract, written } from '../../contracts/byte-rows-contract.ts';
import { at, permits, say } from '../../contracts/store-register.ts';
import { tries } from '../../effort.ts';

byteRowsContract(
  async () => {
    const store = SqliteStore.open(':memory:');
    return { store, dispose: () => store.close() };
  },
  tries(120, 10_000),
);

it('without a long record that was withdrawn after its place was read', async () => {
  const store = SqliteStore.open(':memory:');
  await store.createRegister(permits());
  await store.apply('permits', [say('a', { content: 'x'.repeat(20_000) }), say('b')], { recordedAt: at(1) });
  const source = await store.source('permits');
  const rows = source.rowsAhead!({ offset: 0, limit: PAGE_SIZE });
  const step = await rows[Symbol.asyncIterator]().next();
  await store.withdraw('permits', ['permits:a'], { recordedAt: at(2) });
  const head = { definition: source.definition, lastChange: null, asOf: null };
  const { bytes } = await written([step.value], csv, head, {});
  expect(bytes.split('\r\n').map((line) => line.split(',')[0])).toEqual(['id', 'permits:b', '']);
  await store.close();
});
