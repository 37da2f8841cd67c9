import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csv } from '../../src/formats/csv.ts';
import type { CsvOptions } from '../../src/formats/csv-dialect.ts';
import { describeFormat } from '../contracts/format-contract.ts';
import { encodeAll, pagesOfSize } from '../contracts/readers.ts';
import { SAMPLE_HEAD, sampleRecord, sampleRecords } from '../contracts/sample-register.ts';
import { registers, RUNS } from '../properties/arbitraries.ts';
import { CSV_CASES } from './csv-cases.ts';
import { dialects, expectedRows, readCsv } from './csv-dialects.ts';

describeFormat('csv', csv, {
  countRecords: (document) => readCsv(document).length - 1,
  changes: [
    {
      record: sampleRecord(9, { title: 'lone \ud800 surrogate', summary: '\udfff' }),
      warnings: [{ code: 'replaced_characters', count: 1, recordId: 'permits:2026-0009' }],
    },
    {
      record: sampleRecord(9, { title: 'a\0b', summary: `${'long text '.repeat(10)}\0 \ud800`, content: '漢\0字' }),
      warnings: [{ code: 'replaced_characters', count: 1, recordId: 'permits:2026-0009' }],
    },
    { record: sampleRecord(9, { title: 'whole \ud83d\ude00 pair' }), warnings: [] },
    { record: sampleRecord(9, { title: '=1+1', data: { amount: NaN } }), warnings: [] },
  ],
});

describe('csv', () => {
  it.each(CSV_CASES)('writes the expected bytes: $name', async ({ name, options, definition, records }) => {
    const expected = await readFile(new URL(`../../fixtures/expected/csv/${name}.csv`, import.meta.url));
    const head = { definition, lastChange: null, asOf: null };
    expect((await encodeAll(csv, head, pagesOfSize(records), options)).toString()).toBe(expected.toString());
  });

  it('is read back by csv-parse, in any dialect: the same cells, null and the empty string kept apart', async () => {
    await fc.assert(
      fc.asyncProperty(registers(), dialects(), async ({ head, definition, records, pages }, dialect) => {
        const document = await encodeAll(csv, head, pages, dialect);
        expect(readCsv(document, dialect)).toEqual(expectedRows(definition, records));
      }),
      { numRuns: RUNS },
    );
  });

  it('makes page documents that concatenate to the whole, headers aside', async () => {
    await fc.assert(
      fc.asyncProperty(registers(), async ({ head, pages }) => {
        const header = await encodeAll(csv, head, []);
        const parts = await Promise.all(pages.map((page) => encodeAll(csv, head, [page])));
        const joined = Buffer.concat([header, ...parts.map((part) => part.subarray(header.length))]);
        expect(joined.equals(await encodeAll(csv, head, pages))).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  it('ends every line, the last too, with CRLF and holds no other bare line end outside quotes', async () => {
    const document = (await encodeAll(csv, SAMPLE_HEAD, pagesOfSize(sampleRecords(50)))).toString();
    const outside = document.replaceAll(/"(?:[^"]|"")*"/g, '');
    expect(outside.split('\r\n')).toHaveLength(52);
    expect(outside.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  });

  it('declares UTF-8 and the header row in its media type', () => {
    expect(csv.mediaType).toBe('text/csv; charset=utf-8; header=present');
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['delimiter', { delimiter: '' }],
    ['delimiter', { delimiter: ',,' }],
    ['delimiter', { delimiter: '"' }],
    ['delimiter', { delimiter: '\n' }],
    ['delimiter', { delimiter: '\r' }],
    ['delimiter', { delimiter: '\0' }],
    ['delimiter', { delimiter: '5' }],
    ['delimiter', { delimiter: 'e' }],
    ['delimiter', { delimiter: '-' }],
    ['delimiter', { delimiter: '.' }],
    ['delimiter', { delimiter: '+' }],
    ['delimiter', { delimiter: '\ud800' }],
    ['delimiter', { delimiter: '\ufffd' }],
    ['delimiter', { delimiter: '\ufeff' }],
    ['delimiter', { delimiter: 44 }],
    ['bom', { bom: 'yes' }],
    ['record_delimiter', { record_delimiter: ';' }],
    ['record_delimiter', { record_delimiter: 'windows' }],
    ['quoted', { quoted: 1 }],
    ['formulas', { formulas: 'escape' }],
  ])('refuses a wrong %s: %j', async (option, options) => {
    await expect(encodeAll(csv, SAMPLE_HEAD, [], options as CsvOptions)).rejects.toMatchObject({
      code: 'invalid_option',
      details: { option },
      message: expect.stringMatching(new RegExp(`^csv option ${option} must be .+, got `)) as unknown,
    });
  });

  it('takes an option that is undefined for its default', async () => {
    const options = { delimiter: undefined, bom: undefined, quoted: undefined } as unknown as CsvOptions;
    const pages = pagesOfSize(sampleRecords(3));
    expect(await encodeAll(csv, SAMPLE_HEAD, pages, options)).toEqual(await encodeAll(csv, SAMPLE_HEAD, pages));
  });

  it('writes no NUL, which databases refuse: U+FFFD in its place, in short and long texts, one byte wide and two', async () => {
    await fc.assert(
      fc.asyncProperty(
        registers(),
        fc.nat({ max: 5000 }),
        fc.constantFrom('', '漢'),
        async (register, length, wide) => {
          const { head, pages } = register;
          const nul = sampleRecord(9, { title: `\0${'x'.repeat(length)}\0${wide}`, id: 'a\0b', author: '\0' });
          const document = await encodeAll(csv, head, [...pages, ...pagesOfSize([nul])]);
          expect(document.includes(0)).toBe(false);
          expect(readCsv(document).at(-1)!.slice(0, 4)).toEqual([
            'a\ufffdb',
            'permits',
            'a\ufffdb',
            `\ufffd${'x'.repeat(length)}\ufffd${wide}`,
          ]);
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('writes the register a record says it is of, guarded and quoted as any text', async () => {
    const records = ['permits', 'other, "b"', '=1', 'permits'].map((feed_id) => sampleRecord(9, { feed_id }));
    const rows = readCsv(await encodeAll(csv, SAMPLE_HEAD, pagesOfSize(records)));
    expect(rows.map((row) => row[1])).toEqual(['feed_id', 'permits', 'other, "b"', '=1', 'permits']);
  });

  it('guards what a source hands out against its own definition', async () => {
    const record = sampleRecord(9, { id: '=id()', data: { amount: '=1+1', pages: '=2', valid_from: '@x' } });
    const [, row] = (await encodeAll(csv, SAMPLE_HEAD, pagesOfSize([record]))).toString().split('\r\n');
    expect(row).toMatch(/^'=id\(\),/);
    expect(row).toContain(",'=1+1,'=2,,'@x,");
  });
});
