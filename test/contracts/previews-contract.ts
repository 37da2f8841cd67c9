// What a buyer finds in previews, whatever is said in them and behind them: every walk gives what a model of plain arrays has,
// and who sees all finds all by the same index.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import type { Filter } from '../../src/register/page.ts';
import type { RegisterRecord } from '../../src/register/record.ts';
import { type OwnRecords, previewedRegister } from '../../src/register/sources/preview-source.ts';
import { pages, type RegisterSource } from '../../src/register/sources/source.ts';
import { tierFileRecord } from '../../src/register/tier.ts';
import type { RegisterStore } from '../../src/stores/contract/registers.ts';
import { tries } from '../effort.ts';
import { plainMatches } from '../register/finding/plain-filter.ts';
import { at, type OpenStore, say } from './store-register.ts';

const FIELDS = [
  { name: 'remark', label: 'Remark', type: 'text' },
  { name: 'country', label: 'Country', type: 'text', filterable: true },
] as const;

const COUNTRIES = ['NL', 'BE'] as const;

/** Some begin others, so that a cut word is a word of another record. */
const word = fc.constantFrom('asbest', 'asbestos', 'as', 'lead', 'le', '東京都', '東京');
const text = fc.array(word, { maxLength: 4 }).map((words) => words.join(' '));

/** A summary that its preview ends within, mostly after the beginning of a word that is one itself, or that it has whole. */
const summary = fc
  .tuple(fc.option(fc.oneof(fc.constantFrom(274, 278), fc.integer({ min: 262, max: 280 }))), text)
  .map(([length, words]) => (length === null ? words : '-'.repeat(length) + words));

const record = fc.record({
  title: word,
  summary: fc.option(summary),
  content: fc.option(text),
  author: fc.option(word),
  data: fc.record({ remark: text, country: fc.constantFrom(...COUNTRIES) }),
});

const part = fc.oneof(
  { weight: 3, arbitrary: word },
  { weight: 2, arbitrary: word.map((one) => `${one.slice(0, 2)}*`) },
  { weight: 1, arbitrary: word.map((one) => `-${one}`) },
  { weight: 1, arbitrary: fc.tuple(word, word).map((two) => `"${two.join(' ')}"`) },
);
const words = fc.oneof(
  { weight: 3, arbitrary: part },
  { weight: 1, arbitrary: fc.tuple(part, part).map((parts) => parts.join(' ')) },
);
const filter: fc.Arbitrary<Filter> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ q: words }) },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        q: words,
        'data.country': fc.constantFrom(...COUNTRIES),
        published_since: fc.constantFrom('2026-01-04', '2026-01-09'),
      },
      { requiredKeys: [] },
    ),
  },
);

const plan = fc.record({
  records: fc.array(record, { minLength: 6, maxLength: 14, size: 'max' }),
  changed: fc.array(record, { maxLength: 3 }),
  withdrawn: fc.uniqueArray(fc.integer({ min: 1, max: 14 }), { maxLength: 2 }),
  bought: fc.uniqueArray(fc.integer({ min: 1, max: 14 }), { maxLength: 5 }),
  window: fc.nat(2),
  limit: fc.integer({ min: 1, max: 4 }),
  filters: fc.array(filter, { minLength: 12, maxLength: 12 }),
});

/** Registers the suite for one implementation. */
export function previewsContract(name: string, open: OpenStore): void {
  describe(`previews in ${name}`, () => {
    let store: RegisterStore;
    let dispose: () => Promise<void>;
    let feeds = 0;
    beforeAll(async () => {
      ({ store, dispose } = await open());
    });
    afterAll(() => dispose());

    it('are found by what they show, and what was bought by all that it says', async () => {
      let [previews, whole] = [0, 0];
      await fc.assert(
        fc.asyncProperty(plan, async ({ records, changed, withdrawn, bought, window, limit, filters }) => {
          const feedId = `sold-${++feeds}`;
          const prices = { currency: 'EUR', per_record: 200 };
          await store.createRegister(
            defineRegister({ id: feedId, title: 'Sold', created_at: at(0), fields: [...FIELDS], prices }),
          );
          const publish = async (says: typeof records, minute: number): Promise<void> => {
            const batch = says.map((one, index) =>
              say(String(index + 1), { ...one, published_at: `2026-01-${String(index + 1).padStart(2, '0')}` }, feedId),
            );
            await store.apply(feedId, batch, { recordedAt: at(minute) });
          };
          await publish(records, 1);
          await publish(changed.slice(0, records.length), 2);
          const ids = withdrawn.filter((key) => key <= records.length).map((key) => `${feedId}:${key}`);
          await store.withdraw(feedId, ids, { recordedAt: at(3) });

          const source = await store.source(feedId);
          const live = await walked(source, {}, 100);
          const owned = live.filter(({ position }) => bought.includes(position!));
          const seen = previewedRegister(source, ownedAs(owned), { window });
          for (const asked of filters) {
            const shown = live.map((one, index) =>
              tierFileRecord(one, 'public', index < window || owned.includes(one)),
            );
            const expected = shown.filter((one) => plainMatches(one, asked, FIELDS));
            expect([asked, await walked(seen.source, asked, limit)]).toEqual([asked, expected]);
            const all = live.filter((one) => plainMatches(one, asked, FIELDS));
            expect([asked, await walked(source, asked, limit)]).toEqual([asked, all]);
            previews += expected.length;
            whole += all.length;
          }
        }),
        { numRuns: tries(10, 1000) },
      );
      expect(previews).toBeGreaterThan(tries(10, 1000));
      expect(whole).toBeGreaterThan(previews);
    });
  });
}

function ownedAs(records: readonly RegisterRecord[]): Pick<OwnRecords, 'owned' | 'ownedWithin'> {
  return {
    owned: async (ids) => new Set(records.map(({ id }) => id).filter((id) => ids.includes(id))),
    ownedWithin: async ({ from, to, limit }) =>
      records
        .filter(({ position }) => position! <= from && position! >= to)
        .slice(0, limit)
        .map(({ id, position }) => ({ recordId: id, position: position!, key: null })),
  };
}

async function walked(source: RegisterSource, filter: Filter, limit: number): Promise<readonly RegisterRecord[]> {
  const found: RegisterRecord[] = [];
  for await (const { records } of pages(source, { filter, limit })) found.push(...records);
  return found;
}
