// What of a CSV file cannot be read is a fault of one record: the next line is read again. And what people write that the
// standard leaves open is read as spreadsheets read it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvReader } from '../../../src/import/readers/csv.ts';
import type { RawRecord } from '../../../src/import/readers/raw-record.ts';
import { readAll, source } from '../sources.ts';

async function read(text: string, size?: number): Promise<readonly RawRecord[]> {
  return readAll(csvReader(source(text, size, 'file.csv'), { keepsFaults: true }));
}

/** Values, and for a fault its line and the words after the file's name. */
function shown(records: readonly RawRecord[]): readonly unknown[] {
  return records.map(({ value, at, fault }) => (fault === undefined ? value : [at, value, fault.message.slice(10)]));
}

const STRAY =
  'after the quote that ends a field expected the delimiter or the end of the line; a quote inside is doubled';

describe('a record that cannot be read is a fault, and reading goes on', () => {
  it.each<[string, string, readonly unknown[]]>([
    [
      'after a quote that ends a field too early',
      'id,name\n1,"the "Fund" of air"\n2,b\n',
      [
        [2, ['1', '"the "Fund" of air"'], `the record that begins in line 2, column "name": ${STRAY}`],
        { id: '2', name: 'b' },
      ],
    ],
    [
      'after a quote that has no end, in the next line',
      'id,name\n1,"x\n2,b\n\n3,c\n',
      [
        [2, '1,"x', 'the record that begins in line 2, column "name": the quoted field has no end'],
        { id: '2', name: 'b' },
        { id: '3', name: 'c' },
      ],
    ],
    [
      'after a quote without end in the last line',
      'id,name\r\n1,a\r\n2,"b',
      [
        { id: '1', name: 'a' },
        [3, '2,"b', 'the record that begins in line 3, column "name": the quoted field has no end'],
      ],
    ],
    [
      'after two lines that each have one',
      'id,name\n1,"x\n2,"y\n3,c\n',
      [[2, ['1', '"x\n2,"y'], `the record that begins in line 2, column "name": ${STRAY}`], { id: '3', name: 'c' }],
    ],
    [
      'after a row of another width',
      'id,name\n1\n2,b\n3,c,d\n',
      [
        [2, ['1'], 'line 2 has 1 field, the header 2'],
        { id: '2', name: 'b' },
        [4, ['3', 'c', 'd'], 'line 4 has 3 fields, the header 2'],
      ],
    ],
  ])('%s', async (_, text, expected) => {
    for (const size of [undefined, 1, 7]) expect(shown(await read(text, size))).toEqual(expected);
  });

  it('but not in the header, without which no record can be understood', async () => {
    await expect(read('"id,name\n1,a\n')).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('whatever the lines between: none is lost, and each fault names its own', async () => {
    const broken = fc.constantFrom('9,"x "y" z"', '9,"a"b', '9,""a');
    const whole = fc.constantFrom('1,a', '2,"b ""c"" d"', '3,5" gauge', '4,"two\nlines"', '5,');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(broken, whole), { maxLength: 12 }), async (rows) => {
        const records = await read(['id,name', ...rows].join('\n'));
        expect(records).toHaveLength(rows.length);
        let line = 2;
        records.forEach(({ at, fault }, index) => {
          const row = rows[index]!;
          expect([at, fault === undefined]).toEqual([line, !row.startsWith('9')]);
          line += row.split('\n').length;
        });
      }),
      { numRuns: 60 },
    );
  });
});

describe('a quote inside a field that does not begin with one is a character', () => {
  it.each([
    ['id,title\n1,Main St 5" gauge\n2,b\n', ['Main St 5" gauge', 'b']],
    ['id\ttitle\n1\tState "X" office\n2\tb\n', ['State "X" office', 'b']],
    ['id,title\n1,a""b\n', ['a""b']],
    ['id,title\n1,"a ""b"" c"\n', ['a "b" c']],
    ['id,title\n1,"""b"""\n', ['"b"']],
  ])('%j', async (text, titles) => {
    const records = await read(text);
    expect(records.map(({ value }) => (value as { readonly title: string }).title)).toEqual(titles);
  });
});

describe('spaces that follow every delimiter belong to it', () => {
  it.each([
    ['id; title; note\n1; A; x\n2; B;\n', { id: '1', title: 'A', note: 'x' }],
    ['id, title, note\n1, "a, b", x\n2, "c, d", y\n', { id: '1', title: 'a, b', note: 'x' }],
  ])('%j', async (text, first) => {
    expect((await read(text))[0]!.value).toEqual(first);
  });

  it('but those that follow some are of the text', async () => {
    const [first] = await read('id,title\n1, A\n2,B\n3,C\n');
    expect(first!.value).toEqual({ id: '1', title: ' A' });
  });
});

describe('where nearly all rows have another width than the header', () => {
  const rows = (cells: string, odd: string): string => [...Array.from({ length: 9 }, () => cells), odd].join('\n');

  it('the last columns are empty in shorter rows', async () => {
    const records = await read(`id,name,note\n${rows('1,a', '1')}\n`);
    expect(records[0]!.value).toEqual({ id: '1', name: 'a', note: null });
    expect(records[9]!.fault?.message).toBe('file.csv: line 11 has 1 field, the header 3');
  });

  it('the last columns of longer rows have no name', async () => {
    const records = await read(`id,name\n${rows('1,a,x', '1,a,x,y')}\n`);
    expect(records[0]!.value).toEqual({ id: '1', name: 'a', 'column C': 'x' });
    expect(records[9]!.fault?.message).toBe('file.csv: line 11 has 4 fields, the header 3');
  });
});
