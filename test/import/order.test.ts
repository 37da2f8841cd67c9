// Which end of a file an import takes for the newest: what the caller says, what the register has kept, what nearly all
// dates show; a file whose dates run both ways is refused.
import { describe, expect, it } from 'vitest';
import { Random } from '../../fixtures/random.ts';
import type { ImportOptions } from '../../src/import/import-options.ts';
import { importRecords } from '../../src/import/importer.ts';
import type { Order } from '../../src/register/sources/order.ts';
import { BATCH_SIZE } from '../../src/stores/contract/registers.ts';
import { clockAt, catalogue, entries, type Entry, MAPPING, openCatalogue, recordsOf } from './catalogue.ts';

type Store = Awaited<ReturnType<typeof openCatalogue>>;

const take = (store: Store, list: readonly unknown[], options: Partial<ImportOptions> = {}) =>
  importRecords(store, 'cat', catalogue(list), { now: clockAt(1), mapping: MAPPING, ...options });

/** The keys of all records, newest first. */
const keysOf = async (store: Store): Promise<string> =>
  (await recordsOf(store)).map(({ id }) => id.slice('cat:E-'.length)).join(' ');

const idsAfter = async (list: readonly Entry[], options: Partial<ImportOptions> = {}, kept?: Order) => {
  const store = await openCatalogue(kept);
  const result = await take(store, list, options);
  const { order } = (await store.register('cat'))!;
  return { ids: await keysOf(store), from: result.orderFrom, ofDates: result.orderOfDates, kept: order };
};

/** Entries 1 … n with these dates. */
const dated = (...dates: readonly (string | null)[]): Entry[] =>
  dates.map((date, index) => ({
    entryID: `E-${index + 1}`,
    entryName: 'Entry',
    ...(date === null ? {} : { dateAdded: date }),
  })) as Entry[];

/** 500 entries with dates at random. */
const chance = (seed: number): Entry[] => {
  const random = new Random(seed);
  return dated(
    ...Array.from({ length: 500 }, () =>
      new Date(Date.UTC(2020, 0, 1 + random.integer(0, 2000))).toISOString().slice(0, 10),
    ),
  );
};

describe('the order of an import', () => {
  const rising = entries(3).reverse();
  const same = entries(3).map((entry) => ({ ...entry, dateAdded: '2025-01-01' }));
  const bothWays = dated('2026-01-02', '2026-01-03', '2026-01-01');

  it('is found from the dates and kept', async () => {
    const found = { ids: '3 2 1', from: 'dates' };
    expect(await idsAfter(entries(3))).toEqual({ ...found, ofDates: 'newest-first', kept: 'newest-first' });
    expect(await idsAfter(rising)).toEqual({ ...found, ofDates: 'oldest-first', kept: 'oldest-first' });
  });

  it('is what the caller says, before all else', async () => {
    expect(await idsAfter(entries(3), { order: 'oldest-first' }, 'newest-first')).toEqual({
      ids: '1 2 3',
      from: 'option',
      ofDates: 'newest-first',
      kept: 'oldest-first',
    });
  });

  it('is what the register has kept, whatever the dates say', async () => {
    const kept = { from: 'register', kept: 'newest-first' };
    expect(await idsAfter(rising, {}, 'newest-first')).toEqual({ ...kept, ids: '1 2 3', ofDates: 'oldest-first' });
    expect(await idsAfter(bothWays, {}, 'newest-first')).toEqual({ ...kept, ids: '1 2 3', ofDates: null });
  });

  it('is oldest first, and not kept, where no dates show it', async () => {
    expect(await idsAfter(same)).toEqual({ ids: '1 2 3', from: 'nothing', ofDates: null, kept: null });
  });

  it.each([1, 2, 3, 4])(
    'is not found in 500 dates at random: the file is refused, with the ways out (%i)',
    async (seed) => {
      const store = await openCatalogue();
      await expect(take(store, chance(seed))).rejects.toMatchObject({
        code: 'invalid_option',
        message: expect.stringMatching(
          /^catalogue\.json: the dates run both ways \(from one record to the next they rise \d+ and fall \d+ times\), .*--order newest-first, --order oldest-first, or --order by-date/,
        ) as string,
      });
      expect(await store.register('cat')).toMatchObject({ top: 0, order: null, definition: { fields: [] } });
      expect(await take(store, chance(seed), { order: 'by-date' })).toMatchObject({ added: 500, orderFrom: 'option' });
      const dates = (await recordsOf(store)).map(({ published_at }) => published_at!);
      expect(dates).toEqual(dates.toSorted().reverse());
    },
  );

  it('is refused on a dry run as well', async () => {
    await expect(take(await openCatalogue(), bothWays, { dryRun: true })).rejects.toMatchObject({
      code: 'invalid_option',
    });
  });
});

describe('an import by date', () => {
  it('takes records without a date first, keeps the order of equal dates, and tells moments apart', async () => {
    const list = dated(
      '2026-01-02',
      null,
      '2026-01-01T23:00:00.0000002Z',
      '2026-01-02T00:00:00.0000001+01:00',
      '2026-01-01',
      null,
      '2026-01-02T00:00:00Z',
    );
    expect(await idsAfter(list, { order: 'by-date' })).toEqual({
      ids: '7 1 3 4 5 6 2',
      from: 'option',
      ofDates: null,
      kept: 'by-date',
    });
  });

  it('is what later imports do', async () => {
    expect(await idsAfter(dated('2026-01-02', '2026-01-03', '2026-01-01'), {}, 'by-date')).toEqual({
      ids: '2 1 3',
      from: 'register',
      ofDates: null,
      kept: 'by-date',
    });
  });

  it('drops records that are refused, and goes in whole batches', async () => {
    const store = await openCatalogue();
    const list = [...chance(5), ...chance(6).map((entry) => ({ ...entry, entryID: `F-${entry.entryID}` }))];
    const sizes: number[] = [];
    const result = await take(store, [...list, list[0], { entryID: 'x' }], {
      order: 'by-date',
      onRefused: () => undefined,
      onProgress: ({ phase, records }) => {
        if (phase === 'committing') sizes.push(records);
      },
    });
    expect(result).toMatchObject({ added: 1000, refused: 2 });
    expect(sizes.slice(0, -1).every((size) => size % BATCH_SIZE === 0)).toBe(true);
    const dates = (await recordsOf(store)).map(({ published_at }) => published_at!);
    expect(dates).toEqual(dates.toSorted().reverse());
  });
});
