import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csv } from '../../../src/formats/csv.ts';
import type { CsvOptions } from '../../../src/formats/csv-dialect.ts';
import { referenceCsv } from '../../../src/formats/reference/csv.ts';
import { Report } from '../../../src/formats/report.ts';
import { describeFormat } from '../../contracts/format-contract.ts';
import { encodeAll, pagesOfSize } from '../../contracts/readers.ts';
import { SAMPLE_HEAD, sampleRecord, sampleRecords } from '../../contracts/sample-register.ts';
import { registers, RUNS } from '../../properties/arbitraries.ts';
import { CSV_CASES } from '../csv-cases.ts';
import { dialects, expectedRows, readCsv } from '../csv-dialects.ts';

describeFormat('csv on csv-stringify', referenceCsv, {
  countRecords: (document) => readCsv(document).length - 1,
  changes: [
    {
      record: sampleRecord(9, { title: 'lone \ud800 surrogate' }),
      warnings: [{ code: 'replaced_characters', count: 1, recordId: 'permits:2026-0009' }],
    },
  ],
});

describe('csv on csv-stringify', () => {
  it.each(CSV_CASES)('writes the expected bytes: $name', async ({ name, options, definition, records }) => {
    const expected = await readFile(new URL(`../../../fixtures/expected/csv/${name}.csv`, import.meta.url));
    const head = { definition, lastChange: null, asOf: null };
    expect((await encodeAll(referenceCsv, head, pagesOfSize(records), options)).toString()).toBe(expected.toString());
  });

  it('is read back by csv-parse, in any dialect', async () => {
    await fc.assert(
      fc.asyncProperty(registers(), dialects(), async ({ head, definition, records, pages }, dialect) => {
        const document = await encodeAll(referenceCsv, head, pages, dialect);
        expect(readCsv(document, dialect)).toEqual(expectedRows(definition, records));
      }),
      { numRuns: RUNS },
    );
  });

  it('equals the native writer byte for byte and in what it reports, in any dialect', async () => {
    await fc.assert(
      fc.asyncProperty(registers(), dialects(), async ({ head, pages }, dialect) => {
        const reports = [new Report(), new Report()] as const;
        const native = await encodeAll(csv, head, pages, { ...dialect, report: reports[0] });
        const reference = await encodeAll(referenceCsv, head, pages, { ...dialect, report: reports[1] });
        expect(reference.equals(native)).toBe(true);
        expect(reports[1].warnings).toEqual(reports[0].warnings);
      }),
      { numRuns: RUNS },
    );
  });

  it('passes options of csv-stringify on', async () => {
    const options = { stringify: { quote: "'", escape: '\\', quoted_string: true } };
    const document = await encodeAll(referenceCsv, SAMPLE_HEAD, pagesOfSize(sampleRecords(1)), options);
    expect(document.toString()).toMatch(/^'id','feed_id',/);
  });

  it('refuses a wrong option as the native writer does', async () => {
    const options = { delimiter: '"' } as CsvOptions;
    await expect(encodeAll(referenceCsv, SAMPLE_HEAD, [], options)).rejects.toMatchObject({ code: 'invalid_option' });
  });
});
