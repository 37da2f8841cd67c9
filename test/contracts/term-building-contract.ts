// The index of terms is made again while others write: whatever they do between the builder's steps, in segments that are
// built, half built or not built yet, it is in the end that of the live records.
import { expect, it } from 'vitest';
import type { InspectedStore } from '../../src/stores/contract/inspection.ts';
import { SEGMENT } from '../../src/stores/logic/finding/postings.ts';
import type { FindingRegisters } from './finding-contract.ts';
import { inspected } from './overwrites.ts';
import { at, keys, permits, say } from './store-register.ts';

/** More than a segment; the second one is built in two steps. */
const COUNT = SEGMENT + 700;

/** Registers the test for one store. */
export function termBuildingContract(
  open: () => Promise<{ readonly store: FindingRegisters & InspectedStore; readonly dispose: () => Promise<void> }>,
): void {
  it('builds the index while others write, and leaves nothing of another rule', async () => {
    const { store, dispose } = await open();
    await store.createRegister(permits());
    for (let from = 1; from <= COUNT; from += 1000) {
      const batch = Array.from({ length: Math.min(1000, COUNT - from + 1) }, (_, n) => say(`k${from + n}`));
      await store.apply('permits', batch, { recordedAt: at(0) });
    }
    await store.updateRegister({ ...permits(), search: false }, { recordedAt: at(1) });
    let minute = 2;
    const write = async (): Promise<void> => {
      minute++;
      // In the lower segment, in the upper one above and below what is built, at the edges, and new.
      const touched = [minute, SEGMENT - 1, SEGMENT, SEGMENT + 100 + minute, COUNT - minute];
      const changed = touched.map((n) => say(`k${n}`, { document_type: `at ${minute}` }));
      await store.apply('permits', [...changed, say(`new${minute}`)], { recordedAt: at(minute) });
      const gone = [200 + minute, SEGMENT + 300 + minute].map((n) => `permits:k${n}`);
      await store.withdraw('permits', gone, { recordedAt: at(minute) });
      await store.apply('permits', [say(`k${200 + minute}`)], { recordedAt: at(minute) });
      if (minute % 4 === 0) await store.redact(`permits:k${SEGMENT + 400 + minute}`, { recordedAt: at(minute) });
    };
    await write();
    for (let isDone = false, steps = 0; !isDone; steps++) {
      const { done, all } = await store.finding.build('permits');
      isDone = done >= all;
      await write();
      // What is built is right, and what is not is not looked at.
      if (steps === 4) expect(await inspected(store)).toEqual([]);
    }
    expect(await store.finding.incomplete()).toEqual([]);
    expect(await inspected(store)).toEqual([]);
    expect(await keys(store, { filter: { document_type: ['none', `at ${minute}`] } })).toEqual(
      [COUNT - minute, SEGMENT + 100 + minute, SEGMENT, SEGMENT - 1, minute].map((n) => `k${n}`),
    );
    await dispose();
  });
}
