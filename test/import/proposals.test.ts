// What a proposal says is what approving does, count for count and field for field: for any register and any file. A register
// that changed meanwhile never gets another result than the one that was read.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { ImportOptions, ImportResult } from '../../src/import/import-options.ts';
import { importRecords } from '../../src/import/importer.ts';
import { jsonReader } from '../../src/import/readers/json.ts';
import { Imports } from '../../src/operate/registers/imports.ts';
import { defineRegister } from '../../src/register/definition.ts';
import type { RecordVersion } from '../../src/register/record.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { tried, tries } from '../effort.ts';
import { source } from './sources.ts';

/** A record of a file. */
interface Row {
  readonly id: string;
  readonly title: string;
  readonly [name: string]: unknown;
}

const ROW = fc.record(
  {
    id: fc.integer({ min: 1, max: 12 }).map((n) => `k${n}`),
    title: fc.constantFrom('A', 'B', 'ß\u0001', ''),
    summary: fc.constantFrom('x', null),
    amount: fc.constantFrom(1, 10, -5, 0.1, null),
    code: fc.constantFrom('12345678901234567890', '7'),
    more: fc.constantFrom([1, 2], { a: null }, 'text'),
  },
  { requiredKeys: ['id', 'title'] },
) as fc.Arbitrary<Row>;

/** A file; two records of one id are refused, all but the first. */
const FILE = fc.array(ROW, { minLength: 0, maxLength: 15 });

const HOW = fc.record(
  {
    withdrawMissing: fc.boolean(),
    cause: fc.constantFrom('source_change' as const, 'extraction_correction' as const),
    ignore: fc.constantFrom(['amount'], []),
    order: fc.constantFrom('oldest-first' as const, 'newest-first' as const, 'by-date' as const),
  },
  { requiredKeys: ['withdrawMissing', 'cause', 'order'] },
);

const ACCEPT = ['absences', 'same-field', 'renumbered'] as const;

async function open(path = ':memory:'): Promise<SqliteStore> {
  const store = SqliteStore.open(path);
  const fields = [
    { name: 'amount', type: 'number' as const },
    { name: 'code', type: 'text' as const },
  ];
  const uuid = '2ed6657d-e927-568b-95e1-2665a8aea6a2';
  await store.createRegister(defineRegister({ id: 'r', title: 'R', created_at: '2026-01-01T00:00:00Z', uuid, fields }));
  return store;
}

function take(
  store: SqliteStore,
  rows: readonly Row[],
  run: number,
  how: Partial<ImportOptions>,
): Promise<ImportResult> {
  const records = rows.map((row) => ({ source_url: 'https://example.org/', amount: null, ...row }));
  return importRecords(store, 'r', jsonReader(source(JSON.stringify(records), 1000, 'rows.json')), {
    ...{ now: () => Date.UTC(2026, 4, 1, run), accept: ACCEPT, onRefused: () => undefined },
    ...how,
  });
}

/** An empty file would withdraw everything, and is refused. */
const isRefused = async (store: SqliteStore, rows: readonly Row[], { withdrawMissing }: { withdrawMissing: boolean }) =>
  withdrawMissing && !rows.some(({ title }) => title !== '') && (await store.register('r'))!.total > 0;

async function versionsAfter(store: SqliteStore, since: number): Promise<readonly RecordVersion[]> {
  return (await store.changes('r', { since, limit: 100, withStatement: true })).versions;
}

/** What readers see of a version, without what is random. */
const seen = (versions: readonly RecordVersion[]) =>
  versions.map(({ record_id, version, cause, changed, statement, recorded_at }) => {
    return { record_id, version, cause, changed, statement, recorded_at };
  });

/** How many of the versions are of each count, and how many change each field. */
function tally(versions: readonly RecordVersion[]): object {
  const of = (...causes: string[]) => versions.filter(({ cause }) => causes.includes(cause));
  const changed = of('source_change', 'extraction_correction');
  const fields = Map.groupBy(
    changed.flatMap((version) => version.changed),
    (name) => name,
  );
  return {
    counts: {
      ...{ added: of('first_observed').length, changed: changed.length },
      ...{ restored: of('restored').length, withdrawn: of('withdrawn').length },
    },
    fields: Object.fromEntries([...fields].map(([name, { length }]) => [name, length])),
  };
}

test('a proposal says what approving does, and that is what an import at once does', async () => {
  await fc.assert(
    fc.asyncProperty(FILE, FILE, FILE, HOW, HOW, async (first, second, third, before, how) => {
      const [store, other] = [await open(), await open()];
      for (const [run, rows] of [first, second].entries()) {
        if (await isRefused(store, rows, before)) continue;
        for (const each of [store, other]) await take(each, rows, run, before);
      }
      fc.pre(!(await isRefused(store, third, how)));
      const { change } = (await store.register('r'))!;
      const all = await versionsAfter(store, 0);
      const { number, isProposal, report } = await take(store, third, 2, { ...how, propose: true });
      expect(isProposal).toBe(true);
      expect(await versionsAfter(store, 0)).toEqual(all);
      await new Imports(store, { now: () => Date.UTC(2026, 4, 1, 3) }).approve('r', number!, { who: null });
      await take(other, third, 3, how);
      const [done, atOnce] = [await versionsAfter(store, change), await versionsAfter(other, change)];
      expect(seen(done)).toEqual(seen(atOnce));
      const { counts, fields } = report;
      expect({
        counts: Object.fromEntries(
          (['added', 'changed', 'restored', 'withdrawn'] as const).map((name) => [name, counts[name]]),
        ),
        fields: Object.fromEntries(fields.map(({ field, changed }) => [field, changed])),
      }).toEqual(tally(done));
      await store.close();
      await other.close();
      tried(1);
    }),
    { numRuns: tries(40, 2000) },
  );
});

test('a register that changed meanwhile gets what was read, or nothing', async () => {
  let [done, refused] = [0, 0];
  await fc.assert(
    fc.asyncProperty(FILE, FILE, FILE, HOW, HOW, async (first, proposed, meanwhile, before, how) => {
      const store = await open();
      await take(store, first, 0, { ...before, withdrawMissing: false });
      fc.pre(!(await isRefused(store, proposed, how)) && !(await isRefused(store, meanwhile, before)));
      const { number, report } = await take(store, proposed, 1, { ...how, propose: true });
      await take(store, meanwhile.slice(0, 2), 2, { ...before, withdrawMissing: false });
      const { change } = (await store.register('r'))!;
      const outcome = await new Imports(store).approve('r', number!, { who: null }).catch((error: unknown) => error);
      const after = await versionsAfter(store, change);
      if (outcome instanceof Error) {
        expect(outcome).toMatchObject({ code: 'proposal_outdated' });
        expect(after).toEqual([]);
        refused++;
      } else {
        expect(tally(after)).toMatchObject({
          counts: { added: report.counts.added, changed: report.counts.changed, withdrawn: report.counts.withdrawn },
          fields: Object.fromEntries(report.fields.map(({ field, changed }) => [field, changed])),
        });
        done++;
      }
      await store.close();
      tried(1);
    }),
    { numRuns: tries(60, 2000) },
  );
  expect(done * refused).toBeGreaterThan(0);
});

test('a backup has nothing of what is only proposed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [path, copy] = [join(folder, 'store.db'), join(folder, 'copy.db')];
  const store = await open(path);
  await take(store, [{ id: 'a', title: 'taken-in' }], 0, {});
  const { number } = await take(store, [{ id: 'b', title: 'only-proposed' }], 1, { propose: true });
  await store.backup(copy);
  expect((await store.imports.find('r', number!)).state).toBe('proposed');
  await store.close();
  const words = async (file: string) => {
    const bytes = (await readFile(file)).toString('latin1');
    return ['taken-in', 'only-proposed'].filter((word) => bytes.includes(word));
  };
  expect(await words(path)).toEqual(['taken-in', 'only-proposed']);
  expect(await words(copy)).toEqual(['taken-in']);
  const other = SqliteStore.open(copy);
  expect((await other.imports.find('r', number!)).state).toBe('discarded');
  expect((await other.inspection.damage()).findings).toEqual([]);
  await other.close();
});

test('the same file proposed again leaves one proposal, until the register or the file is another', async () => {
  const store = await open();
  onTestFinished(() => store.close());
  const title = 'A';
  await take(store, [{ id: 'k1', title }], 0, { order: 'oldest-first' });
  const propose = async (rows: readonly Row[], run: number): Promise<number | null> =>
    (await take(store, rows, run, { propose: true })).number;
  const rows = [{ id: 'k1', title: 'B' }];
  expect(await propose(rows, 1)).toBe(2);
  expect(await propose(rows, 2)).toBe(2);
  expect(await propose([...rows, { id: 'k2', title }], 3)).not.toBe(2);
  const imports = new Imports(store);
  const states = async () => (await imports.list('r')).map(({ number, state }) => [number, state]);
  expect((await states()).filter(([, state]) => state === 'proposed')).toHaveLength(2);
  expect(await states()).toHaveLength(3);
  await imports.discard('r', 2, { who: null });
  const again = await propose(rows, 4);
  expect(again).not.toBe(2);
  await imports.approve('r', again!, { who: null });
  expect((await versionsAfter(store, 1)).map(({ statement }) => statement?.title)).toEqual(['B']);
});
