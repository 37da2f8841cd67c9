import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Gaps } from '../../src/mirror/gaps.ts';
import { RUNS } from '../properties/arbitraries.ts';

describe('gaps of a walk', () => {
  it('are what was not answered, and what is left of that', () => {
    const some = fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 40 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 }), some, some, (top, answered, removed) => {
        const walk = answered.filter((position) => position <= top).sort((a, b) => b - a);
        let gaps = new Gaps(top + 1, []);
        for (const position of walk) {
          gaps.add(position);
          // As a run that was stopped here and goes on.
          gaps = new Gaps(gaps.last, gaps.ranges);
        }
        gaps.close();
        const missing = new Set(
          Array.from({ length: top }, (_, index) => index + 1).filter((one) => !walk.includes(one)),
        );
        for (const position of removed) expect(gaps.remove(position)).toBe(missing.delete(position));
        const left = gaps.ranges.flatMap(([high, low]) => Array.from({ length: high - low + 1 }, (_, i) => high - i));
        expect(left).toEqual([...missing].sort((a, b) => b - a));
      }),
      { numRuns: RUNS },
    );
  });
});
