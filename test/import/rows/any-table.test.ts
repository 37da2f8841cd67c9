// Any table gets in: what `gazette init --yes` finds out about it publishes every row, or names the row and why.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { guessImport } from '../../../src/import/guess/guess-import.ts';
import type { ImportOptions, ImportResult } from '../../../src/import/import-options.ts';
import { importRecords } from '../../../src/import/importer.ts';
import { parseMapping } from '../../../src/import/mapping/mapping.ts';
import { csvReader } from '../../../src/import/readers/csv.ts';
import type { RecordReader } from '../../../src/import/readers/raw-record.ts';
import { defineRegister } from '../../../src/register/definition.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { tries } from '../../effort.ts';
import { readAll, source } from '../sources.ts';

interface Table {
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Few values, so that rows and cells are often equal, or any text. */
const cell = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('', 'A', 'B', '1', '2', '1.5', '1,709', '2026-01-01', '01.02.2026 10:00', ' '),
  },
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 5 }).filter((text) => text.isWellFormed() && !text.includes('\0')),
  fc.constant('م'.repeat(60)),
);
const name = fc.oneof(
  fc.constantFrom(
    'id',
    'key',
    'title',
    'name',
    'code',
    'day',
    'version',
    'source_url',
    'published_at',
    'Nr.',
    'a|b',
    '{x}',
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((text) => text.trim() !== ''),
);
const table: fc.Arbitrary<Table> = fc
  .uniqueArray(name, { minLength: 2, maxLength: 5, selector: (text) => text.trim().normalize() })
  .chain((names) =>
    fc.record({
      names: fc.constant(names),
      rows: fc.array(fc.array(cell, { minLength: names.length, maxLength: names.length }), {
        minLength: 1,
        maxLength: 12,
      }),
    }),
  );

const line = (cells: readonly string[]): string =>
  `${cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(',')}\r\n`;
const readerOf = ({ names, rows }: Table): RecordReader =>
  csvReader(source([names, ...rows].map(line).join(''), undefined, 'table.csv'), {
    ...{ delimiter: ',', encoding: 'utf-8', headerRow: 1, keepsFaults: true },
  });

const hasTotal = async (one: Table): Promise<boolean> =>
  (await readAll(readerOf(one))).some(({ fault }) => fault?.message.includes('is a total') === true);

it('publishes or names every row of any table, and changes nothing where the same comes in another order', async () => {
  await fc.assert(
    fc.asyncProperty(table, fc.boolean(), async (given, isOfRow) => {
      const store = SqliteStore.open(':memory:');
      await store.createRegister(defineRegister({ id: 'rows', title: 'Rows', created_at: '2026-01-01T00:00:00Z' }));
      const known = isOfRow ? ({ key: 'row' } as const) : {};
      const guess = await guessImport(() => readerOf(given), { feedId: 'rows', ...known });
      const refused: string[] = [];
      const take = (from: Table): Promise<ImportResult> => {
        const options: ImportOptions = {
          mapping: parseMapping(guess.map),
          ...{ order: guess.order, decimalComma: guess.decimalComma },
          ...(guess.dateFormat === null ? {} : { dateFormat: guess.dateFormat }),
          ...(guess.key === null ? {} : { key: guess.key, withdrawMissing: true }),
          onRefused: ({ where }) => {
            refused.push(where);
          },
        };
        return importRecords(store, 'rows', readerOf(from), options);
      };
      const count = (await readAll(readerOf(given))).length;
      const first = await take(given);
      expect(first.added + first.refused).toBe(count);
      expect(refused.length).toBe(first.refused);
      // What is refused is what the guess had said.
      expect(first.refused).toBe(guess.refused);
      const { change } = (await store.register('rows'))!;
      const order = [...given.names.keys()].reverse();
      const turned = (row: readonly string[]): string[] => order.map((at) => row[at]!);
      const other = { names: turned(given.names), rows: given.rows.map(turned).reverse() };
      // Which row is the last, and so may be a total, depends on the order of rows.
      if ((await hasTotal(given)) || (await hasTotal(other))) {
        await store.close();
        return;
      }
      const again = await take(other);
      expect(again).toMatchObject({ added: 0, changed: 0, unchanged: first.added, withdrawn: 0, restored: 0 });
      expect((await store.register('rows'))!.change).toBe(change);
      await store.close();
    }),
    { numRuns: tries(50, 5000) },
  );
});
