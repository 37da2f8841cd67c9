// How a page is found in an index of terms: over an engine of plain arrays, against the filter alone.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileFilter, type Filter, filterPreviews, type RecordFilter } from '../../../src/register/finding/filter.ts';
import { eachKey, type FieldRange, termSignature, termsOf } from '../../../src/register/finding/terms.ts';
import { EXAMINED_RECORDS, type Matched, type Page } from '../../../src/register/page.ts';
import type { RegisterRecord } from '../../../src/register/record.ts';
import { tierFileRecord } from '../../../src/register/tier.ts';
import { foundCount } from '../../../src/stores/logic/finding/found-count.ts';
import { EXAMINED_TEXT, foundPage, LOOK_UPS } from '../../../src/stores/logic/finding/found-page.ts';
import type { FoundHead, FoundReads, Looked } from '../../../src/stores/logic/finding/found-reads.ts';
import { changedSet, SEGMENT, segmentOf } from '../../../src/stores/logic/finding/postings.ts';
import {
  consecutive,
  type FirstAsked,
  firstOf,
  type FoundSet,
  type Look,
  MOST_WORDS,
  type SegmentsAsked,
  termsIn,
} from '../../../src/stores/logic/finding/segments.ts';
import { indexedAs } from '../../../src/stores/logic/finding/term-state.ts';
import { changedColumn, columnRow } from '../../../src/stores/logic/finding/value-columns.ts';
import { type ShownAs, slotOf } from '../../../src/stores/rows/columns.ts';
import { tries } from '../../effort.ts';

const SHOWN = { id: 'permits', fields: [] };
const SOLD = { ...SHOWN, prices: { currency: 'EUR', per_record: 200 } };
const REGISTER = 7;
const NOBODY = new Uint8Array();
const WORDS = ['asbestos', 'permit', 'notice', 'draft', 'public'];

/** A register and its index in memory, which count what they are asked. */
class Arrays implements FoundReads {
  readonly firstSegments = 1;
  readonly #records: ReadonlyMap<number, RegisterRecord>;
  /** By segments and terms, and by segments and fields. */
  readonly #sets = new Map<number, Map<string, Uint8Array>>();
  readonly #columns = new Map<number, Map<string, Uint8Array>>();
  readonly #head: FoundHead;
  readonly #changesMeanwhile: boolean;
  readonly #shown: ShownAs;
  examined = 0;
  looks = 0;
  lookUps = 0;

  constructor(
    records: readonly RegisterRecord[],
    { top = 0, isIndexed = true, changesMeanwhile = false, isSold = false }: ArraysOptions = {},
  ) {
    const sorted = records.toSorted((a, b) => a.position! - b.position!);
    this.#records = new Map(sorted.map((one) => [slotOf(REGISTER, one.position!), one]));
    this.#changesMeanwhile = changesMeanwhile;
    this.#shown = isSold ? SOLD : SHOWN;
    const kept = indexedAs(this.#shown);
    const all = Math.max(top, sorted.at(-1)?.position ?? 0);
    const signature = isIndexed ? termSignature(kept) : '';
    this.#head = { index: { signature, next: 0 }, top: all, change: 1 };
    const noted = [this.#sets, this.#columns].map(() => new Map<string, [number, string, number[]]>());
    const note = (which: 0 | 1, slot: number, name: string, ...change: number[]): void => {
      const [segment, all] = [segmentOf(slot), noted[which]!];
      const key = `${segment} ${name}`;
      if (all.get(key)?.[2].push(...change) === undefined) all.set(key, [segment, name, change]);
    };
    for (const [slot, one] of this.#records) {
      for (const term of termsOf(one, kept)) note(0, slot, term, slot % SEGMENT);
      eachKey(one, kept, (field, key) => {
        note(1, slot, field, slot % SEGMENT, key);
      });
    }
    for (const [which, changed] of [changedSet, changedColumn].entries()) {
      const all = which === 0 ? this.#sets : this.#columns;
      for (const [segment, name, changes] of noted[which]!.values()) {
        all.set(segment, (all.get(segment) ?? new Map<string, Uint8Array>()).set(name, changed(NOBODY, changes)));
      }
    }
  }

  head(): FoundHead {
    return this.#head;
  }

  look(asked: FirstAsked | SegmentsAsked | readonly number[], look: Look): ReturnType<FoundReads['look']> {
    const chosen = 'asOf' in asked ? firstOf(asked, REGISTER, this.#head.top) : asked;
    const segments = 'from' in chosen ? this.#segments(chosen) : chosen;
    this.looks++;
    this.lookUps += segments.length * look.cost;
    const found = segments.flatMap((segment) => {
      const sets = [...(this.#sets.get(segment) ?? [])];
      const toSet = (kind: FoundSet['kind'], name: string, bytes: Uint8Array): FoundSet => {
        return { segment, kind, name, bytes };
      };
      return [
        ...termsIn(look).flatMap((name) =>
          sets.filter(([term]) => term === name).map(([, bytes]) => toSet('term', name, bytes)),
        ),
        ...look.beginnings.flat().flatMap((name) => {
          const words = sets.filter(([term]) => term.startsWith(name)).slice(0, MOST_WORDS + 1);
          return words.map(([, bytes]) => toSet('beginning', name, bytes));
        }),
        ...look.ranges.flatMap((range) =>
          this.#overlaps(segment, range)
            ? [toSet('range', range.field, this.#columns.get(segment)!.get(range.field)!)]
            : [],
        ),
      ];
    });
    return { head: this.#head, segments, found };
  }

  #segments(asked: SegmentsAsked): readonly number[] {
    const { from, to, limit, range } = asked;
    if (range === null) return consecutive(asked);
    const all = [...this.#columns.keys()].filter((one) => one <= from && one >= to && this.#overlaps(one, range));
    return all.sort((a, b) => b - a).slice(0, limit);
  }

  #overlaps(segment: number, { field, lowest, highest }: FieldRange): boolean {
    const keys = this.#columns.get(segment)?.get(field);
    if (keys === undefined) return false;
    const [, , least, greatest] = columnRow(segment, field, keys);
    return Number(least) <= highest && Number(greatest) >= lowest;
  }

  records(slots: readonly number[]): ReturnType<FoundReads['records']> {
    this.looks++;
    this.examined += slots.length;
    expect(slots).toEqual(slots.toSorted((a, b) => b - a));
    return { change: this.#changesMeanwhile ? 2 : 1, records: slots.flatMap((slot) => this.#records.get(slot) ?? []) };
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
    return this.found(compileFilter(filter, [])!, offset, limit, asOf);
  }

  async found(filter: RecordFilter, offset: number, limit: number, asOf = this.#head.top): Promise<Page> {
    return foundPage({ shown: this.#shown, number: REGISTER, reads: this }, filter, { offset, limit, asOf });
  }

  async count(filter: Filter, asOf = this.#head.top): Promise<Matched | null> {
    return foundCount({ shown: this.#shown, number: REGISTER, reads: this }, compileFilter(filter, [])!, { asOf });
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
  readonly isSold?: boolean;
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
      { numRuns: tries(30) },
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
    ['common words in the wrong order, the last one a beginning', { q: 'permit-asb*' }],
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

  it('examines no record for a beginning that none has, and those with any word where too many begin so', async () => {
    const titles = Array.from({ length: MOST_WORDS + 1 }, (_, index) => `asbestos${index}`);
    const arrays = new Arrays([record(1, 'permit'), ...titles.map((title, index) => record(index + 2, title))]);
    expect(await arrays.page({ q: 'zzz*' }, 0, 25)).toMatchObject({ records: [], nextOffset: null });
    expect(arrays.examined).toBe(0);
    expect(await arrays.walk({ q: 'permi*' }, 25)).toEqual([record(1, 'permit')]);
    expect(arrays.examined).toBe(1);
    expect(await arrays.walk({ q: 'asbestos12*' }, 25)).toHaveLength(10);
    expect(arrays.examined).toBe(11);
    expect(await arrays.walk({ q: 'asb*' }, 200)).toHaveLength(MOST_WORDS + 1);
    expect(arrays.examined).toBe(11 + MOST_WORDS + 3);
  });

  it('reads one segment for a range in the middle, and no record outside it but of the minutes at its ends', async () => {
    const minute = (position: number): string => new Date(Date.UTC(2026, 0, 1, 0, position)).toISOString();
    const rows = Array.from({ length: 50_000 }, (_, index) => {
      const row = record(index + 1, index % 2 === 0 ? 'asbestos' : 'permit');
      return { ...row, published_at: minute(index + 1) };
    });
    const arrays = new Arrays(rows);
    const range = { published_since: minute(20_001), published_until: minute(20_011) };
    const page = await arrays.page({ ...range, q: 'asbestos' }, 0, 25);
    expect(page.records.map(({ position }) => position)).toEqual([20_009, 20_007, 20_005, 20_003, 20_001]);
    expect(page.nextOffset).toBeNull();
    // The word and the column in one segment; then the word alone in those that are left, of which there are none.
    expect(arrays.lookUps).toBe(9);
    expect(arrays.examined).toBe(5);
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

  it('asks three times for records that lie far apart: for the newest segment, for the others, and for the records', async () => {
    const rows = Array.from({ length: 90 }, (_, index) => record(index * 10_000 + 1, 'asbestos'));
    const arrays = new Arrays(rows, { top: 900_000 });
    const page = await arrays.page({ q: 'asbestos' }, 0, 100);
    expect(page.records).toEqual(rows.toReversed());
    expect(arrays.looks).toBe(3);
    expect(arrays.lookUps).toBe(Math.ceil(900_001 / SEGMENT));
    expect(arrays.examined).toBe(90);
  });

  it('reads no more segments than the page seems to need, once some records are found', async () => {
    const rows = Array.from({ length: 900 }, (_, index) => record(index * 1000 + 1, 'asbestos'));
    const arrays = new Arrays(rows, { top: 900_000 });
    expect((await arrays.page({ q: 'asbestos' }, 0, 100)).records).toHaveLength(100);
    // Four in each segment, and a quarter more is read; the newest segment has fewer. There are 220.
    expect(arrays.lookUps).toBeLessThanOrEqual(70);
    expect(arrays.examined).toBe(101);
  });

  it('looks for the words itself in records of which some changed between two looks', async () => {
    const arrays = new Arrays([record(1, 'asbestos'), record(SEGMENT + 1, 'asbestos')]);
    const look = arrays.look.bind(arrays);
    const head = { ...arrays.head(), change: 2 };
    // A change after the first look, and none after the second one.
    arrays.look = (asked, question) => {
      const looked = look(asked, question) as Looked;
      return arrays.looks === 1 ? looked : { ...looked, head };
    };
    arrays.records = () => ({ change: 2, records: [record(SEGMENT + 1, 'permit'), record(1, 'asbestos')] });
    const { records } = await arrays.page({ q: 'asbestos' }, 0, 25);
    expect(records.map(({ position }) => position)).toEqual([1]);
  });

  it('does the same for previews, and goes as far, whatever they hide', async () => {
    const hidden = fc.array(fc.constantFrom(...WORDS), { maxLength: 5 }).map((words) => words.join(' '));
    await fc.assert(
      fc.asyncProperty(registers, hidden, hidden, filters, async (rows, one, other, filter) => {
        const worlds = [one, other].map((content) => rows.map((row) => soldRecord(row.position, row.title, content)));
        const done = await Promise.all(worlds.map((records) => doneForPreviews(records, filter)));
        expect([filter, done[1]]).toEqual([filter, done[0]]);
      }),
      { numRuns: tries(30) },
    );
    const rows = Array.from({ length: 60 }, (_, index) => index + 1);
    const [short, long] = await Promise.all(
      ['', 'x'.repeat(EXAMINED_TEXT / 40)].map((content) =>
        doneForPreviews(
          rows.map((position) => soldRecord(position, 'permit asbestos', content)),
          { q: '"asbestos permit"' },
        ),
      ),
    );
    expect(long).toEqual(short);
    expect(short).toMatchObject({ nextOffset: null, examined: 60 });
  });
});

/** A record that says something to who bought it. */
function soldRecord(position: number, title: string, content: string): RegisterRecord {
  return { ...record(position, title), content };
}

/** What is found in previews, and what is done for it. */
async function doneForPreviews(records: readonly RegisterRecord[], filter: Filter): Promise<unknown> {
  const arrays = new Arrays(records, { isSold: true });
  const seen = filterPreviews(compileFilter(filter, [])!, (one) => tierFileRecord(one, 'public', false));
  const page = await arrays.found(seen, 0, 5);
  const { examined, looks, lookUps } = arrays;
  return { ids: page.records.map(({ id }) => id), nextOffset: page.nextOffset, examined, looks, lookUps };
}

describe('foundCount', () => {
  const times = [
    '2026-01-01T00:00:00Z',
    '2026-01-01T00:00:30Z',
    '2026-01-01T00:00:59.9Z',
    '2026-01-01T00:01:00Z',
    '9000-01-01',
  ];
  const timed = fc.record(
    { q: fc.constantFrom('asbestos', 'perm*', '"public notice"'), published_since: fc.constantFrom(...times) },
    { requiredKeys: ['published_since'] },
  );

  it('is the number of records that match in the view, exactly', async () => {
    const spans = fc
      .tuple(timed, fc.option(fc.constantFrom(...times), { nil: undefined }))
      .map(([filter, until]): Filter => (until === undefined ? filter : { ...filter, published_until: until }));
    let counted = 0;
    await fc.assert(
      fc.asyncProperty(
        registers,
        fc.oneof(filters, spans),
        fc.array(fc.constantFrom(...times, '9999-12-31'), { minLength: 1 }),
        fc.integer({ min: 0, max: 200_000 }),
        async (rows, filter, published, view) => {
          const records = rows.map(({ position, title, type }, at) => {
            return { ...record(position, title, type), published_at: published[at % published.length]! };
          });
          const arrays = new Arrays(records, { top: 200_000 });
          for (const asOf of [view, 200_000]) {
            const matching = compileFilter(filter, [])!;
            const matched = records.filter((one) => one.position! <= asOf && matching.matches(one)).length;
            const found = await arrays.count(filter, asOf);
            // Without a word that must be there, no index helps.
            if (found !== null) expect(found).toEqual({ matched, isAtLeast: false });
            if (found !== null) counted += matched;
          }
        },
      ),
      { numRuns: tries(60) },
    );
    expect(counted).toBeGreaterThan(0);
  });

  it('reads no record where the index knows all of it', async () => {
    const count = 2 * EXAMINED_RECORDS + 5;
    const arrays = new Arrays(Array.from({ length: count }, (_, index) => record(index + 1, 'asbestos permit')));
    const known = [{ q: 'asbestos permit' }, { q: 'asb*' }, { q: 'permit', updated_since: '2026-01-01' }];
    for (const filter of known) expect(await arrays.count(filter)).toEqual({ matched: count, isAtLeast: false });
    expect(arrays.examined).toBe(0);
  });

  it('examines no more records than the bound, and says that there may be more', async () => {
    const count = 2 * EXAMINED_RECORDS + 5;
    const arrays = new Arrays(Array.from({ length: count }, (_, index) => record(index + 1, 'asbestos permit')));
    expect(await arrays.count({ q: '"asbestos permit"' })).toEqual({ matched: EXAMINED_RECORDS, isAtLeast: true });
    expect(arrays.examined).toBe(EXAMINED_RECORDS);
  });

  it('reads no more sets of terms than the bound, and says that there may be more', async () => {
    const arrays = new Arrays([record(2, 'asbestos permit')], { top: LOOK_UPS * SEGMENT });
    expect(await arrays.count({ q: 'asbestos permit' })).toEqual({ matched: 0, isAtLeast: true });
    expect(arrays.lookUps).toBe(LOOK_UPS);
  });
});
