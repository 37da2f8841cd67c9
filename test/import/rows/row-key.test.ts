import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RowKeys, rowText } from '../../../src/import/rows/row-key.ts';
import { openRecordStream } from '../../../src/import/record-stream.ts';
import { csvReader } from '../../../src/import/readers/csv.ts';
import { exactNumber } from '../../../src/import/readers/exact-number.ts';
import { jsonReader } from '../../../src/import/readers/json.ts';
import type { RawObject, RecordReader } from '../../../src/import/readers/raw-record.ts';
import { parseMapping } from '../../../src/import/mapping/mapping.ts';
import { source } from '../sources.ts';

const SECRET = new Uint8Array(32).fill(7);

const keysOf = (rows: readonly RawObject[], secret: Uint8Array | null = SECRET): string[] => {
  const keys = new RowKeys(secret);
  return rows.map((row) => keys.next(row));
};

describe('the text of a row', () => {
  it.each<[string, RawObject, string]>([
    ['has its names in order', { b: 'y', a: 'x' }, '{"a":"x","b":"y"}'],
    ['has every value as its text', { n: 5, t: true, e: exactNumber('1.10') }, '{"e":"1.10","n":"5","t":"true"}'],
    ['has no empty value', { a: null, b: '', c: ' ' }, '{"c":" "}'],
    ['has names without what nobody sees', { ' a ': '1', 'u\u0308': '2' }, '{"a":"1","ü":"2"}'],
    ['has both of two names that differ in what nobody sees', { a: '1', 'a ': '2' }, '{"a":"1","a ":"2"}'],
    ['has lists and objects as JSON', { a: [{ c: 1, b: 2 }] }, '{"a":"[{\\"b\\":2,\\"c\\":1}]"}'],
  ])('%s', (_, row, text) => {
    expect(rowText(row)).toBe(text);
  });
});

describe('the key of a row', () => {
  it('is 24 digits, other ones with another secret, and those of SHA-256 without one', () => {
    const [key] = keysOf([{ a: 'x' }]);
    expect(key).toMatch(/^[0-9a-f]{24}$/);
    expect(keysOf([{ a: 'x' }], new Uint8Array(32).fill(8))).not.toEqual([key]);
    // printf '{"a":"x"}' | sha256sum
    expect(keysOf([{ a: 'x' }], null)).toEqual(['bac82bcae3ff0e486fd02d6d']);
  });

  it('has a number where the same row comes again', () => {
    const [a, b] = keysOf([{ a: 'x' }, { a: 'y' }]);
    const rows = [{ a: 'x' }, { a: 'y' }, { a: 'x' }, { a: 'x' }, { a: 'y' }];
    expect(keysOf(rows)).toEqual([a, b, `${a!}-2`, `${a!}-3`, `${b!}-2`]);
  });

  it('is the same whatever the order of rows and columns', () => {
    const row = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean()), { maxKeys: 4 });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 8 }), (rows) => {
        const turned = rows.toReversed().map((each) => Object.fromEntries(Object.entries(each).toReversed()));
        const names = (all: readonly RawObject[]): boolean =>
          all.every(
            (each) =>
              new Set(Object.keys(each).map((name) => name.trim().normalize())).size === Object.keys(each).length,
          );
        fc.pre(names(rows));
        expect(keysOf(turned).sort()).toEqual(keysOf(rows).sort());
      }),
    );
  });
});

describe('a file without an identifier', () => {
  const CSV = 'name;amount\nX;3 000\nY;1 250\nX;3 000\n';
  const read = async (reader: RecordReader, title = 'title=name'): Promise<string[]> => {
    const mapping = parseMapping([`${title},source_url=https://example.org/{name}`]);
    const stream = await openRecordStream(reader, { rowSecret: SECRET, observedAt: '2026-01-01', mapping });
    const ids: string[] = [];
    for await (const { records } of stream.pages()) ids.push(...records.map(({ id }) => id));
    return ids;
  };

  it('has a record for each row, the same in every mapping and format', async () => {
    const ids = await read(csvReader(source(CSV)));
    expect(new Set(ids).size).toBe(3);
    expect(ids[2]).toBe(`${ids[0]!}-2`);
    expect(await read(csvReader(source(CSV)), 'title=amount')).toEqual(ids);
    const rows = [
      { amount: '3 000', name: 'X' },
      { name: 'Y', amount: '1 250' },
      { name: 'X', amount: '3 000' },
    ];
    expect(await read(jsonReader(source(JSON.stringify(rows))))).toEqual(ids);
  });

  it('may have a column called id that repeats', async () => {
    const ids = await read(csvReader(source('id,name\n1,X\n1,Y\n')));
    expect(new Set(ids).size).toBe(2);
  });
});
