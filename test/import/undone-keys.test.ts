// New keys are taken back in more than one batch: between two of them no two records have one key.
import { expect, it } from 'vitest';
import { Imports } from '../../src/operate/registers/imports.ts';
import { renumber } from '../../src/operate/registers/renumber.ts';
import { BATCH_SIZE } from '../../src/stores/contract/registers.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { closedAfter } from '../closed-after.ts';
import { at, permits, say } from '../contracts/store-register.ts';

it('shows no key twice while a chain of new keys is taken back', async () => {
  const store = closedAfter(SqliteStore.open(':memory:'));
  const now = (): number => Date.parse(at(1));
  await store.createRegister(permits());
  const keys = Array.from({ length: BATCH_SIZE + 10 }, (_, n) => `k${n}`);
  await store.apply('permits', keys.map((key) => say(key)), { recordedAt: at(0) }); // prettier-ignore
  // Each gets the key of the next.
  const rows = keys.map((from, n) => ({ from, to: `k${n + 1}`, where: `line ${n + 1}` }));
  const { number } = await renumber(store, 'permits', { name: 'map.csv', rows }, { who: 'ada', now });
  const doubles: number[] = [];
  const apply = store.apply.bind(store);
  store.apply = async (...given) => {
    const result = await apply(...given);
    const stated = await store.imports.byHand.find(keys.map((key) => `permits:${key}`));
    const held = [...stated].map(([id, { statement }]) => statement!.key ?? id.slice('permits:'.length));
    doubles.push(held.length - new Set(held).size);
    return result;
  };
  await new Imports(store, { now }).undo('permits', number, { who: 'ada' });
  expect(doubles).toEqual([0, 0]);
  expect((await store.record('permits:k0'))!.record).toMatchObject({ key: 'k0' });
});
