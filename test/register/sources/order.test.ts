// Which order a list's dates show, and how a list is sorted by them.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateKey, type DatesShow, indexesByDate, OrderFinder } from '../../../src/register/sources/order.ts';
import { tries } from '../../effort.ts';
import { dates, RUNS, times } from '../../properties/arbitraries.ts';

type List = readonly { readonly published_at?: string | null; readonly observed_at?: string }[];

const published = (...days: (string | null)[]): { published_at: string | null }[] =>
  days.map((published_at) => ({ published_at }));

/** `count` dates that rise, day by day, but for `late` of them that lie in a year before. */
const rising = (count: number, late = 0): List =>
  published(
    ...Array.from({ length: count }, (_, day) =>
      new Date(Date.UTC(day % 2 === 1 && day < late * 2 ? 2001 : 2026, 0, 1 + day)).toISOString().slice(0, 10),
    ),
  );

const show = (records: List): DatesShow => {
  const finder = new OrderFinder();
  for (const record of records) finder.add(record);
  return finder.found;
};

describe('the order that dates show', () => {
  it.each<readonly [string, List, DatesShow]>([
    ['rising dates', published('2026-01-01', '2026-01-02', '2026-01-03'), 'oldest-first'],
    ['falling dates', published('2026-01-03', '2026-01-02', '2026-01-01'), 'newest-first'],
    ['no records', [], 'nothing'],
    ['one record', published('2026-01-01'), 'nothing'],
    ['equal dates', published('2026-01-01', '2026-01-01'), 'nothing'],
    ['no dates', published(null, null), 'nothing'],
    ['as many steps up as down', published('2026-01-02', '2026-01-01', '2026-01-02'), 'both-ways'],
    ['one step down in a hundred', rising(101, 1), 'oldest-first'],
    ['five steps down in a hundred', rising(101, 5), 'oldest-first'],
    ['six steps down in a hundred', rising(101, 6), 'both-ways'],
    ['five steps up in a hundred', rising(101, 5).toReversed(), 'newest-first'],
    ['six steps up in a hundred', rising(101, 6).toReversed(), 'both-ways'],
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
    [
      'observation dates where publication dates run both ways',
      [
        { published_at: '2026-01-02', observed_at: '2026-03-03' },
        { published_at: '2026-01-01', observed_at: '2026-03-02' },
        { published_at: '2026-01-02', observed_at: '2026-03-01' },
      ],
      'newest-first',
    ],
    [
      'equal observation dates where publication dates run both ways',
      [
        { published_at: '2026-01-02', observed_at: '2026-03-01' },
        { published_at: '2026-01-01', observed_at: '2026-03-01' },
        { published_at: '2026-01-02', observed_at: '2026-03-01' },
      ],
      'both-ways',
    ],
    ['moments, not texts', published('2026-01-01T00:00:00+02:00', '2025-12-31T23:00:00Z'), 'oldest-first'],
    [
      'moments to the nanosecond',
      published('2026-01-01T00:00:00.123456789Z', '2026-01-01T01:00:00.12345678+01:00'),
      'newest-first',
    ],
    ['dates that are none', published('2026-13-01', 'yesterday', '2026-01-02', '2026-01-01'), 'newest-first'],
  ])('of %s', (_, records, expected) => {
    expect(show(records)).toBe(expected);
  });

  it('passes over what is no record at all', () => {
    const odd = [null, undefined, 5, 'x', { published_at: 7 }, ...published('2026-01-02', '2026-01-01')];
    expect(show(odd as never[])).toBe('newest-first');
  });

  it('is both ways for chance dates, forwards and backwards', () => {
    fc.assert(
      fc.property(fc.array(dates(), { minLength: 500, maxLength: 500 }), (days) => {
        expect(show(published(...days))).toBe('both-ways');
        expect(show(published(...days.toReversed()))).toBe('both-ways');
      }),
      { numRuns: tries(10) },
    );
  });

  it('turns when the list is turned', () => {
    const turned: Record<DatesShow, DatesShow> = {
      'newest-first': 'oldest-first',
      'oldest-first': 'newest-first',
      nothing: 'nothing',
      'both-ways': 'both-ways',
    };
    fc.assert(
      fc.property(fc.array(dates()), (days) => {
        expect(show(published(...days.toReversed()))).toBe(turned[show(published(...days))]);
        const sorted = days.toSorted();
        expect(show(published(...sorted))).toBe(new Set(days).size > 1 ? 'oldest-first' : 'nothing');
      }),
      { numRuns: RUNS },
    );
  });
});

describe('a list sorted by date', () => {
  it('has its records without a date first, and keeps the order of equal ones', () => {
    const list = published('2026-01-02', null, '2026-01-01', '2026-01-02T00:00:00Z', 'soon', '2026-01-01');
    expect(indexesByDate(list)).toEqual([1, 4, 2, 5, 0, 3]);
  });

  it('is sorted by moments: offsets and every digit of a fraction count', () => {
    const list = published(
      '2026-01-01T00:00:00.000000002Z',
      '2026-01-01T01:00:00.000000001+01:00',
      '2026-01-01T00:30:00+01:00',
      '2026-01-01',
    );
    expect(indexesByDate(list)).toEqual([2, 3, 1, 0]);
  });

  it('shows its dates rising or equal, whatever they are', () => {
    fc.assert(
      fc.property(fc.array(fc.option(times())), (days) => {
        const sorted = indexesByDate(published(...days)).map((index) => days[index] ?? null);
        expect(sorted.filter((day) => day === null)).toEqual(
          sorted.slice(0, days.filter((day) => day === null).length),
        );
        const keys = sorted.filter((day) => day !== null).map((day) => dateKey(day)!);
        for (const [index, key] of keys.entries()) {
          const before = keys[index - 1];
          if (before !== undefined) expect(key.ms - before.ms || key.rest - before.rest).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: RUNS },
    );
  });
});
