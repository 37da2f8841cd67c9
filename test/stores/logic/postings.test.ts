// Sets of offsets in their stored form, against sets of numbers.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addStored,
  changedSet,
  hasOffset,
  noBits,
  offsetsIn,
  SEGMENT,
} from '../../../src/stores/logic/finding/postings.ts';
import { tries } from '../../effort.ts';

const NOBODY = new Uint8Array();

/** Few, or around the number from which on bits are shorter; anywhere in the segment, or all near its end. */
const offset = fc.oneof(fc.nat(SEGMENT - 1), fc.integer({ min: SEGMENT - 300, max: SEGMENT - 1 }));
const offsets = fc.oneof(
  fc.uniqueArray(offset, { maxLength: 6 }),
  fc.uniqueArray(offset, { minLength: 240, maxLength: 280 }),
);

function offsetsOf(stored: Uint8Array): number[] {
  const bits = noBits();
  addStored(bits, stored);
  return offsetsIn(bits).reverse();
}

describe('a stored set', () => {
  it('is that of the changes, in one form, whatever came before', () => {
    fc.assert(
      fc.property(offsets, offsets, offsets, (first, coming, going) => {
        const before = changedSet(NOBODY, first);
        const kept = new Set([...first, ...coming].filter((one) => !going.includes(one)));
        const after = changedSet(before, [...coming, ...going.map((one) => ~one)]);
        const sorted = [...kept].sort((a, b) => a - b);
        expect(offsetsOf(after)).toEqual(sorted);
        expect(after).toEqual(changedSet(NOBODY, sorted));
        expect(after.length).toBe(Math.min(2 * kept.size, SEGMENT / 8));
        for (const one of [...going, ...coming]) expect(hasOffset(after, one)).toBe(kept.has(one));
      }),
      { numRuns: tries(250) },
    );
  });

  it('is the same in parts, in their order, as at once', () => {
    fc.assert(
      fc.property(offsets, fc.nat(300), (all, split) => {
        const sorted = all.toSorted((a, b) => a - b);
        const parts = changedSet(changedSet(NOBODY, sorted.slice(0, split)), sorted.slice(split));
        expect(parts).toEqual(changedSet(NOBODY, sorted));
      }),
      { numRuns: tries(250) },
    );
  });

  it('is empty when all are gone', () => {
    expect(changedSet(changedSet(NOBODY, [1, 2]), [~2, ~1])).toHaveLength(0);
  });
});
