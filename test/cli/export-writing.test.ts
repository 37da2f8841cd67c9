// The options that say how `gazette export` writes: compressed files, the level of a workbook, formulas, addresses.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { validateXsd } from '../contracts/xsd-validator.ts';
import { readWorkbook } from '../contracts/xlsx-reader.ts';
import { folder, gazette } from './run.ts';

const EXPORT = ['export', '-', '--observed-at', '2026-01-01', '--authority', 'example.org,2026'];

const RECORDS = JSON.stringify(
  Array.from({ length: 2500 }, (_, n) => ({
    id: String(n),
    title: n === 0 ? '=1+1' : `Record ${n} – 漢字`,
    source_url: `https://example.org/${n}`,
  })),
);

const written = async (format: string, ...options: string[]): Promise<Buffer> => {
  const { code, stderr, stdout } = await gazette([...EXPORT, '--format', format, ...options], RECORDS);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
};

describe('a compressed output', () => {
  it.each([
    ['csv', 'records.csv.gz', gunzipSync],
    ['xml', 'records.xml.zst', zstdDecompressSync],
    ['ndjson', 'RECORDS.GZ', gunzipSync],
  ])('holds the %s that is written without compression: %s', async (format, name, decompress) => {
    const file = join(await folder(), name);
    expect(await written(format, '--output', file)).toHaveLength(0);
    const compressed = await readFile(file);
    expect(decompress(compressed).equals(await written(format))).toBe(true);
    await written(format, '--output', file);
    expect((await readFile(file)).equals(compressed)).toBe(true);
  });

  it('is whole or is not there: what was there before stays when a record is refused', async () => {
    const inside = await folder();
    const records = [...(JSON.parse(RECORDS) as object[]), { id: 'x', title: 'no source' }];
    for (const name of ['records.csv.gz', 'records.csv.zst']) {
      const output = join(inside, name);
      await writeFile(output, 'before');
      const { code } = await gazette([...EXPORT, '--format', 'csv', '--output', output], JSON.stringify(records));
      expect(code).toBe(1);
      expect(await readFile(output, 'utf8')).toBe('before');
    }
    expect(await readdir(inside)).toEqual(['records.csv.gz', 'records.csv.zst']);
  });

  it('is made of the schema, too', async () => {
    const output = join(await folder(), 'records.xsd.gz');
    await gazette([...EXPORT, '--xsd', '--output', output], RECORDS);
    expect(gunzipSync(await readFile(output)).toString()).toContain('<xs:schema ');
  });
});

describe('the options of a document', () => {
  it('compress a workbook more strongly, with the same cells', async () => {
    const [usual, first, ninth] = [
      await written('xlsx'),
      await written('xlsx', '--level', '1'),
      await written('xlsx', '--level', '9'),
    ];
    expect(first.equals(usual)).toBe(true);
    expect(ninth.length).toBeLessThan(usual.length);
    expect(readWorkbook(ninth)).toEqual(readWorkbook(usual));
  });

  it('guard formulas or write them as they are', async () => {
    const title = async (...options: string[]): Promise<string> =>
      parse<{ title: string }>(await written('csv', ...options), { columns: true })[0]!.title;
    expect([await title(), await title('--formulas', 'guarded'), await title('--formulas', 'raw')]).toEqual([
      "'=1+1",
      "'=1+1",
      '=1+1',
    ]);
  });

  it('name the address of the document, and of the schema that its XML is valid by', async () => {
    const self = 'https://example.org/records.xml?a=1&b=2';
    const xml = (await written('xml', '--self', self, '--schema-location', 'schemas/records.xsd')).toString();
    expect(xml).toContain(` self="${self.replace('&', '&amp;')}"`);
    expect(xml).toContain(
      ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="urn:gazette:register:1 schemas/records.xsd">',
    );
    const { stdout } = await gazette([...EXPORT, '--xsd'], RECORDS);
    validateXsd(stdout.toString(), [Buffer.from(xml)]);
    expect((await written('atom', '--self', self)).toString()).toContain(`<link rel="self" `);
  });

  it('are refused where they have no effect', async () => {
    const { code, stderr } = await gazette([...EXPORT, '--format', 'csv', '--level', '5'], RECORDS);
    expect([code, stderr]).toEqual([2, 'gazette: --level applies to XLSX; the format is csv (usage)\n']);
  });
});
