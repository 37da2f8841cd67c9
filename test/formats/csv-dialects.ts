// What both CSV writers are held to: any dialect, and csv-parse as the independent reader of it.
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { cellsOf } from '../../src/formats/cell.ts';
import type { CsvOptions } from '../../src/formats/csv-dialect.ts';
import { unguardFormula } from '../../src/formats/formula-guard.ts';
import { allFields } from '../../src/register/fields.ts';
import type { RegisterDefinition, RegisterRecord } from '../../src/register/record.ts';

/** Any dialect the writers accept; options are absent, too. */
export function dialects(): fc.Arbitrary<CsvOptions> {
  const delimiter = fc.constantFrom(
    ...[',', ';', '\t', '|', ':', ' ', '\\', ']', '^', '[', '/', "'", '=', '@', '#', '*', '$', '_'],
    ...['\u0001', '\u00a7', '漢', '\u2028'],
  );
  return fc.record(
    {
      delimiter,
      bom: fc.boolean(),
      record_delimiter: fc.constantFrom('\r\n', '\n', '\r'),
      quoted: fc.boolean(),
      formulas: fc.constantFrom('guard', 'raw'),
    },
    { requiredKeys: [] },
  );
}

/** The rows of a document as csv-parse reads them, header first: an unquoted empty field is null; guards are undone. */
export function readCsv(document: Buffer, dialect: CsvOptions = {}): (string | null)[][] {
  const rows: (string | null)[][] = parse(document, {
    delimiter: dialect.delimiter ?? ',',
    record_delimiter: dialect.record_delimiter ?? '\r\n',
    bom: dialect.bom ?? false,
    cast: (cell, { quoting }) => (cell === '' && !quoting ? null : cell),
  });
  const raw = dialect.formulas === 'raw';
  return rows.map((row) => row.map((cell) => (cell === null || raw ? cell : unguardFormula(cell))));
}

/** The rows a document must have: every value's text, lone surrogates and NUL replaced. */
export function expectedRows(definition: RegisterDefinition, records: readonly RegisterRecord[]): (string | null)[][] {
  return [
    allFields(definition).map(({ name }) => name),
    ...records.map((record) =>
      cellsOf(definition, record).map((cell) =>
        cell === null ? null : String(cell).toWellFormed().replaceAll('\0', '\ufffd'),
      ),
    ),
  ];
}
