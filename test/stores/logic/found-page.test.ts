// How a page is found in an index of terms: over an engine of plain arrays, against the filter alone.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileFilter, type Filter } from '../../../src/register/finding/filter.ts';
import { termSignature, termsOf } from '../../../src/register/finding/terms.ts';
import type { Page } from '../../../src/register/page.ts';
import type { RegisterRecord } from '../../../src/register/record.ts';
import {
  EXAMINED_RECORDS,
  type FoundHead,
  foundPage,
  type FoundReads,
  LOOK_UPS,
} from '../../../src/stores/logic/finding/found-page.ts';
import { changedSet, type Posting, SEGMENT, segmentOf } from '../../../src/stores/logic/finding/postings.ts';
import { slotOf } from '../../../src/stores/rows/columns.ts';
import { tries } from '../../effort.ts';

const SHOWN = { id: 'permits', fields: [] };
const INDEXED_AS = { fields: [], hasSearch: true };
const REGISTER = 7;
const WORDS = ['asbestos', 'permit', 'notice', 'draft', 'public'];

/** A register and its index in memory, which count what they are asked. */
class Arrays implements FoundReads {
  readonly #records: ReadonlyMap<number, RegisterRecord>;
  readonly #sets: ReadonlyMap<string, Uint8Array>;
  readonly #head: FoundHead;
  readonly #changesMeanwhile: boolean;
  examined = 0;
  looks = 0;
  lookUps = 0;

  constructor(
    records: readonly RegisterRecord[],
    { top = 0, isIndexed = true, changesMeanwhile = false }: ArraysOptions = {},
  ) {
    const sorted = records.toSorted((a, b) => a.position! - b.position!);
    this.#records = new Map(sorted.map((one) => [slotOf(REGISTER, one.position!), one]));
    this.#changesMeanwhile = changesMeanwhile;
    const all = Math.max(top, sorted.at(-1)?.position ?? 0);
    const signature = isIndexed ? termSignature(INDEXED_AS) : '';
    this.#head = { index: { signature, next: 0 }, top: all, change: 1 };
    const offsets = new Map<string, number[]>();
    for (const [slot, one] of this.#records) {
      for (const term of termsOf(one, INDEXED_AS)) {
        const key = `${segmentOf(slot)} ${term}`;
        if (offsets.get(key)?.push(slot % SEGMENT) === undefined) offsets.set(key, [slot % SEGMENT]);
      }
    }
    this.#sets = new Map(Array.from(offsets, ([key, some]) => [key, changedSet(new Uint8Array(), some)]));
  }

  head(): FoundHead {
    return this.#head;
  }

  postings(segments: readonly number[], terms: readonly string[]): ReturnType<FoundReads['postings']> {
    this.looks++;
    this.lookUps += segments.length * terms.length;
    const postings = segments.flatMap((segment) =>
      terms.flatMap((term): Posting[] => {
        const positions = this.#sets.get(`${segment} ${term}`);
        return positions === undefined ? [] : [{ segment, term, positions }];
      }),
    );
    return { head: this.#head, postings };
  }

  records(slots: readonly number[]): ReturnType<FoundReads['records']> {
    this.looks++;
    this.examined += slots.length;
    expect(slots).toEqual(slots.toSorted((a, b) => b - a));
    return { change: this.#changesMeanwhile ? 2 : 1, records: slots.map((slot) => this.#records.get(slot)!) };
  }

  below(highest: number, lowest: number, limit: number): readonly RegisterRecord[] {
    this.looks++;
    expect(lowest).toBeGreaterThan(slotOf(REGISTER, 0));
    const found = [...this.#records].filter(([slot]) => slot <= highest && slot >= lowest).map(([, one]) => one);
    const records = found.reverse().slice(0, limit);
    this.examined += records.length;
    return records;
  }

  async page(filter: Filter, offset: number, limit: number, asOf = this.#head.top): Promise<Page> {
    const searched = { shown: SHOWN, number: REGISTER, reads: this };
    return foundPage(searched, compileFilter(filter, [])!, { offset, limit, asOf });
  }

  async walk(filter: Filter, limit: number): Promise<RegisterRecord[]> {
    const records: RegisterRecord[] = [];
    for (let offset: number | null = 0; offset !== null;) {
      const page: Page = await this.page(filter, offset, limit);
      expect(page.records.length).toBeLessThanOrEqual(limit);
      expect(page.nextOffset ?? Infinity).toBeGreaterThan(offset);
      records.push(...page.records);
      offset = page.nextOffset;
    }
    return records;
  }
}

interface ArraysOptions {
  readonly top?: number;
  readonly isIndexed?: boolean;
  /** Whether every look finds another number of changes. */
  readonly changesMeanwhile?: boolean;
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

/** Without words: they are refused while there is no index. */
const plain = filters.filter(({ q }: Filter) => q === undefined);

describe('foundPage', () => {
  it('finds each record that matches once, whatever the index holds', async () => {
    const options = fc.record({ top: fc.constant(200_000), changesMeanwhile: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        registers,
        fc.oneof(fc.tuple(filters, options), fc.tuple(plain, fc.constant({ top: 200_000, isIndexed: false }))),
        fc.integer({ min: 1, max: 5 }),
        async (rows, [filter, found], limit) => {
          const records = rows.map(({ position, title, type }) => record(position, title, type));
          const matching = compileFilter(filter, [])!;
          const expected = records.filter((one) => matching.matches(one)).toSorted((a, b) => b.position! - a.position!);
          expect(await new Arrays(records, found).walk(filter, limit)).toEqual(expected);
        },
      ),
      { numRuns: tries(60) },
    );
  });

  it('looks once into the index for a page that the newest records fill', async () => {
    const arrays = new Arrays(Array.from({ length: 2000 }, (_, index) => record(index + 1, 'asbestos permit')));
    const page = await arrays.page({ q: 'asbestos permit' }, 0, 25);
    expect(page.records).toHaveLength(25);
    expect(page.nextOffset).toBe(25);
    expect(arrays.looks).toBe(2);
    expect(arrays.lookUps).toBe(2);
    expect(arrays.examined).toBe(26);
  });

  it.each<[string, Filter]>([
    ['a phrase that common words never make', { q: '"permit asbestos"' }],
    ['the beginning of a word that none has', { q: 'zzz*' }],
    ['common words without one that all have', { q: 'asbestos -permit' }],
  ])('examines no more than the bound for %s', async (_, filter) => {
    const count = 2 * EXAMINED_RECORDS + 5;
    const arrays = new Arrays(Array.from({ length: count }, (_, index) => record(index + 1, 'asbestos permit')));
    const page = await arrays.page(filter, 0, 25);
    expect(page.records).toEqual([]);
    expect(page.nextOffset).toBeGreaterThanOrEqual(EXAMINED_RECORDS / 2);
    expect(arrays.examined).toBeLessThanOrEqual(EXAMINED_RECORDS + 500);
    expect(await arrays.walk(filter, 25)).toEqual([]);
  });

  it('examines no record for common words that none has together', async () => {
    const count = 4 * EXAMINED_RECORDS;
    const titles = ['asbestos', 'permit'];
    const arrays = new Arrays(Array.from({ length: count }, (_, index) => record(index + 1, titles[index % 2]!)));
    expect(await arrays.page({ q: 'asbestos permit' }, 0, 25)).toMatchObject({ records: [], nextOffset: null });
    expect(arrays.examined).toBe(0);
    expect(arrays.lookUps).toBe(2 * Math.ceil((count + 1) / SEGMENT));
  });

  it('looks for the words itself in a record that changed after its terms were read', async () => {
    const arrays = new Arrays([record(1, 'asbestos')]);
    arrays.records = () => ({ change: 2, records: [record(1, 'permit')] });
    expect(await arrays.page({ q: 'asbestos' }, 0, 25)).toMatchObject({ records: [], nextOffset: null });
  });

  it('reads no more sets of terms than the bound, and goes on from there', async () => {
    const top = LOOK_UPS * SEGMENT;
    const arrays = new Arrays([record(2, 'asbestos permit')], { top });
    const page = await arrays.page({ q: 'asbestos permit' }, 0, 25);
    expect(page.records).toEqual([]);
    expect(page.nextOffset).toBeGreaterThan(top / 2 - SEGMENT);
    expect(arrays.lookUps).toBe(LOOK_UPS);
    expect(await arrays.walk({ q: 'asbestos permit' }, 25)).toHaveLength(1);
  });

  it('finds a rare word anywhere in one request', async () => {
    const rows = Array.from({ length: 3000 }, (_, index) =>
      record(index * 300 + 1, index % 2 === 0 ? 'permit' : 'draft'),
    );
    const arrays = new Arrays([...rows, record(2, 'asbestos permit')], { top: 900_000 });
    const page = await arrays.page({ q: 'asbestos permit' }, 0, 25);
    expect(page).toMatchObject({ nextOffset: null });
    expect(page.records).toHaveLength(1);
  });
});
