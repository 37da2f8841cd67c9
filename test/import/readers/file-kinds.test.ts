import { gzipSync, zstdCompressSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { csvReader } from '../../../src/import/readers/csv.ts';
import { contentReader } from '../../../src/import/readers/file/content-reader.ts';
import type { FileFormat } from '../../../src/import/readers/file/file-kind.ts';
import { jsonReader } from '../../../src/import/readers/json.ts';
import { ndjsonReader } from '../../../src/import/readers/ndjson.ts';
import type { ByteSource } from '../../../src/import/readers/byte-source.ts';
import type { RecordReader } from '../../../src/import/readers/raw-record.ts';
import { xlsxReader } from '../../../src/import/readers/xlsx/index.ts';
import { readAll, source, valuesOf } from '../sources.ts';
import { text, workbook } from './workbook-by-hand.ts';

const READERS: Readonly<Record<FileFormat, (from: ByteSource) => RecordReader>> = {
  csv: (from) => csvReader(from),
  json: (from) => jsonReader(from),
  ndjson: (from) => ndjsonReader(from),
  xlsx: (from) => xlsxReader(from),
};

const FORMATS: readonly FileFormat[] = ['csv', 'json', 'ndjson', 'xlsx'];

/** The same two records in every format. */
const FILES: Readonly<Record<FileFormat, Uint8Array>> = {
  csv: strToU8('id,n\na,1\nb,2\n'),
  json: strToU8('[{"id":"a","n":"1"},{"id":"b","n":"2"}]'),
  ndjson: strToU8('{"id":"a","n":"1"}\n{"id":"b","n":"2"}\n'),
  xlsx: workbook(
    `<row>${text('id')}${text('n')}</row><row>${text('a')}${text('1')}</row><row>${text('b')}${text('2')}</row>`,
  ),
};

const RECORDS = [
  { id: 'a', n: '1' },
  { id: 'b', n: '2' },
];

const stored = (content: string): [Uint8Array, { level: 0 }] => [strToU8(content), { level: 0 }];
const ods = zipSync({
  mimetype: stored('application/vnd.oasis.opendocument.spreadsheet'),
  'content.xml': strToU8('<x/>'),
});

const OTHER_FILES: readonly (readonly [title: string, bytes: Uint8Array, message: string])[] = [
  [
    'an old workbook',
    Buffer.from('d0cf11e0a1b11ae1'.padEnd(2000, '0'), 'hex'),
    'is an old Excel workbook (.xls), or a workbook with a password; open it in a spreadsheet program',
  ],
  ['an older workbook', Buffer.from('0908100000060500', 'hex'), 'is an old Excel workbook (.xls); open it'],
  [
    'an OpenDocument spreadsheet',
    ods,
    'is an OpenDocument spreadsheet (.ods); open it in a spreadsheet program and save it as .xlsx or as CSV',
  ],
  [
    'an HTML page',
    strToU8('\ufeff\r\n<!DOCTYPE html>\n<html><table><tr><td>id'),
    'is an HTML page; it may be an error page or a table under another name',
  ],
  ['an HTML table', strToU8('<table border=1><tr><td>id</td></tr></table>'), 'is an HTML page'],
  [
    'an Excel 2003 workbook',
    strToU8('<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<Workbook/>'),
    'is an Excel 2003 workbook in XML; open it',
  ],
  [
    'XML',
    strToU8('<?xml version="1.0" encoding="UTF-8"?><rdf:RDF/>'),
    'is an XML document; ask for the data as CSV, XLSX or JSON',
  ],
  ['PDF', strToU8('%PDF-1.7\n'), 'is a PDF document; ask for'],
  ['Parquet', strToU8('PAR1..'), 'is a Parquet file'],
  ['7z', Buffer.from('377abcaf271c0004', 'hex'), 'is a 7z archive; unpack it'],
  ['bzip2', strToU8('BZh91AY'), 'is compressed by bzip2; unpack it'],
];

describe('a file that is something else is named for what it is', () => {
  it.each(OTHER_FILES)('%s', async (_, bytes, message) => {
    for (const format of FORMATS) {
      for (const size of [1, 1000]) {
        const reading = readAll(READERS[format](source(bytes, size, 'data.csv')));
        await expect(reading, format).rejects.toMatchObject({
          code: 'invalid_input',
          message: expect.stringContaining(`data.csv ${message}`) as string,
        });
      }
      await expect(readAll(READERS[format](source(gzipSync(bytes))))).rejects.toThrow(message);
    }
    const unnamed = contentReader(source(bytes, 1000, 'data.xls'), (format, from) => READERS[format](from));
    await expect(readAll(unnamed)).rejects.toThrow(`data.xls ${message}`);
    expect(unnamed.notes?.()).toEqual([]);
  });

  it.each<[FileFormat, FileFormat, string]>([
    ['csv', 'xlsx', 'is an XLSX workbook; read it as xlsx'],
    ['json', 'xlsx', 'is an XLSX workbook; read it as xlsx'],
    ['csv', 'json', 'is JSON; read it as json or ndjson'],
    ['csv', 'ndjson', 'is JSON; read it as json or ndjson'],
    ['xlsx', 'json', 'is JSON; read it as json or ndjson'],
    ['xlsx', 'csv', 'is not a workbook; it is not a zip archive'],
  ])('as %s, what is %s', async (as, is, message) => {
    await expect(readAll(READERS[as](source(FILES[is])))).rejects.toThrow(message);
  });

  it.each([
    ['a picture', 0],
    ['a program', 4],
  ])('what is no text at all, as %s, as csv and by its content', async (_, zeros) => {
    const bytes = Buffer.alloc(5000);
    let state = 1;
    for (let at = 0; at < bytes.length; at++) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      // Every so many is zero, as in the instructions and tables of a program.
      bytes[at] = zeros > 0 && at % 16 < zeros ? 0 : state >>> 16;
    }
    const message = 'data.csv is no text; ask for the data as CSV, XLSX or JSON';
    await expect(readAll(READERS.csv(source(bytes, 1000, 'data.csv')))).rejects.toThrow(message);
    const unnamed = contentReader(source(bytes, 1000, 'data.csv'), (format, from) => READERS[format](from));
    await expect(readAll(unnamed)).rejects.toThrow(message);
  });

  it.each([
    ['cells between unit separators', Buffer.from(`id\x1fn\n${'a\x1f1\n'.repeat(500)}`)],
    ['Chinese in UTF-16', Buffer.from(`\ufeffid,n\n${'a,一丁丂七丄丅丆万丈\n'.repeat(100)}`, 'utf16le')],
    [
      'Russian in UTF-16',
      Buffer.from(`\ufeffid,n\n${'1,ПРИВЕТ и МИР ДОЛЖЕН ЖИТЬ\n'.repeat(100)}`, 'utf16le').subarray(2),
    ],
    ['columns padded with zeros', Buffer.from(`id,n\n${'a\0\0\0\0\x01,1\0\0\n'.repeat(100)}`)],
    ['Russian in KOI8-R', Buffer.from(`id,n\n${'a,\xf0\xd2\xc9\xd7\xc5\xd4\n'.repeat(100)}`, 'latin1')],
  ])('but not %s', async (_, bytes) => {
    const reading = readAll(csvReader(source(bytes, 1000, 'data.csv'))).catch(String);
    expect(JSON.stringify(await reading)).not.toContain('is no text');
  });

  it('an archive of other files, by their names', async () => {
    const archive = zipSync({ 'daten/register.csv': strToU8('a,b\n'), 'liesmich.txt': strToU8('x') });
    await expect(readAll(READERS.csv(source(archive)))).rejects.toThrow(
      'is a zip archive with "daten/register.csv"; unpack it, and import the file inside',
    );
    await expect(readAll(READERS.xlsx(source(archive)))).rejects.toThrow(
      'is a zip archive with "daten/register.csv", "liesmich.txt", not a workbook; unpack it',
    );
  });

  it.each<[FileFormat, string]>([
    ['csv', 'is empty; expected a line with the names of the columns'],
    ['json', 'is empty; expected a JSON document'],
    ['xlsx', 'is empty; expected an XLSX workbook'],
  ])('an empty file that should be %s', async (format, message) => {
    await expect(readAll(READERS[format](source('')))).rejects.toThrow(message);
    await expect(readAll(READERS[format](source(gzipSync(''))))).rejects.toThrow(message);
  });
});

describe('a compressed file', () => {
  it.each(FORMATS)('of %s is read as the file inside, whatever its pieces', async (format) => {
    for (const size of [1, 3, 1000]) {
      for (const packed of [gzipSync(FILES[format]), zstdCompressSync(FILES[format])]) {
        expect(await valuesOf(READERS[format](source(packed, size)))).toEqual(RECORDS);
      }
    }
  });

  it('of several members is read to its end', async () => {
    const packed = Buffer.concat([gzipSync('id,n\na,1\n'), gzipSync('b,2\n')]);
    expect(await valuesOf(READERS.csv(source(packed, 10)))).toEqual(RECORDS);
  });

  it.each<[string, (packed: Buffer) => Uint8Array, string]>([
    ['cut', (packed) => packed.subarray(0, -12), 'is cut: its gzip data has no end'],
    ['damaged', (packed) => packed.fill(0xff, 12, 40), 'is damaged: its gzip data cannot be unpacked'],
  ])('that is %s is refused', async (_, change, message) => {
    const rows = Array.from({ length: 20_000 }, (_row, index) => `r${index},${index}\n`);
    const packed = change(gzipSync(`id,n\n${rows.join('')}`));
    await expect(readAll(READERS.csv(source(packed, 1000, 'a.csv.gz')))).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(`a.csv.gz ${message}`) as string,
    });
  });

  it('is closed when its reader stops early', async () => {
    const rows = Array.from({ length: 200_000 }, (_, index) => `r${index},${Math.sin(index)}\n`);
    const packed = gzipSync(`id,n\n${rows.join('')}`);
    let closed = false;
    const from: ByteSource = {
      name: 'a.csv.gz',
      *open() {
        try {
          for (let at = 0; at < packed.length; at += 1000) yield packed.subarray(at, at + 1000);
        } finally {
          closed = true;
        }
      },
    };
    const batches = csvReader(from).batches();
    await batches.next();
    await batches.return();
    expect(closed).toBe(true);
  });
});

describe('a file whose name says nothing', () => {
  it.each(FORMATS)('is read as its content shows: %s', async (format) => {
    for (const bytes of [FILES[format], gzipSync(FILES[format])]) {
      const reader = contentReader(source(bytes, 7, 'data'), (found, from) => READERS[found](from));
      expect(await valuesOf(reader)).toEqual(RECORDS);
      const message = `the file is read as ${format}, as its content shows; name the format if it is another`;
      expect(reader.notes?.()).toEqual(format === 'json' ? [] : [{ code: 'format', message, format }]);
      expect(reader.textValues).toBe(format === 'csv' || format === 'xlsx');
    }
  });

  it('is refused when it is empty', async () => {
    const reader = contentReader(source('', 7, 'data'), (found, from) => READERS[found](from));
    await expect(readAll(reader)).rejects.toThrow('data is empty');
  });

  it.each([
    ['an object in each line', '{"a":1}\r\n\n{"a":2}', 'ndjson'],
    ['a document in one line, with its records inside', '{"items":[{"a":1}]}\n', 'json'],
    ['a document of many lines', '{\n"items": []\n}', 'json'],
  ])('and is JSON: %s', async (_, content, format) => {
    const found: string[] = [];
    const reader = contentReader(source(content), (name, from) => {
      found.push(name);
      return ndjsonReader(from, { keepsFaults: true });
    });
    await readAll(reader);
    expect(found).toEqual([format]);
  });
});

describe('with --skip-invalid a JSON document', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  const many = `[${'1,'.repeat(60_000)}1]`;

  it.each<[string, string, string]>([
    ['nested too deep', `{"a":${nested(300)}}`, '[1] is nested deeper than 256 levels'],
    ['nested far too deep', nested(2000), '[1] is nested deeper than 256 levels'],
    ['of too many values', many, '[1] has more than 50000 values'],
    ['with a name twice', '{"b":{"a":1,"a":[{"c":2}]},"d":[3]}', '[1] has the name "a" twice in one object'],
    ['that is a number of endless digits', '9'.repeat(1500), '[1] has a number of more than 1000 digits'],
  ])('goes on behind a record %s', async (_, record, reason) => {
    const content = `{"items":[{"id":1},${record},{"id":2}],"rest":{}}`;
    for (const size of [100, 100_000]) {
      const reader = jsonReader(source(content, size), { pick: 'items', keepsFaults: true });
      const records = await readAll(reader);
      expect(records.map(({ at, value, fault }) => [at, value, fault?.message.includes(reason.slice(3))])).toEqual([
        [0, { id: 1 }, undefined],
        [1, null, true],
        [2, { id: 2 }, undefined],
      ]);
      await expect(readAll(jsonReader(source(content, size), { pick: 'items' }))).rejects.toThrow(reason.slice(3));
    }
  });

  it('goes on behind a record that is too long', async () => {
    const texts = Array.from({ length: 20 }, () => JSON.stringify('x'.repeat(1_000_000)));
    const content = `[{"id":1},{"a":[${texts.join()}]},{"id":2}]`;
    const records = await readAll(jsonReader(source(content, 65_536), { keepsFaults: true }));
    expect(records.map(({ value, fault }) => [value, fault?.code])).toEqual([
      [{ id: 1 }, undefined],
      [null, 'invalid_input'],
      [{ id: 2 }, undefined],
    ]);
  });
});
