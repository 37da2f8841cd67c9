// What a whole file lacks is withdrawn only within a bound: more than 10 records and more than 10 % need a word.
import { describe, expect, it } from 'vitest';
import type { ImportOptions } from '../../src/import/import-options.ts';
import { importRecords } from '../../src/import/importer.ts';
import { catalogue, clockAt, entries, MAPPING, openCatalogue, recordsOf } from './catalogue.ts';

type Store = Awaited<ReturnType<typeof openCatalogue>>;

const take = (store: Store, list: readonly unknown[], run: number, options: Partial<ImportOptions> = {}) =>
  importRecords(store, 'cat', catalogue(list), { now: clockAt(run), mapping: MAPPING, ...options });

const whole = { withdrawMissing: true } as const;

/** A register with so many records. */
async function filled(records: number): Promise<Store> {
  const store = await openCatalogue();
  await take(store, entries(records), 1);
  return store;
}

/** The refusal of a file that lacks so many. */
const refusal = (absent: number, live: number) => ({
  code: 'import_stopped',
  details: expect.objectContaining({ feed_id: 'cat', absent, live }) as object,
  message: expect.stringContaining(
    `lacks ${absent.toLocaleString('en-US')} of the ${live.toLocaleString('en-US')} live records`,
  ) as string,
});

describe('an import of a whole file', () => {
  it.each([
    [1, 1],
    [10, 10],
    [10, 11],
    [11, 110],
    [11, 200],
    [100, 1000],
  ])('withdraws %i of %i, which is within the bound', async (absent, live) => {
    const store = await filled(live);
    // One that is new, so that the file is not empty.
    const list = [{ ...entries(1)[0], entryID: 'new' }, ...entries(live).slice(0, live - absent)];
    expect(await take(store, list, 2, { ...whole, order: 'newest-first' })).toMatchObject({
      ...{ added: 1, withdrawn: absent, unchanged: live - absent, refusal: null },
    });
  });

  it.each([
    [11, 11],
    [11, 12],
    [11, 109],
    [101, 1000],
    [4997, 5000],
  ])('is refused where it would withdraw %i of %i, and nothing is written', async (absent, live) => {
    const store = await filled(live);
    const [before, records] = [await store.register('cat'), await recordsOf(store)];
    const list = [
      { ...entries(1)[0], entryID: 'new' },
      ...entries(live)
        .slice(0, live - absent)
        .map((entry) => ({ ...entry, entryName: 'Changed' })),
    ];
    await expect(take(store, list, 2, { ...whole, order: 'oldest-first' })).rejects.toMatchObject(
      refusal(absent, live),
    );
    expect(await store.register('cat')).toEqual(before);
    expect(await recordsOf(store)).toEqual(records);
    const [logged] = await store.imports.list('cat', { limit: 1 });
    expect(logged).toMatchObject({ state: 'proposed', error: null, counts: { withdrawn: absent } });

    expect(
      await take(store, list, 3, { ...whole, order: 'oldest-first', accept: ['absences', 'same-field'] }),
    ).toMatchObject({
      ...{ added: 1, withdrawn: absent, changed: live - absent },
    });
  });

  it('is judged by what is live, not by what ever was, and by refused records as by those that are taken', async () => {
    const store = await filled(200);
    await take(store, entries(200).slice(100), 2, { ...whole, accept: ['absences'] });
    const refused = entries(100)
      .slice(0, 5)
      .map((entry) => ({ ...entry, dateAdded: 'never' }));
    const options = { ...whole, onRefused: () => undefined };
    // 84 of 100, and five that cannot be read: 11 are absent.
    await expect(take(store, [...refused, ...entries(100).slice(16)], 3, options)).rejects.toMatchObject(
      refusal(11, 100),
    );
    expect(await take(store, [...refused, ...entries(100).slice(15)], 4, options)).toMatchObject({ withdrawn: 10 });
  });

  it('knows one thing that can be accepted', async () => {
    const store = await openCatalogue();
    const accept = ['absence'] as never[];
    await expect(take(store, entries(1), 1, { accept })).rejects.toMatchObject({ code: 'invalid_option' });
  });
});

describe('a dry run', () => {
  it('says what the import would be refused for, and which fields would change how often', async () => {
    const store = await filled(50);
    const before = await store.register('cat');
    const list = entries(30).map((entry, index) => ({
      ...entry,
      ...(index < 3 ? { entryName: 'Renamed' } : {}),
      ...(index % 2 === 0 ? { tags: ['x'] } : {}),
    }));
    const dryRun = { ...whole, dryRun: true };
    expect(await take(store, list, 2, dryRun)).toMatchObject({
      ...{ added: 0, changed: 16, unchanged: 14, withdrawn: 20 },
      report: {
        fields: [
          { field: 'data.tags', changed: 15 },
          { field: 'title', changed: 3 },
        ],
      },
      refusal: refusal(20, 50),
    });
    expect(await take(store, list, 2, { ...dryRun, accept: ['absences'] })).toMatchObject({
      withdrawn: 20,
      refusal: null,
    });
    expect(await store.register('cat')).toEqual(before);
  });
});
