import { createHook } from 'node:async_hooks';
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { DocumentHead } from '../../../src/formats/format.ts';
import { Blocks } from '../../../src/formats/blocks.ts';
import { Report } from '../../../src/formats/report.ts';
import { xlsx, xlsxWithin } from '../../../src/formats/xlsx/index.ts';
import { VERSION } from '../../../src/version.ts';
import { DEFLATE_BLOCK_SIZE } from '../../../src/formats/xlsx/deflate.ts';
import { EXCEL_LIMITS } from '../../../src/formats/xlsx/limits.ts';
import type { RegisterRecord } from '../../../src/register/record.ts';
import { describeFormat } from '../../contracts/format-contract.ts';
import { encodeAll, pagesOfSize } from '../../contracts/readers.ts';
import { SAMPLE_DEFINITION, SAMPLE_HEAD, sampleRecord, sampleRecords } from '../../contracts/sample-register.ts';
import { readWorkbook, unzip } from '../../contracts/xlsx-reader.ts';
import { XLSX_CHANGES, XLSX_VALUES } from './changes.ts';
import { describeWorkbook } from './rules.ts';
import { letPass } from '../../until.ts';

const EXPECTED = new URL('../../../fixtures/expected/xlsx/', import.meta.url);

describeFormat('xlsx', xlsx, {
  countRecords: (document) => readWorkbook(document).sheets[0]!.rows.length - 1,
  changes: XLSX_CHANGES,
});

describeWorkbook('the native writer', xlsx, xlsxWithin);

/** Counts what zlib's threads do until it is closed. */
class CompressedBlocks {
  readonly streams: Set<number> = new Set<number>();
  done = 0;
  readonly #hook = createHook({
    init: (id, type) => {
      if (type === 'ZLIB') this.streams.add(id);
    },
    // zlib's threads come back to a stream through its handle.
    before: (id) => {
      if (this.streams.has(id)) this.done++;
    },
  }).enable();

  close(): void {
    this.#hook.disable();
  }
}

describe('the XLSX writer', () => {
  it('writes the parts in fixtures/expected/xlsx/ordinary/, each of them', async () => {
    const parts = unzip(await encodeAll(xlsx, SAMPLE_HEAD, pagesOfSize(sampleRecords(2))));
    const files = await readdir(new URL('ordinary/', EXPECTED));
    // A part's path with `-` for `/`; brackets are no good in file names.
    const names = new Map([...parts.keys()].map((name) => [name.replaceAll('/', '-').replace(/[[\]]/g, ''), name]));
    expect([...names.keys()].sort()).toEqual(files.sort());
    for (const file of files) {
      const expected = await readFile(new URL(`ordinary/${file}`, EXPECTED), 'utf8');
      expect(parts.get(names.get(file)!), file).toBe(expected);
    }
  });

  it('writes the rows in fixtures/expected/xlsx/values.xml', async () => {
    const parts = unzip(await encodeAll(xlsx, SAMPLE_HEAD, pagesOfSize(XLSX_VALUES)));
    const rows = parts.get('xl/worksheets/sheet1.xml')!.replaceAll('<row ', '\n<row ').split('\n<row ').slice(2);
    const expected = await readFile(new URL('values.xml', EXPECTED), 'utf8');
    expect(
      rows
        .map((row) => `<row ${row}`)
        .join('\n')
        .replace(/<\/sheetData>.*$/s, '\n'),
    ).toBe(expected);
  });

  it('gives an autofilter the hidden name Excel looks for', async () => {
    const { names } = readWorkbook(await encodeAll(xlsx, SAMPLE_HEAD, pagesOfSize(sampleRecords(4))));
    expect(names).toEqual(["_xlnm._FilterDatabase|0|'Records'!$A$1:$X$5"]);
  });

  it('puts the package’s relationships first, its content types last and every time to 1980', async () => {
    const document = await encodeAll(xlsx, SAMPLE_HEAD, pagesOfSize(sampleRecords(4)));
    const names = [...unzip(document).keys()];
    expect([names[0], names.at(-1)]).toEqual(['_rels/.rels', '[Content_Types].xml']);
    expect(document.readUInt32LE(10)).toBe(0x0021 << 16);
  });

  it('writes a page without waiting for anything', () => {
    const out = new Blocks();
    const sink = xlsx.open(out, SAMPLE_HEAD);
    for (const page of pagesOfSize(sampleRecords(100))) expect(sink.write(page)).toBeUndefined();
    expect(sink.close()).toBeUndefined();
    expect(readWorkbook(Buffer.concat(out.take(true))).sheets[0]!.rows).toHaveLength(101);
  });

  it('has no descriptors in a page, whose sizes it knows', async () => {
    const document = await encodeAll(xlsx, SAMPLE_HEAD, pagesOfSize(sampleRecords(100)));
    expect(document.includes(Buffer.from('PK\x07\x08', 'latin1'))).toBe(false);
  });

  it('writes one page of many records as it writes many pages', async () => {
    const records = sampleRecords(2500);
    const whole = await encodeAll(xlsx, SAMPLE_HEAD, pagesOfSize(records, records.length));
    expect(whole.equals(await encodeAll(xlsx, SAMPLE_HEAD, pagesOfSize(records, 7)))).toBe(true);
    expect(readWorkbook(whole).sheets[0]!.rows).toHaveLength(2501);
  });

  it('leaves nothing in work when it is aborted', async () => {
    const out = new Blocks();
    const sink = xlsx.open(out, SAMPLE_HEAD);
    const zlib = new CompressedBlocks();
    try {
      const [page] = pagesOfSize(sampleRecords(500), 500);
      // At once, so that two blocks are still on zlib's threads when it is aborted.
      expect(sink.write(page!)).toBeUndefined();
      expect(zlib.streams.size).toBe(2);
      out.take(true);
      await sink.abort!(new Error('the reader went away'));
      expect(zlib.done).toBe(2);
      await letPass(50, 'a block still in work would come back meanwhile');
      expect(zlib.done).toBe(2);
      expect(out.take(true)).toEqual([]);
    } finally {
      zlib.close();
    }
  });

  it('counts a replaced character in each of two neighbours that have the same author', async () => {
    const report = new Report();
    const records = [sampleRecord(2, { author: 'a\u0001' }), sampleRecord(1, { author: 'a\u0001' })];
    const document = await encodeAll(xlsx, SAMPLE_HEAD, pagesOfSize(records), { report });
    const [sheet] = readWorkbook(document).sheets;
    expect(sheet!.rows.slice(1).map((row) => row.get('H')!.value)).toEqual(['a\ufffd', 'a\ufffd']);
    expect(report.warnings).toEqual([{ code: 'replaced_characters', count: 2, recordId: 'permits:2026-0002' }]);
  });

  it('says which zlib shapes its bytes', () => {
    expect(xlsx.encoderVersion).toBe(`${VERSION}, zlib ${process.versions.zlib}`);
  });

  it('compresses the text of many links while it writes their rows, rather than holding it', async () => {
    const long = 'x'.repeat(1500);
    const zlib = new CompressedBlocks();
    let doneAtLast = 0;
    const pages = function* (): Generator<{ records: RegisterRecord[]; nextOffset: null; asOf: null }> {
      for (let position = 5000; position > 0; position--) {
        const record = sampleRecord(position, { source_url: `https://example.org/${position}?${long}` });
        yield { records: [record], nextOffset: null, asOf: null };
      }
      doneAtLast = zlib.done;
    };
    try {
      const parts = unzip(await encodeAll(xlsx, SAMPLE_HEAD, pages()));
      const texts = ['xl/worksheets/sheet1.xml', 'xl/worksheets/_rels/sheet1.xml.rels'].map((name) => parts.get(name)!);
      expect(texts.map(({ length }) => length > 5000 * 1500)).toEqual([true, true]);
      const blocks = texts.reduce((sum, { length }) => sum + length / DEFLATE_BLOCK_SIZE, 0);
      // Of each part three blocks are in work at most, and one is being filled.
      expect(doneAtLast).toBeGreaterThan(blocks - 8);
    } finally {
      zlib.close();
    }
  });

  it('refuses a register with more columns than a sheet', () => {
    const fields = Array.from({ length: 16_369 }, (_, i) => ({ name: `f${i}`, label: 'F', type: 'text' as const }));
    const head: DocumentHead = { ...SAMPLE_HEAD, definition: { ...SAMPLE_DEFINITION, fields } };
    const out = new Blocks();
    expect(() => xlsx.open(out, head)).toThrow(
      expect.objectContaining({ code: 'invalid_definition', message: expect.stringContaining('16384') as string }),
    );
    const fewer = { ...head, definition: { ...head.definition, fields: fields.slice(1) } };
    expect(() => xlsx.open(out, fewer)).not.toThrow();
  });

  it('counts what it replaced in the head once, naming no record', async () => {
    const report = new Report();
    const head: DocumentHead = {
      ...SAMPLE_HEAD,
      definition: { ...SAMPLE_DEFINITION, title: 'a\u0001', author: 'b\ud800' },
    };
    await encodeAll(xlsx, head, [], { report });
    expect(report.warnings).toEqual([{ code: 'replaced_characters', count: 1, recordId: null }]);
  });

  it('takes Excel’s own limits', () => {
    expect(EXCEL_LIMITS).toEqual({ rows: 1_048_576, links: 65_530 });
  });
});
