// What was set by hand outlives imports: the same file says nothing new, another one stops until its caller says who is right.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ImportOptions } from '../../src/import/import-options.ts';
import { importRecords } from '../../src/import/importer.ts';
import { WorkByHand } from '../../src/operate/registers/hand.ts';
import { Imports } from '../../src/operate/registers/imports.ts';
import { Records } from '../../src/operate/records.ts';
import { catalogue, clockAt, entries, MAPPING, openCatalogue } from './catalogue.ts';

type Store = Awaited<ReturnType<typeof openCatalogue>>;

const ID = 'cat:E-3';
const WHO = { who: 'ada' } as const;
const WHOLE = { withdrawMissing: true } as const;

/** A file of three entries, the first with this name; null: it lacks that. */
const file = (name: string | null): readonly unknown[] => {
  const [first, ...others] = entries(3);
  return name === null ? others : [{ ...first, entryName: name }, ...others];
};

const take = (store: Store, name: string | null, options: Partial<ImportOptions> = {}) =>
  importRecords(store, 'cat', catalogue(file(name)), { now: clockAt(2), mapping: MAPPING, ...options });

const titleIn = async (store: Store): Promise<string | null> => {
  const { state, record } = (await store.record(ID))!;
  return state === 'live' ? record!.title : null;
};

/** A register whose file said A, and then this was done by hand. */
async function after(act: (hand: WorkByHand, store: Store) => Promise<unknown>): Promise<Store> {
  const store = await openCatalogue();
  await take(store, 'A', { now: clockAt(1) });
  await act(new WorkByHand(store, { now: clockAt(1) }), store);
  return store;
}

const correct = (to: string) => (hand: WorkByHand) => hand.correct(ID, new Map([['title', to]]), WHO);
const stopped = { code: 'import_stopped', details: expect.objectContaining({ findings: 'kept-by-hand' }) as object };

describe('a record that was corrected by hand', () => {
  it('stays so when the same file comes again', async () => {
    const store = await after(correct('B'));
    expect(await take(store, 'A')).toMatchObject({ changed: 0, unchanged: 3, keptByHand: 1, refusal: null });
    expect(await titleIn(store)).toBe('B');
  });

  it('is what the source says when that says the same', async () => {
    const store = await after(correct('B'));
    expect(await take(store, 'B')).toMatchObject({ changed: 0, unchanged: 3, keptByHand: 0 });
  });

  it('stops a file that says something third, which is kept as a proposal to take it', async () => {
    const store = await after(correct('B'));
    await expect(take(store, 'C')).rejects.toMatchObject(stopped);
    expect(await titleIn(store)).toBe('B');
    const { number } = (await new Imports(store).list('cat'))[0]!;
    const { report } = await new Imports(store).proposal('cat', number);
    expect(report.findings).toMatchObject([{ code: 'kept-by-hand', stops: true, records: [ID] }]);
    await new Imports(store).approve('cat', number, WHO);
    expect(await titleIn(store)).toBe('C');
  });

  it('is not asked about again once the hand was said to be right', async () => {
    const store = await after(correct('B'));
    const kept = { accept: ['kept-by-hand'] } as const;
    expect(await take(store, 'C', kept)).toMatchObject({ changed: 0, unchanged: 3, keptByHand: 1 });
    for (const name of ['C', 'A', 'C']) expect(await take(store, name)).toMatchObject({ keptByHand: 1, changed: 0 });
    expect(await titleIn(store)).toBe('B');
    await expect(take(store, 'D')).rejects.toMatchObject(stopped);
  });

  it('is not asked about again once a proposal that keeps it was approved', async () => {
    const store = await after(correct('B'));
    const { number } = await take(store, 'C', { accept: ['kept-by-hand'], propose: true });
    await expect(take(store, 'C')).rejects.toMatchObject(stopped);
    await new Imports(store).approve('cat', number!, WHO);
    expect(await take(store, 'C')).toMatchObject({ keptByHand: 1, changed: 0 });
  });

  it('is not asked about again once the proposal was approved so that it stays, and the rest of the file is taken in', async () => {
    const store = await after(correct('B'));
    const [first, second, third] = file('C') as readonly Readonly<Record<string, unknown>>[];
    const next = (): ReturnType<typeof catalogue> =>
      catalogue([first, { ...second, entryName: 'Other' }, third, ...entries(4).slice(0, 1)]);
    const how = { now: clockAt(2), mapping: MAPPING };
    await expect(importRecords(store, 'cat', next(), how)).rejects.toMatchObject(stopped);
    const imports = new Imports(store);
    const { number } = (await imports.list('cat'))[0]!;
    const { report, digest } = await imports.proposal('cat', number);
    expect(report.by_hand).toEqual([
      { record_id: ID, becomes: 'changed', fields: [{ field: 'title', before: 'B', after: 'C' }] },
    ]);
    const counts = await imports.approve('cat', number, { ...WHO, digest, keepsHand: true });
    expect(counts).toMatchObject({ added: 1, changed: 1, unchanged: 2 });
    expect(await titleIn(store)).toBe('B');
    expect(await importRecords(store, 'cat', next(), how)).toMatchObject({ keptByHand: 1, changed: 0, unchanged: 4 });
    await expect(take(store, 'D')).rejects.toMatchObject(stopped);
  });

  it('is the source’s again once that was said to be right, and what was answered before is over', async () => {
    const store = await after(correct('B'));
    expect(await take(store, 'C', { accept: ['take-source'] })).toMatchObject({ changed: 1, refusal: null });
    expect(await take(store, 'A')).toMatchObject({ changed: 1 });
    await take(store, 'C');
    await correct('D')(new WorkByHand(store));
    await expect(take(store, 'A')).rejects.toMatchObject(stopped);
    expect(await take(store, 'C')).toMatchObject({ keptByHand: 1 });
  });

  it('may be corrected again: the source has not changed by that', async () => {
    const store = await after(correct('B'));
    await correct('B2')(new WorkByHand(store));
    expect(await take(store, 'A')).toMatchObject({ keptByHand: 1, changed: 0 });
    expect(await titleIn(store)).toBe('B2');
    await correct('A')(new WorkByHand(store));
    // Nothing of a hand is left that a file could take back.
    expect(await take(store, 'C')).toMatchObject({ changed: 1 });
  });

  it('is free when the correction is taken back', async () => {
    const store = await after(correct('B'));
    await new Imports(store).undo('cat', 2, WHO);
    expect(await titleIn(store)).toBe('A');
    expect(await take(store, 'C')).toMatchObject({ changed: 1, keptByHand: 0 });
  });

  it('is not withdrawn unasked by a file that lacks it', async () => {
    const store = await after(correct('B'));
    await expect(take(store, null, WHOLE)).rejects.toMatchObject(stopped);
    expect(await take(store, null, { ...WHOLE, accept: ['kept-by-hand'] })).toMatchObject({ withdrawn: 0 });
    expect(await take(store, null, WHOLE)).toMatchObject({ withdrawn: 0, keptByHand: 1 });
    expect(await titleIn(store)).toBe('B');
  });

  it('forgets nothing of a column that is not taken in, and stays although it has had one', async () => {
    const store = await openCatalogue();
    const seen = (at: string) => catalogue(file('A').map((entry) => ({ ...(entry as object), seen: at })));
    const how = { now: clockAt(2), mapping: MAPPING };
    await importRecords(store, 'cat', seen('1'), how);
    await importRecords(store, 'cat', seen('2'), { ...how, ignore: ['seen'] });
    await correct('B')(new WorkByHand(store));
    expect(await importRecords(store, 'cat', seen('3'), how)).toMatchObject({ keptByHand: 1, changed: 0 });
  });

  it('says so in a dry run', async () => {
    const store = await after(correct('B'));
    expect(await take(store, 'A', { dryRun: true })).toMatchObject({ keptByHand: 1, refusal: null });
    expect((await take(store, 'C', { dryRun: true })).refusal).toMatchObject(stopped);
  });
});

describe('what was set by hand before an import that was taken back', () => {
  /** Takes in a file that puts the record otherwise, and takes that back. */
  async function undone(store: Store, name: string | null): Promise<Store> {
    const { number } = await take(store, name, { ...WHOLE, accept: ['take-source'] });
    await new Imports(store).undo('cat', number!, WHO);
    return store;
  }

  it('stays so when the same file comes again, a correction as a withdrawal', async () => {
    const corrected = await undone(await after(correct('B')), 'C');
    expect(await take(corrected, 'A')).toMatchObject({ changed: 0, keptByHand: 1, refusal: null });
    expect(await titleIn(corrected)).toBe('B');
    await expect(take(corrected, 'C')).rejects.toMatchObject(stopped);
    const gone = await undone(await after((hand) => hand.withdraw(ID, WHO)), 'C');
    expect(await take(gone, 'A')).toMatchObject({ restored: 0, keptByHand: 1, refusal: null });
  });

  it('is what it was before, however often it was taken back', async () => {
    const store = await undone(await undone(await after(correct('B')), 'C'), null);
    await take(store, 'D', { accept: ['kept-by-hand'] });
    await undone(store, 'C');
    for (const name of ['A', 'D']) expect(await take(store, name)).toMatchObject({ changed: 0, keptByHand: 1 });
    // The undo of the undo: the file has its way again, and what was answered before is over.
    await undone(store, 'C');
    const { number } = (await new Imports(store).list('cat'))[0]!;
    await new Imports(store).undo('cat', number, WHO);
    expect(await titleIn(store)).toBe('C');
    await expect(take(store, 'A')).rejects.toMatchObject(stopped);
  });

  it('may be set by hand again: what the source says is what it said before the import', async () => {
    const store = await openCatalogue();
    await take(store, 'A', { now: clockAt(1) });
    await undone(store, 'C');
    await correct('B')(new WorkByHand(store));
    expect(await take(store, 'A')).toMatchObject({ changed: 0, keptByHand: 1, refusal: null });
    await expect(take(store, 'C')).rejects.toMatchObject(stopped);
  });
});

describe('a record that was withdrawn by hand', () => {
  it('stays withdrawn until the source says something else', async () => {
    const store = await after((hand) => hand.withdraw(ID, WHO));
    expect(await take(store, 'A')).toMatchObject({ restored: 0, keptByHand: 1 });
    expect(await take(store, null, WHOLE)).toMatchObject({ restored: 0, withdrawn: 0 });
    await expect(take(store, 'C')).rejects.toMatchObject(stopped);
    expect(await take(store, 'C', { accept: ['take-source'] })).toMatchObject({ restored: 1 });
  });
});

describe('a record that was restored by hand', () => {
  const restored = (): Promise<Store> =>
    after(async (hand, store) => {
      await take(store, null, WHOLE);
      await hand.restore(ID, WHO);
    });

  it('stays although the file still lacks it, and stops a file that says something else of it', async () => {
    const store = await restored();
    expect(await take(store, null, WHOLE)).toMatchObject({ withdrawn: 0, keptByHand: 1, refusal: null });
    expect(await take(store, 'A')).toMatchObject({ unchanged: 3, keptByHand: 0 });
    await expect(take(store, 'C')).rejects.toMatchObject(stopped);
  });
});

describe('an import that was taken back', () => {
  it('is not done again by the same file unless somebody says that it is meant', async () => {
    const store = await after(async (_, store) => {
      await take(store, 'B');
      await new Imports(store).undo('cat', 2, WHO);
    });
    await expect(take(store, 'B')).rejects.toMatchObject(stopped);
    expect(await take(store, 'B', { accept: ['kept-by-hand'] })).toMatchObject({ keptByHand: 1 });
    expect(await take(store, 'B')).toMatchObject({ keptByHand: 1, changed: 0 });
    expect(await take(store, 'A')).toMatchObject({ unchanged: 3, keptByHand: 0 });
  });
});

it('erases what it remembers of a record that is erased', async () => {
  const store = await after(correct('B'));
  await new Records(store).erase(ID);
  await new Records(store).lift(ID);
  expect(await take(store, 'A')).toMatchObject({ restored: 1, keptByHand: 0 });
});

it('refuses that both are right', async () => {
  const store = await after(correct('B'));
  const accept = ['kept-by-hand', 'take-source'] as const;
  await expect(take(store, 'C', { accept })).rejects.toMatchObject({ code: 'invalid_option' });
});

it('keeps any correction through any files that say what was answered, and asks about any other', async () => {
  const name = fc.constantFrom('A', 'B', 'C', 'D', null);
  const step = fc.oneof(
    fc.record({ kind: fc.constant('hand' as const), to: fc.constantFrom('A', 'B', 'C', 'D') }),
    fc.record({ kind: fc.constant('file' as const), to: name, keeps: fc.boolean(), approves: fc.boolean() }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const store = await openCatalogue();
      await take(store, 'A', { now: clockAt(1) });
      const answered = new Set<string | null>(['A']);
      let now: string | null = 'A';
      for (const { to, ...how } of steps) {
        if (how.kind === 'hand') {
          if (now === null || now === to) continue;
          await correct(to!)(new WorkByHand(store));
        } else if (to === now || answered.has(to)) {
          const isOfHand = !answered.has(now);
          const expected = to === now || !isOfHand ? 0 : 1;
          expect(await take(store, to, WHOLE)).toMatchObject({ keptByHand: expected });
          if (isOfHand || to === now) continue;
        } else if (!answered.has(now)) {
          await expect(take(store, to, WHOLE)).rejects.toMatchObject(stopped);
          const accept = how.keeps ? ('kept-by-hand' as const) : ('take-source' as const);
          if (how.approves) {
            const imports = new Imports(store);
            await imports.approve('cat', (await imports.list('cat'))[0]!.number, { ...WHO, keepsHand: how.keeps });
          } else await take(store, to, { ...WHOLE, accept: [accept] });
          answered.add(to);
          if (how.keeps) continue;
        } else await take(store, to, WHOLE);
        now = to;
        if (how.kind === 'file') {
          answered.clear();
          answered.add(to);
        }
      }
      expect(await titleIn(store)).toBe(now);
      await store.close();
    }),
    { numRuns: 60 },
  );
});
