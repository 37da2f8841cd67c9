import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findOrder } from '../../../src/register/sources/order.ts';
import { dates, RUNS } from '../../properties/arbitraries.ts';

const published = (...days: (string | null)[]): { published_at: string | null }[] =>
  days.map((published_at) => ({ published_at }));

describe('findOrder', () => {
  it.each([
    ['rising dates', published('2026-01-01', '2026-01-02', '2026-01-03'), 'oldest-first'],
    ['falling dates', published('2026-01-03', '2026-01-02', '2026-01-01'), 'newest-first'],
    ['no records', [], 'oldest-first'],
    ['one record', published('2026-01-01'), 'oldest-first'],
    ['equal dates', published('2026-01-01', '2026-01-01'), 'oldest-first'],
    ['no dates', published(null, null), 'oldest-first'],
    ['as many steps up as down', published('2026-01-02', '2026-01-01', '2026-01-02'), 'oldest-first'],
    [
      'a late find among falling dates',
      published('2026-01-04', '2026-01-03', '2020-01-01', '2026-01-02', '2026-01-01'),
      'newest-first',
    ],
    ['unknown dates among falling ones', published('2026-01-03', null, '2026-01-02', null), 'newest-first'],
    [
      'observation dates where publication dates are unknown',
      [{ observed_at: '2026-01-03T00:00:00Z' }, { published_at: null, observed_at: '2026-01-02' }],
      'newest-first',
    ],
    [
      'publication dates before observation dates',
      [
        { published_at: '2026-01-01', observed_at: '2026-03-02' },
        { published_at: '2026-01-02', observed_at: '2026-03-01' },
      ],
      'oldest-first',
    ],
    ['moments, not texts', published('2026-01-01T00:00:00+02:00', '2025-12-31T23:00:00Z'), 'oldest-first'],
    ['dates that are none', published('2026-13-01', 'yesterday', '2026-01-02', '2026-01-01'), 'newest-first'],
  ] as const)('of %s is %s', (_, records, order) => {
    expect(findOrder(records)).toBe(order);
  });

  it('passes over what is no record at all', () => {
    const odd = [null, undefined, 5, 'x', { published_at: 7 }, ...published('2026-01-02', '2026-01-01')];
    expect(findOrder(odd as never[])).toBe('newest-first');
  });

  it('turns when the list is turned, unless the dates go neither way', () => {
    fc.assert(
      fc.property(fc.array(dates()), (days) => {
        const forwards = findOrder(published(...days));
        const backwards = findOrder(published(...[...days].reverse()));
        expect([forwards, backwards]).toContain('oldest-first');
        const sorted = [...days].sort();
        expect(findOrder(published(...sorted))).toBe('oldest-first');
        if (new Set(days).size > 1) expect(findOrder(published(...sorted.reverse()))).toBe('newest-first');
      }),
      { numRuns: RUNS },
    );
  });
});
