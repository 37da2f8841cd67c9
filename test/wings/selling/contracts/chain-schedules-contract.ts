// Whatever payers, the facilitator and the chain do: after the last confirmation, who has paid has access, and nobody else.
import { expect, it } from 'vitest';
import type { InspectedStore } from '../../../../src/stores/contract/inspection.ts';
import type { HoldState } from '../../../../src/wings/selling/stores/contract/ledger.ts';
import { tried } from '../../../effort.ts';
import { ChainSchedule } from './chain-schedule.ts';
import type { OpenServiceStore } from '../../../world.ts';
import { inspected } from '../../../contracts/overwrites.ts';

/** How many steps a schedule has. */
const STEPS = 100;

/** Registers the suite for stores of one kind. @param count how many steps are taken altogether */
export function chainSchedulesContract(name: string, openStore: OpenServiceStore, count: number): void {
  it(`${count} random steps of price, offer, payment, block and reorganisation in ${name} leave nobody without what he paid for`, async () => {
    const states: Partial<Record<HoldState, number>> = {};
    for (let done = 0; done < count; done += STEPS) {
      const seed = Math.floor(Math.random() * 2 ** 32);
      const { store, dispose } = await openStore();
      const schedule = await ChainSchedule.begin(store, randomFrom(seed));
      for (let step = 0; step < STEPS; step++) await schedule.step();
      const { states: own, ...faults } = await schedule.end();
      expect({ seed, ...faults }).toEqual({ seed, paidWithoutAccess: 0, accessUnpaid: 0, wrongSums: 0 });
      expect(await inspected(store as InspectedStore)).toEqual([]);
      for (const [state, times] of Object.entries(own) as [HoldState, number][])
        states[state] = (states[state] ?? 0) + times;
      await dispose();
    }
    tried(count);
    // Nothing is proved by refusals alone. A short run may have none of a kind.
    if (count < 5000) return;
    for (const state of ['settled', 'released', 'reversed'] as const) expect(states[state], state).toBeGreaterThan(50);
  });
}

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
