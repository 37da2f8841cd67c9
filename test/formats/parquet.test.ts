// Parquet, read back by hyparquet. DuckDB reads the same registers in the conformance suite.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EXPORT_FORMATS } from '../../src/formats/index.ts';
import { ndjson } from '../../src/formats/ndjson.ts';
import { parquet } from '../../src/formats/parquet/index.ts';
import { describeFormat } from '../contracts/format-contract.ts';
import { encodeAll, pagesOfSize } from '../contracts/readers.ts';
import { SAMPLE_DEFINITION, SAMPLE_HEAD, sampleRecord, sampleRecords } from '../contracts/sample-register.ts';
import { registers, RUNS } from '../properties/arbitraries.ts';
import { rowOfColumns, rowOfLine, type StoredRow } from './parquet-rows.ts';

const fileOf = (document: Buffer): ArrayBuffer => new Uint8Array(document).buffer;

/** The rows as they are stored. hyparquet makes doubles of decimals: they are read as bytes. */
async function readParquet(document: Buffer): Promise<StoredRow[]> {
  const file = fileOf(document);
  const metadata = parquetMetadata(file);
  const decimals = metadata.schema.filter(({ converted_type }) => converted_type === 'DECIMAL');
  for (const element of decimals) {
    delete element.converted_type;
    delete element.logical_type;
  }
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const parsers = {
    timestampFromMicroseconds: (micros: bigint) => micros,
    dateFromDays: (days: number) => days,
    // Its own takes U+FEFF off.
    stringFromBytes: (bytes: Uint8Array | undefined) => bytes && utf8.decode(bytes),
  };
  const rows = await parquetReadObjects({ file, metadata, parsers: parsers });
  for (const row of rows) {
    for (const { name } of decimals) {
      const bytes = row[name] as Uint8Array | null | undefined;
      if (bytes !== null && bytes !== undefined)
        row[name] = BigInt.asIntN(128, BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
    }
  }
  return rows;
}

const linesOf = (document: Buffer): string[] => document.toString().split('\n').slice(0, -1);

describeFormat('parquet', parquet, {
  countRecords: async (document) => (await readParquet(document)).length,
  changes: [
    {
      record: sampleRecord(9, { title: 'lone \ud800 surrogate', summary: '\udc00' }),
      warnings: [{ code: 'replaced_characters', count: 1, recordId: 'permits:2026-0009' }],
    },
    {
      record: sampleRecord(9, { data: { parts: { '\\\udfff': ['\\ud800', '\ud800'] } } }),
      warnings: [{ code: 'replaced_characters', count: 1, recordId: 'permits:2026-0009' }],
    },
    { record: sampleRecord(9, { data: { parts: ['\\ud800'] } }), warnings: [] },
    { record: sampleRecord(9, { data: { amount: NaN, pages: '123456789012345678901234567890' } }), warnings: [] },
  ],
});

describe('parquet', () => {
  it('has every value that NDJSON has: in its column, or whole in the last one if the column cannot hold it', async () => {
    await fc.assert(
      fc.asyncProperty(registers(), async ({ head, definition, pages }) => {
        const rows = await readParquet(await encodeAll(parquet, head, pages));
        const lines = linesOf(await encodeAll(ndjson, head, pages));
        expect(rows.map((row) => rowOfColumns(definition, row))).toEqual(
          lines.map((line) => rowOfLine(definition, line)),
        );
      }),
      { numRuns: RUNS },
    );
  });

  it.each<[string, string, string | null, string]>([
    ['integer', '9223372036854775807', '9223372036854775807', ''],
    ['integer', '-9223372036854775808', '-9223372036854775808', ''],
    ['integer', '9223372036854775808', null, '9223372036854775808'],
    ['decimal', '12.50', '12500000000000000000', ''],
    ['decimal', '-99999999999999999999.999999999999999999', '-99999999999999999999999999999999999999', ''],
    ['decimal', '100000000000000000000', null, '100000000000000000000'],
    ['decimal', '0.0000000000000000010', '1', ''],
    ['decimal', '0.0000000000000000001', null, '0.0000000000000000001'],
    ['datetime', '1969-12-31T23:59:59.9999999Z', '-1', '1969-12-31T23:59:59.9999999Z'],
    ['datetime', '2026-01-01T01:00:00.000001000+01:00', '1767225600000001', ''],
    ['datetime', '2026-01-01', '1767225600000000', ''],
  ])('stores the %s %s', async (type, value, held, exact) => {
    const fields = [{ name: 'own', label: 'Own', type: type as 'integer' }];
    const head = { ...SAMPLE_HEAD, definition: { ...SAMPLE_DEFINITION, fields } };
    const document = await encodeAll(parquet, head, pagesOfSize([sampleRecord(1, { data: { own: value } })]));
    const [row] = await readParquet(document);
    expect(row!.own ?? null).toBe(held === null ? null : BigInt(held));
    expect(row!._exact ?? {}).toEqual(exact === '' ? {} : { own: exact });
  });

  it('has rows in groups of at most 5,000, fewer where their texts are long, and says between which positions each is', async () => {
    const records = sampleRecords(12_000).map((record, at) =>
      at < 11_000 ? record : { ...record, content: 'x'.repeat(20_000) },
    );
    const { row_groups, key_value_metadata } = parquetMetadata(
      fileOf(await encodeAll(parquet, SAMPLE_HEAD, pagesOfSize(records))),
    );
    const sizes = row_groups.map(({ num_rows }) => Number(num_rows));
    expect(sizes.slice(0, 2)).toEqual([5000, 5000]);
    expect(sizes.length).toBeGreaterThan(6);
    const positions = row_groups.map(({ columns }) => columns[15]!.meta_data!.statistics!);
    expect(positions[1]).toMatchObject({ min_value: 2001n, max_value: 7000n });
    expect(key_value_metadata).toContainEqual({ key: 'title', value: 'Environmental permits' });
  });

  it('has the columns that are asked for, in their order', async () => {
    const head = { ...SAMPLE_HEAD, fields: ['data.pages', 'title'] };
    const [row] = await readParquet(await encodeAll(parquet, head, pagesOfSize([sampleRecord(5)])));
    expect(row).toEqual({ id: 'permits:2026-0005', pages: 5n, title: sampleRecord(5).title, _exact: null });
  });

  it('says which package is missing where it is, and is not offered there', async () => {
    // The sources alone, out of reach of any node_modules.
    const folder = await mkdtemp(join(tmpdir(), 'gazette-parquet-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await cp(new URL('../../src', import.meta.url), join(folder, 'src'), { recursive: true });
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    const ask = `import { encode } from './src/formats/encode.ts';
      import { canWriteParquet, parquet } from './src/formats/parquet/index.ts';
      import { SAMPLE_HEAD } from './src/testing/sample-register.ts';
      const { code, message } = await encode([], parquet, SAMPLE_HEAD).next().catch((error) => error);
      console.log(JSON.stringify([canWriteParquet(), parquet.encoderVersion, code, message]));`;
    await writeFile(join(folder, 'ask.ts'), ask);
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'ask.ts')]);
    const message = 'Parquet needs the package hyparquet-writer: npm install hyparquet-writer';
    expect(JSON.parse(stdout)).toEqual([false, null, 'missing_peer', message]);
  });

  it('is for whole registers, not for pages', () => {
    expect(EXPORT_FORMATS).not.toContain(parquet);
  });
});
