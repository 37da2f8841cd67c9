// Registers as stores kept them before there was an index of terms: every table of a store of today, but for those and the
// columns that came later. And what such a store must be after its upgrade.
import { expect } from 'vitest';
import type { Filter } from '../../src/register/finding/filter.ts';
import type { InspectedStore } from '../../src/stores/contract/inspection.ts';
import { inspected } from './overwrites.ts';
import type { FindingRegisters } from './finding-contract.ts';
import { at, keys, permits, say } from './store-register.ts';

/** The migration that made the index. */
export const INDEX_MIGRATION = 'an index of terms';

/** What is copied of some tables: a store of before has no log of logs. */
export const NOT_OF_LOGS: Readonly<Record<string, string>> = { logs: 'WHERE register > 0' };

const IDS = ['empty', 'permits', 'sites'];

const COUNT = 1200;

/** Fills a store of today with what is copied. */
export async function fillRegisters(store: FindingRegisters): Promise<void> {
  const area = { name: 'area', label: 'Area', type: 'text', filterable: true } as const;
  for (const id of IDS) await store.createRegister({ ...permits(id), fields: [area] });
  for (const id of ['permits', 'sites']) {
    const batch = Array.from({ length: COUNT }, (_, index) =>
      say(`k${index}`, { data: { area: `Zone ${index % 400}` } }, id),
    );
    await store.apply(id, batch, { recordedAt: at(0) });
    await store.withdraw(id, [`${id}:k7`], { recordedAt: at(1) });
  }
}

/** Opens the upgraded store: everything but words is found at once, words when the index is built, in any order of writes. */
export async function expectIndexed(open: () => Promise<InspectedStore & FindingRegisters>): Promise<void> {
  const store = await open();
  expect(await inspected(store)).toEqual([]);
  expect(await store.finding.incomplete()).toEqual(IDS);
  const found = (filter: Filter, feedId = 'permits'): Promise<string[]> => keys(store, { filter }, feedId);
  const zone = ['k807', 'k407'];
  expect(await found({ 'data.area': 'Zone 7' })).toEqual(zone);
  await expect(found({ q: '"zone 7"' })).rejects.toMatchObject({ code: 'index_building' });
  await expect(found({ q: 'permit' }, 'sites')).rejects.toMatchObject({ code: 'index_building' });
  // What is written meanwhile is found afterwards, as it is then.
  await store.finding.build('permits');
  await store.apply('permits', [say('k7', { data: { area: 'Zone 7' } })], { recordedAt: at(2) });
  await store.apply('permits', [say('k807', { data: { area: 'Zone 8' } })], { recordedAt: at(2) });
  await store.close();

  const again = await open();
  expect(await again.finding.incomplete()).toEqual(IDS);
  for (const id of IDS) {
    for (let left = true; left;) left = ((progress) => progress.done < progress.all)(await again.finding.build(id));
  }
  expect(await again.finding.incomplete()).toEqual([]);
  expect(await keys(again, { filter: { q: '"zone 7"' } })).toEqual(['k407', 'k7']);
  expect(await keys(again, { filter: { q: '"zone 7"' } }, 'sites')).toEqual(zone);
  expect(await keys(again, { filter: { 'data.area': 'Zone 7' } })).toEqual(['k407', 'k7']);
  expect(await inspected(again)).toEqual([]);
  await again.close();
}
