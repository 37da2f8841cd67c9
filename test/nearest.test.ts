import { afterEach, expect, it, vi } from 'vitest';
import { nearest } from '../src/nearest.ts';

const NAMES = ['limit', 'offset', 'document_type', 'facility_id'];

afterEach(() => {
  vi.restoreAllMocks();
});

it.each([
  ['limt', ['limit']],
  ['Document-Type', ['document_type']],
  ['facility', ['facility_id']],
  ['my_facility_id_filter', ['facility_id']],
  ['colour', []],
  ['', []],
])('finds what %j may have meant', (name, expected) => {
  expect(nearest(name, NAMES)).toEqual(expected);
});

it('suggests nothing for a name that is more than twice as long as the longest there is', () => {
  const longest = 'document_type'.length;
  expect(nearest('limit'.padEnd(2 * longest, '_'), NAMES)).toEqual(['limit']);
  expect(nearest('limit'.padEnd(2 * longest + 1, '_'), NAMES)).toEqual([]);
  expect(nearest('limit', [])).toEqual([]);
});

it('compares no more letters however long a name is', () => {
  const compared = vi.spyOn(Math, 'min');
  const folded = vi.spyOn(String.prototype, 'normalize');
  nearest('x'.repeat(2 * 'document_type'.length), NAMES);
  const most = compared.mock.calls.length;
  expect(most).toBeGreaterThan(100);
  for (const length of [100, 7_800, 1_000_000]) {
    compared.mockClear();
    folded.mockClear();
    nearest('x'.repeat(length), NAMES);
    expect(compared.mock.calls.length, `${length} letters`).toBeLessThanOrEqual(most);
    expect(folded.mock.calls.length, `${length} letters`).toBe(0);
  }
});
