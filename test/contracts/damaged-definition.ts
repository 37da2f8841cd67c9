// A register whose definition is no JSON any more: it stops no other, is left out of lists, and the inspection names it.
import { expect, vi } from 'vitest';
import type { InspectedStore } from '../../src/stores/contract/inspection.ts';
import { inspected } from './overwrites.ts';
import type { FindingRegisters } from './finding-contract.ts';
import { at, keys, permits, say } from './store-register.ts';

/** @param damage makes the definition of `sites` end too early */
export async function expectOthersToGoOn(
  store: InspectedStore & FindingRegisters,
  damage: () => Promise<void> | void,
): Promise<void> {
  for (const id of ['permits', 'sites']) {
    await store.createRegister(permits(id));
    await store.apply(id, [say('a', {}, id)], { recordedAt: at(0) });
  }
  await damage();
  const told = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  try {
    for (let time = 0; time < 2; time++) {
      expect((await store.registers()).map(({ definition }) => definition.id)).toEqual(['permits']);
    }
    expect(told.mock.calls).toEqual([
      [expect.stringMatching(/^gazette: the definition of register number 2 is damaged/)],
    ]);
  } finally {
    told.mockRestore();
  }
  expect(await store.finding.incomplete()).toEqual([]);
  expect(await keys(store, { filter: { q: 'permit' } })).toEqual(['a']);
  await expect(store.register('sites')).rejects.toMatchObject({ code: 'invalid_store' });
  await expect(store.source('sites')).rejects.toMatchObject({ code: 'invalid_store' });
  const findings = await inspected(store);
  expect(findings).toContainEqual(expect.objectContaining({ table: 'registers' }));
}
