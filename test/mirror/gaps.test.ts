import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Gaps, rangesOf } from '../../src/mirror/gaps.ts';
import { advanced, type PullState, stateFrom, stateText } from '../../src/mirror/state.ts';
import { RUNS } from '../properties/arbitraries.ts';

const ADDRESS = new URL('https://example.org/feeds/permits');

const BEGUN: PullState = {
  ...{ url: ADDRESS.href, format: 'csv', asOf: 0, columns: null, next: null, records: 0, lastPosition: 1, gaps: null },
  origin: { log: '9f8e7d6c', change: 0, version: null },
};

describe('gaps of a walk', () => {
  it('are added to those above, which are not copied', () => {
    const first = advanced({ ...BEGUN, asOf: 9, lastPosition: 10 }, [9, 7], ADDRESS);
    const second = advanced(first, [5, 3], ADDRESS);
    expect(second.gaps!.above!.above).toBe(first.gaps);
    // What was kept earlier stays as it was.
    expect([rangesOf(first.gaps), rangesOf(second.gaps).length]).toEqual([[[8, 8]], 3]);
  });

  it('are what was not answered, and what is left of that', () => {
    const some = fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 40 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 }), some, some, (top, answered, removed) => {
        const walk = answered.filter((position) => position <= top).sort((a, b) => b - a);
        let state = { ...BEGUN, asOf: top, lastPosition: top + 1 };
        for (const position of walk) {
          state = advanced(state, [position], ADDRESS);
          // As a run that was stopped here and goes on.
          state = stateFrom(stateText({ bytes: 0, state }))!.state;
        }
        const gaps = new Gaps(state.lastPosition, state.gaps);
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
