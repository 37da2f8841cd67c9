import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvReader } from '../../../src/import/readers/csv.ts';
import type { CsvReaderOptions } from '../../../src/import/readers/csv/table-start.ts';
import { MAX_VALUE_LENGTH } from '../../../src/import/readers/raw-record.ts';
import { openRecordStream } from '../../../src/import/record-stream.ts';
import { defineRegister } from '../../../src/register/definition.ts';
import { readAll, source, valuesOf, WatchedSource } from '../sources.ts';
import { tries } from '../../effort.ts';
import { character } from '../../properties/arbitraries.ts';

const read = (content: string | Uint8Array, options?: CsvReaderOptions, size?: number): ReturnType<typeof readAll> =>
  readAll(csvReader(source(content, size, 'file.csv'), options));

describe('a CSV file is read', () => {
  it.each<[string, string, readonly unknown[]]>([
    ['with CRLF', 'a,b\r\n1,2\r\n', [{ a: '1', b: '2' }]],
    ['with LF, and without a line end at its end', 'a,b\n1,2', [{ a: '1', b: '2' }]],
    ['with CR', 'a,b\r1,2\r', [{ a: '1', b: '2' }]],
    ['with a byte order mark', '\ufeffa\r\n1', [{ a: '1' }]],
    ['with a comma, a doubled quote and a line break in quotes', 'a\r\n"x,""y""\r\nz"', [{ a: 'x,"y"\r\nz' }]],
    ['with empty fields, quoted or not, as null', 'a,b,c\r\n1,"",\r\n', [{ a: '1', b: null, c: null }]],
    ['with white space kept', 'a\r\n x \r\n', [{ a: ' x ' }]],
    ['with quoted names', '"a b","__proto__"\n1,2', [{ 'a b': '1', ['__proto__']: '2' }]],
    ['with no record', 'a,b\r\n', []],
    ['with gazette’s formula guard left as it is', "a\r\n'=1\r\n", [{ a: "'=1" }]],
  ])('%s', async (_, content, expected) => {
    expect(await valuesOf(csvReader(source(content)))).toEqual(expected);
  });

  it('in the line each record begins in, blank lines and line breaks inside quotes counted', async () => {
    const records = await read('a,b\r\n\r\n1,"x\r\ny\n\nz"\r\n2,\r\n\n\n3,');
    expect(records.map(({ at }) => at)).toEqual([3, 7, 10]);
    expect((await read('a\r1\r\r2\n3\r\n4', {}, 1)).map(({ at }) => at)).toEqual([2, 4, 5, 6]);
  });

  it('without rows of empty fields, as spreadsheets write them below a table', async () => {
    expect(await read('a,b\n1,2\n,\n"",""\n3,\n,\n')).toEqual([
      { value: { a: '1', b: '2' }, at: 2 },
      { value: { a: '3', b: null }, at: 5 },
    ]);
  });

  it('with another delimiter', async () => {
    expect(await read('a;b\n1,5;2', { delimiter: ';' })).toEqual([{ value: { a: '1,5', b: '2' }, at: 2 }]);
  });

  it('whatever its values are and wherever its bytes are cut', async () => {
    const text = fc.string({ unit: character }).map((value) => value.toWellFormed().replaceAll('\ufeff', ''));
    const table = fc.array(fc.tuple(text, text), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(table, fc.integer({ min: 1, max: 9 }), async (rows, size) => {
        const field = (value: string): string => `"${value.replaceAll('"', '""')}"`;
        const content = `a,b\r\n${rows.map((row) => row.map(field).join(',')).join('\r\n')}`;
        const filled = rows.filter((row) => row.some((value) => value !== ''));
        const expected = filled.map(([a, b]) => ({ a: a === '' ? null : a, b: b === '' ? null : b }));
        // Said: two rows with tabs inside quotes may as well be those of another table.
        expect(await valuesOf(csvReader(source(content, size), { delimiter: ',' }))).toEqual(expected);
      }),
      { numRuns: tries(150), examples: [[[['', '\t\0\n\t\0']], 1]] },
    );
  });

  it('into the types of the definition', async () => {
    const definition = defineRegister({
      id: 'r',
      title: 'R',
      created_at: '2026-01-01T00:00:00Z',
      fields: [
        { name: 'n', type: 'number' },
        { name: 'i', type: 'integer' },
        { name: 'b', type: 'boolean' },
        { name: 'd', type: 'date' },
        { name: 'j', type: 'json' },
      ],
    });
    const head = 'id,title,source_url,version,n,i,b,d,j';
    const row = 'r:7,T,https://example.org/,3,-1.5e2,12345678901234567890,TRUE,2026-04-17,"{""a"":[1,""x""]}"';
    const stream = await openRecordStream(csvReader(source(`${head}\n${row}\n8,T,https://example.org/,,,,,,`)), {
      definition,
      observedAt: '2026-05-01',
    });
    const records = [];
    for await (const page of stream.pages()) records.push(...page.records);
    expect(records.map(({ id, version, data }) => ({ id, version, data }))).toEqual([
      {
        id: 'r:7',
        version: 3,
        data: { n: -150, i: '12345678901234567890', b: true, d: '2026-04-17', j: { a: [1, 'x'] } },
      },
      { id: 'r:8', version: 1, data: { n: null, i: null, b: null, d: null, j: null } },
    ]);
  });
});

describe('a CSV file is refused with the line', () => {
  it.each<[string, string | Uint8Array, string, number | undefined]>([
    ['a row too short', 'a,b\n1,2\n3\n', 'line 3 has 1 field, the header 2', 3],
    ['a row too long', 'a,b\n1,2,3\n', 'line 2 has 3 fields, the header 2', 2],
    ['a row too short behind a long field', 'a,b\n1,"x\ny\n"\n3', 'line 5 has 1 field, the header 2', 5],
    ['no names', ',,\nx,y,z\n', 'line 1: no column has a name', 1],
    ['no header', '\n\n', 'is empty; expected a line with the names of the columns', undefined],
    ['text behind a closing quote', 'a,b\n1,"x"y\n', 'begins in line 2, column "b": after the quote', 2],
    ['a quote without end', 'a\n1\n"x\ny\n', 'begins in line 3, column "a": the quoted field has no end', 3],
    [
      'bytes that are no UTF-8',
      Uint8Array.of(0x61, 0x0a, 0xc3, 0xa9, 0x0a, 0xff, 0x0a),
      'line 3, column "a" has bytes that are no text; if the file has another encoding',
      3,
    ],
  ])('for %s', async (_, content, message, line) => {
    await expect(read(content)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(message) as string,
      details: line === undefined ? { input: 'file.csv' } : { input: 'file.csv', line },
    });
  });

  it('for a record of fields without end, long before its text is', async () => {
    const piece = ','.repeat(65_536);
    const endless = new WatchedSource(
      (function* () {
        yield 'a,b\n1,2\n';
        for (;;) yield piece;
      })(),
    );
    await expect(readAll(csvReader(endless))).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(
        'the record that begins in line 3 has more than 1000000 delimiters; a table has at most 16384 columns',
      ) as string,
    });
    expect(endless.taken).toBeLessThan(20);
    expect(endless.closed).toBe(1);
  });

  it('for a delimiter that is none', () => {
    for (const delimiter of ['', ',,', '"', '\n', '\r']) {
      expect(() => csvReader(source('a'), { delimiter })).toThrow('delimiter must be one character');
    }
  });

  it('for JSON that is none, and for a text where a number should be', async () => {
    const definition = defineRegister({
      id: 'r',
      title: 'R',
      created_at: '2026-01-01T00:00:00Z',
      fields: [
        { name: 'n', type: 'number' },
        { name: 'j', type: 'json' },
      ],
    });
    const open = async (n: string, j: string): Promise<unknown> => {
      const content = `id,title,source_url,n,j\n1,T,https://example.org/,${n},${j}\n`;
      const stream = await openRecordStream(csvReader(source(content, undefined, 'f.csv')), {
        definition,
        observedAt: '2026-05-01',
      });
      return stream.pages().next();
    };
    await expect(open('"1,5"', '1')).rejects.toThrow('f.csv: line 2: data.n must be a number, got "1,5"');
    await expect(open('1', 'x')).rejects.toThrow(
      'f.csv: line 2: data.j must be JSON text (a text itself in quotes), got "x"',
    );
    await expect(open('1', '"{""a"":1,""a"":2}"')).rejects.toThrow('f.csv: line 2: data.j has the name "a" twice');
  });

  it('for a field without end, having read little more than the limit', async () => {
    let taken = 0;
    const endless = {
      name: 'file.csv',
      *open() {
        yield Buffer.from('a,b\n1,"');
        for (; taken < 300; taken++) yield Buffer.alloc(1_048_576, 'x');
      },
    };
    await expect(readAll(csvReader(endless))).rejects.toMatchObject({
      code: 'invalid_input',
      message: `file.csv: the record that begins in line 2, column "b": longer than ${MAX_VALUE_LENGTH} bytes, the most that is read`,
    });
    expect(taken).toBeLessThan(20);
  });
});
