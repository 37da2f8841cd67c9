// The worst questions (hostile-filters.ts), asked of a register of 10,000 records, or at the whole effort of 1,000,000: none
// reads more than the bound of a request, and nothing that is read without a pause takes long. What is read is counted where
// the database answers, so that no clock decides.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { compileFilter } from '../../src/register/finding/filter.ts';
import { indexQuestion } from '../../src/register/finding/terms.ts';
import type { RegisterRecord } from '../../src/register/record.ts';
import type { RegisterStore } from '../../src/stores/contract/registers.ts';
import { EXAMINED_RECORDS } from '../../src/register/page.ts';
import { EXAMINED_TEXT, LOOK_UPS } from '../../src/stores/logic/finding/found-page.ts';
import { SEGMENT } from '../../src/stores/logic/finding/postings.ts';
import { planOf } from '../../src/stores/logic/finding/segments.ts';
import { EFFORT, measured, tried } from '../effort.ts';
import { plainMatches } from '../register/finding/plain-filter.ts';
import { HOSTILE_FILTERS, HOSTILE_REGISTER, hostileRecord } from './hostile-filters.ts';
import { at } from './store-register.ts';

/** What one statement, or what is read at once, asked of the database. */
export interface Read {
  /** Rows of records. */
  readonly records: number;
  /** Characters in them. */
  readonly text: number;
  /** Sets of terms that were looked up, and what takes as long: {@link COSTS}. */
  readonly looks: number;
}

/** As how many sets it counts to read those of the words with a beginning, and a column of times or numbers. */
export const COSTS = { beginning: 24, range: 8 } as const;

/** An empty store, and what is read of it. */
export interface OpenedHostile {
  readonly store: RegisterStore;
  /** What was read since it was last called, each without a pause. */
  readonly reads: () => readonly Read[];
  /** For each statement that was sent, how the database carries it out; as many texts as it has states of knowledge. */
  readonly plans: () => Promise<readonly string[]>;
  /** What no plan may have. */
  readonly refused: RegExp;
  /** Called once the register is filled. */
  readonly settle: () => Promise<void>;
  readonly dispose: () => Promise<void>;
}

/** How many records there are. */
export const HOSTILE_RECORDS: number = EFFORT === 'whole' ? 1_000_000 : 10_000;

/** The plain filter is slow: so many are compared with it. */
const NEWEST = 100;

const BATCH = 2000;

/** How many segments they lie in. */
const SEGMENTS = Math.ceil((HOSTILE_RECORDS + 1) / SEGMENT);

/** The most that may be read without a pause: about 10 ms each. */
const AT_ONCE: Read = { records: 500, text: 2 ** 20, looks: 1000 };

/** Registers the suite for one implementation. */
export function hostileContract(name: string, open: () => Promise<OpenedHostile>): void {
  describe(`the worst questions to ${name}`, () => {
    let opened: OpenedHostile;
    let newest: readonly RegisterRecord[];
    const times: number[] = [];
    beforeAll(async () => {
      opened = await open();
      const { store } = opened;
      await store.createRegister(HOSTILE_REGISTER);
      for (let from = 0; from < HOSTILE_RECORDS; from += BATCH) {
        const batch = Array.from({ length: BATCH }, (_, index) => hostileRecord(from + index + 1));
        await store.apply('permits', batch, { recordedAt: at(0) });
      }
      await opened.settle();
      ({ records: newest } = await (await store.source('permits')).page({ offset: 0, limit: NEWEST }));
    });
    afterAll(() => opened.dispose());
    afterEach(() => {
      opened.reads();
    });

    it('are fifty', () => {
      expect(Object.keys(HOSTILE_FILTERS)).toHaveLength(50);
    });

    it.each(Object.entries(HOSTILE_FILTERS))('stay within the bound: %s', async (_, filter) => {
      const source = await opened.store.source('permits');
      const { whole } = planOf(indexQuestion(compileFilter(filter, HOSTILE_REGISTER.fields)!));
      opened.reads();
      let [asked, next]: [number, number | null] = [0, 0];
      // As far as four requests come: what is bad may lie below the first page.
      for (; next !== null && asked < 4; asked++) {
        const startedAt = performance.now();
        const page = await source.page({ offset: next, limit: 25, filter });
        times.push(performance.now() - startedAt);
        const reads = opened.reads();
        const sum = (member: keyof Read): number => reads.reduce((all, read) => all + read[member], 0);
        const most = (member: keyof Read): number => Math.max(...reads.map((read) => read[member]));
        // No record and no set is read twice.
        expect(sum('records')).toBeLessThanOrEqual(Math.min(EXAMINED_RECORDS + AT_ONCE.records, HOSTILE_RECORDS));
        expect(sum('text')).toBeLessThanOrEqual(EXAMINED_TEXT * 3);
        expect(sum('looks')).toBeLessThanOrEqual(Math.min(LOOK_UPS, whole.cost * SEGMENTS));
        expect(reads).not.toEqual([]);
        for (const member of ['records', 'text', 'looks'] as const) {
          expect([member, most(member)]).toEqual([member, Math.min(most(member), AT_ONCE[member])]);
        }
        if (next === 0) {
          const expected = newest.filter((record) => plainMatches(record, filter, HOSTILE_REGISTER.fields));
          const found = page.records.filter(({ position }) => position! > HOSTILE_RECORDS - NEWEST);
          expect(found).toEqual(expected.slice(0, 25));
        }
        expect(page.nextOffset === null || page.nextOffset > next).toBe(true);
        next = page.nextOffset;
      }
      tried(asked);
      measured('a page of the worst questions', times);
    });

    it('are read by keys and indexes alone', async () => {
      const plans = await opened.plans();
      expect(plans.length).toBeGreaterThan(2);
      for (const plan of plans) expect(plan).not.toMatch(opened.refused);
    });
  });
}

/** The characters in the texts of a row. */
export function textIn(row: readonly unknown[]): number {
  return row.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
}
