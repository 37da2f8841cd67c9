// How a page is found in an index of terms: over an engine of plain arrays, against the filter alone.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileFilter, type Filter } from '../../../src/register/finding/filter.ts';
import { termsOf } from '../../../src/register/finding/terms.ts';
import type { Page } from '../../../src/register/page.ts';
import type { RegisterRecord } from '../../../src/register/record.ts';
import {
  EXAMINED_RECORDS,
  findPage,
  type FindOptions,
  type Look,
  type LookAnswer,
} from '../../../src/stores/logic/finding/found-page.ts';
import { tries } from '../../effort.ts';

const OPTIONS: FindOptions = { isIndexed: true, mostTerms: 64, reachOf: () => 10_000_000 };
const WORDS = ['asbestos', 'permit', 'notice', 'draft', 'public'];

/** An index as an array, newest first, which counts what it is asked. */
class Arrays {
  readonly #records: readonly (readonly [RegisterRecord, ReadonlySet<string>])[];
  examined = 0;
  looks = 0;

  constructor(records: readonly RegisterRecord[]) {
    this.#records = records
      .toSorted((a, b) => b.position! - a.position!)
      .map((record) => [record, new Set(termsOf(record, { fields: [], hasSearch: true }))]);
  }

  answer(look: Look): LookAnswer {
    this.looks++;
    expect(look.lowest).toBeGreaterThanOrEqual(1);
    expect(look.from).toBeGreaterThanOrEqual(look.lowest);
    const groups = look.kind === 'records' ? look.groups : [look.group];
    const most = look.kind === 'records' ? look.limit : look.nth;
    const found: RegisterRecord[] = [];
    for (const [one, terms] of this.#records) {
      if (one.position! > look.from) continue;
      if (one.position! < look.lowest || found.length === most) break;
      if (groups.every((group) => group.some((term) => terms.has(term)))) found.push(one);
    }
    if (look.kind === 'entry') return found[look.nth - 1]?.position ?? 0;
    this.examined += found.length;
    return found;
  }

  page(filter: Filter, offset: number, limit: number, asOf: number, options: FindOptions = OPTIONS): Page {
    const range = { asOf, from: asOf - offset };
    const steps = findPage(compileFilter(filter, [])!, { offset, limit }, range, options);
    let step = steps.next([]);
    while (step.done !== true) step = steps.next(this.answer(step.value));
    return step.value;
  }

  walk(filter: Filter, limit: number, asOf: number, options?: FindOptions): RegisterRecord[] {
    const records: RegisterRecord[] = [];
    for (let offset: number | null = 0; offset !== null;) {
      const page: Page = this.page(filter, offset, limit, asOf, options);
      expect(page.records.length).toBeLessThanOrEqual(limit);
      expect(page.nextOffset ?? asOf + 1).toBeGreaterThan(offset);
      records.push(...page.records);
      offset = page.nextOffset;
    }
    return records;
  }
}

function record(position: number, title: string, type: string | null = null): RegisterRecord {
  return {
    ...{ id: `permits:${position}`, feed_id: 'permits', key: String(position), title, summary: null, content: null },
    ...{
      content_type: 'text',
      author: null,
      document_type: type,
      facility_id: null,
      source_url: 'https://example.org/',
    },
    ...{ published_at: null, observed_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' },
    ...{ version: 1, position, data: {} },
  };
}

const registers = fc.uniqueArray(
  fc.record({
    position: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 200_000 })),
    title: fc.array(fc.constantFrom(...WORDS), { maxLength: 5 }).map((words) => words.join(' ')),
    type: fc.constantFrom('adopted', 'refused', null),
  }),
  { maxLength: 80, selector: ({ position }) => position },
);

const filters = fc
  .record(
    {
      q: fc.constantFrom(
        'asbestos',
        '"public notice"',
        'asbestos permit',
        'notice -draft',
        '-draft',
        'perm*',
        'nothing',
      ),
      document_type: fc.subarray(['adopted', 'refused', 'withdrawn'], { minLength: 1 }),
      updated_since: fc.constantFrom('2025-12-31', '2026-02-01'),
    },
    { requiredKeys: [] },
  )
  .filter((filter) => Object.keys(filter).length > 0);

describe('findPage', () => {
  it('finds each record that matches once, whatever the index holds and however far a request may look', () => {
    fc.assert(
      fc.property(
        registers,
        filters,
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom(1, 1000, 100_000, 10_000_000),
        fc.boolean(),
        (rows, filter, limit, reach, isIndexed) => {
          const records = rows.map(({ position, title, type }) => record(position, title, type));
          const matching = compileFilter(filter, [])!;
          const expected = records.filter((one) => matching.matches(one)).toSorted((a, b) => b.position! - a.position!);
          const options = { isIndexed, mostTerms: 64, reachOf: () => Math.max(reach, 4000) };
          expect(new Arrays(records).walk(filter, limit, 200_000, options)).toEqual(expected);
        },
      ),
      { numRuns: tries(60) },
    );
  });

  it('asks once for a page that the newest records fill', () => {
    const arrays = new Arrays(Array.from({ length: 2000 }, (_, index) => record(index + 1, 'asbestos permit')));
    const page = arrays.page({ q: 'asbestos permit' }, 0, 25, 2000);
    expect(page.records).toHaveLength(25);
    expect(page.nextOffset).toBe(25);
    expect(arrays.looks).toBe(1);
    expect(arrays.examined).toBe(26);
  });

  it.each<[string, Filter]>([
    ['a phrase that common words never make', { q: '"permit asbestos"' }],
    ['the beginning of a word that none has', { q: 'zzz*' }],
    ['common words without one that all have', { q: 'asbestos -permit' }],
  ])('examines no more than the bound for %s', (_, filter) => {
    const count = 2 * EXAMINED_RECORDS + 5;
    const arrays = new Arrays(Array.from({ length: count }, (_, index) => record(index + 1, 'asbestos permit')));
    const page = arrays.page(filter, 0, 25, count);
    expect(page.records).toEqual([]);
    expect(page.nextOffset).toBeGreaterThanOrEqual(EXAMINED_RECORDS / 2);
    expect(arrays.examined).toBeLessThanOrEqual(EXAMINED_RECORDS + 500);
    expect(arrays.walk(filter, 25, count)).toEqual([]);
  });

  it('reads no more than the bound of common words that no record has together', () => {
    const count = 4 * EXAMINED_RECORDS;
    const titles = ['asbestos', 'permit'];
    const arrays = new Arrays(Array.from({ length: count }, (_, index) => record(index + 1, titles[index % 2]!)));
    const page = arrays.page({ q: 'asbestos permit' }, 0, 25, count);
    expect(page.records).toEqual([]);
    // Every second position has the rarer word.
    expect(page.nextOffset).toBeLessThanOrEqual(3 * EXAMINED_RECORDS);
    expect(arrays.walk({ q: 'asbestos permit' }, 25, count)).toEqual([]);
  });

  it('finds a rare word anywhere in one request', () => {
    const rows = Array.from({ length: 3000 }, (_, index) =>
      record(index * 300 + 1, index % 2 === 0 ? 'permit' : 'draft'),
    );
    const arrays = new Arrays([...rows, record(2, 'asbestos permit')]);
    expect(arrays.page({ q: 'asbestos permit' }, 0, 25, 900_000)).toMatchObject({ nextOffset: null });
    expect(arrays.page({ q: 'asbestos permit' }, 0, 25, 900_000).records).toHaveLength(1);
  });
});
