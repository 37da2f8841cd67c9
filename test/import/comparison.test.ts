// What an import asks of the store and sends to it: every record is compared before anything is written, and only what is
// new, changed or back is applied.
import { describe, expect, it } from 'vitest';
import type { ImportOptions, ImportProgress, ImportResult } from '../../src/import/import-options.ts';
import { importRecords } from '../../src/import/importer.ts';
import { defineRegister } from '../../src/register/definition.ts';
import { BATCH_SIZE } from '../../src/stores/contract/registers.ts';
import { DelegatingStore } from '../contracts/delegating-store.ts';
import { at, catalogue, clockAt, entries, MAPPING, recordsOf } from './catalogue.ts';

/** Notes what it is asked. */
class NotingStore extends DelegatingStore {
  readonly calls: string[] = [];

  override compare(...given: Parameters<DelegatingStore['compare']>): ReturnType<DelegatingStore['compare']> {
    this.calls.push(`compare ${given[1].length}`);
    return super.compare(...given);
  }

  override apply(...given: Parameters<DelegatingStore['apply']>): ReturnType<DelegatingStore['apply']> {
    this.calls.push(`apply ${given[1].map(({ id }) => id.slice('cat:'.length)).join(' ')}`);
    return super.apply(...given);
  }
}

async function openCatalogue(): Promise<NotingStore> {
  const store = new NotingStore();
  await store.createRegister(defineRegister({ id: 'cat', title: 'Catalogue', created_at: '2026-01-01T00:00:00Z' }));
  return store;
}

async function take(
  store: NotingStore,
  list: readonly unknown[],
  run: number,
  options: Partial<ImportOptions> = {},
): Promise<ImportResult> {
  store.calls.length = 0;
  return importRecords(store, 'cat', catalogue(list), { now: clockAt(run), mapping: MAPPING, ...options });
}

describe('an import', () => {
  it('into an empty register asks nothing, and sends all', async () => {
    const store = await openCatalogue();
    await take(store, entries(3), 1);
    expect(store.calls).toEqual(['apply E-1 E-2 E-3']);
  });

  it('of the same file again sends nothing', async () => {
    const store = await openCatalogue();
    await take(store, entries(BATCH_SIZE + 5), 1);
    expect(await take(store, entries(BATCH_SIZE + 5), 2)).toMatchObject({ added: 0, unchanged: BATCH_SIZE + 5 });
    expect(store.calls).toEqual([`compare ${BATCH_SIZE}`, 'compare 5']);
  });

  it('has asked for all records before it sends the first, and sends what is new, changed or back, oldest first', async () => {
    const store = await openCatalogue();
    const count = BATCH_SIZE + 300;
    await take(store, entries(count), 1);
    await store.withdraw('cat', ['cat:E-7'], { recordedAt: at(2) });
    await store.redact('cat:E-9', { recordedAt: at(2) });
    const changed = ['E-2', `E-${count - 1}`];
    const list = entries(count + 2).map((entry) =>
      changed.includes(entry.entryID) ? { ...entry, entryName: 'New' } : entry,
    );
    const progress: ImportProgress[] = [];
    const result = await take(store, list, 3, { onProgress: (state) => progress.push(state) });
    const counts = { added: 2, changed: 2, restored: 1, redacted: 1, unchanged: count - 4, withdrawn: 0 };
    expect(result).toMatchObject(counts);
    expect(store.calls).toEqual([
      `compare ${BATCH_SIZE}`,
      'compare 302',
      `apply E-2 E-7 E-${count - 1} E-${count + 1} E-${count + 2}`,
    ]);
    expect(progress.slice(-2)).toEqual([
      { phase: 'comparing', records: count + 2, of: count + 2 },
      { phase: 'committing', records: 5, of: 5 },
    ]);
    expect((await recordsOf(store)).slice(0, 2).map(({ id }) => id)).toEqual([
      `cat:E-${count + 2}`,
      `cat:E-${count + 1}`,
    ]);
    expect((await store.imports.list('cat', { limit: 1 }))[0]?.counts).toEqual({ ...counts, refused: 0 });
  });

  it('sends what is new in the order of its dates', async () => {
    const store = await openCatalogue();
    await take(store, entries(3), 1);
    const [six, five, four, ...rest] = entries(6);
    await take(store, [five, ...rest, six, five, four], 2, { order: 'by-date', onRefused: () => undefined });
    expect(store.calls).toEqual(['compare 6', 'apply E-4 E-5 E-6']);
  });

  it('that is only tried says the same, sends nothing, and names the fields that would change', async () => {
    const store = await openCatalogue();
    await take(store, entries(4), 1);
    const list = entries(5).map((entry) => ({ ...entry, entryName: 'New' }));
    const tried = await take(store, list, 2, { dryRun: true });
    expect(store.calls).toEqual(['compare 5']);
    expect(tried.report.fields).toMatchObject([{ field: 'title', changed: 4 }]);
    expect(await take(store, list, 2)).toEqual({ ...tried, number: 2 });
  });

  it('takes what the store says of a record that another has written meanwhile', async () => {
    const store = await openCatalogue();
    await take(store, entries(3), 1);
    const list = entries(5).map((entry) => ({ ...entry, entryName: 'New' }));
    const meanwhile = (state: ImportProgress): void => {
      if (state.phase === 'comparing') void store.redact('cat:E-2', { recordedAt: at(2) });
    };
    const result = await take(store, list, 2, { onProgress: meanwhile });
    expect(result).toMatchObject({ added: 2, changed: 2, redacted: 1, unchanged: 0 });
  });
});
