import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMapping } from '../../../src/import/mapping/mapping.ts';
import { exactNumber } from '../../../src/import/readers/exact-number.ts';
import { jsonReader } from '../../../src/import/readers/json.ts';
import { ndjsonReader } from '../../../src/import/readers/ndjson.ts';
import type { RecordReader } from '../../../src/import/readers/raw-record.ts';
import { importRecords } from '../../../src/import/importer.ts';
import { openRecordStream } from '../../../src/import/record-stream.ts';
import { canonicalJson, type JsonValue } from '../../../src/register/canonical-json.ts';
import { defineRegister } from '../../../src/register/definition.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { source, valuesOf } from '../sources.ts';

/** The same records in a file of each format. */
function readers(records: readonly string[]): readonly RecordReader[] {
  return [jsonReader(source(`[${records.join(',')}]`)), ndjsonReader(source(records.join('\n')))];
}

/** What a number of a file becomes, at the top and in a list, next to a text that looks like it. */
async function readNumber(number: string): Promise<unknown> {
  const [first, ...others] = await Promise.all(
    readers([`{"n":${number},"s":"${number}","l":[ ${number} ]}`]).map(valuesOf),
  );
  for (const other of others) expect(other).toEqual(first);
  const { n, s, l } = first![0] as { readonly n: unknown; readonly s: unknown; readonly l: readonly unknown[] };
  expect(s).toBe(number);
  expect(l).toEqual([n]);
  return n;
}

describe('a number of a JSON text', () => {
  it.each([
    '12345678901234567.89',
    '0.1234567890123456789',
    '-0.1000000000000000055511151231257827',
    '1e400',
    '-1.5E+999',
    '1e-400',
    '1.23456789e-320',
    '9007199254740993e0',
    '1.7976931348623159e308',
  ])('that a double does not give back keeps its digits: %s', async (number) => {
    expect(await readNumber(number)).toEqual(exactNumber(number));
  });

  it('keeps its digits wherever it is in a line', async () => {
    const records = Array.from(
      { length: 40 },
      (_, at) => `{"s":"${'x'.repeat(at)}","n":9007199254740993,"m":0.123456}`,
    );
    for (const values of await Promise.all(readers(records).map(valuesOf))) {
      expect(values).toHaveLength(40);
      for (const value of values) expect(value).toMatchObject({ n: 9007199254740993n, m: 0.123456 });
    }
  });

  it.each([
    ['9007199254740993', 9007199254740993n],
    ['9007199254740994', 9007199254740994n],
    ['-100000000000000000000', -100000000000000000000n],
  ])('that is an integer beyond 2^53 is a bigint: %s', async (number, expected) => {
    expect(await readNumber(number)).toBe(expected);
  });

  it.each(['0', '-1.5', '1e20', '1.5e-100', '13.404953999999998', '5e-324', '0.30000000000000004', '0e999', '1.10'])(
    'that a double gives back is one: %s',
    async (number) => {
      expect(await readNumber(number)).toBe(Number(number));
    },
  );

  it('that JavaScript wrote is a double, and one with another digit behind it is not', async () => {
    const double = fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true });
    await fc.assert(
      fc.asyncProperty(double, async (value) => {
        const text = JSON.stringify(value);
        expect(await readNumber(text)).toBe(value);
        const [digits, exponent] = text.split('e');
        const longer = `${digits!.includes('.') ? digits : `${digits}.0`}00000000000000001${exponent === undefined ? '' : `e${exponent}`}`;
        expect(await readNumber(longer)).toEqual(exactNumber(longer));
      }),
      { numRuns: 100 },
    );
  });
});

describe('a number inside of a list or an object', () => {
  const definition = defineRegister({
    id: 'r',
    title: 'R',
    created_at: '2026-01-01T00:00:00Z',
    fields: [{ name: 'j', type: 'json' }],
  });
  /** What a record has of such a number, its statement, and what is said of the file. */
  const inside = async (number: string) => {
    const text = `{"id":1,"title":"t","source_url":"https://example.org/","j":{"a":[${number}],"n":${number}}}`;
    const answers = readers([text]).map(async (reader) => {
      const options = { definition, observedAt: '2026-01-01' };
      const [page] = await Array.fromAsync((await openRecordStream(reader, options)).pages());
      return [page!.records[0]!.data.j as { readonly a: readonly unknown[] }, reader.notes?.().length] as const;
    });
    const [first, ...others] = await Promise.all(answers);
    for (const other of others) expect(other).toEqual(first);
    const [json, notes] = first!;
    const [item] = json.a;
    expect(json).toEqual({ a: [item], n: item });
    return { number: item, canonical: canonicalJson(json as unknown as JsonValue), notes };
  };

  it.each([
    ['26.912434000000001', 26.912434],
    ['-80.069999999999993', -80.07],
    ['0.1000000000000000055511151231257827', 0.1],
    ['1.0000000000000000000000', 1],
    ['4.9406564584124654e-324', 5e-324],
    ['1.7976931348623157e+308', Number.MAX_VALUE],
  ])('is a double where its digits are those of the double, rounded: %s', async (text, number) => {
    expect(await inside(text)).toEqual({ number, canonical: `{"a":[${number}],"n":${number}}`, notes: 0 });
  });

  it.each(['26.912434000000002', '12345678901234567.89', '1e400', '9007199254740992', '1e-400'])(
    'stays text of its digits where the double has others, or may be of another integer: %s',
    async (text) => {
      expect(await inside(text)).toMatchObject({ number: text, notes: 1 });
    },
  );

  it('is the double that any number of its digits was written of, by the same canonical JSON', async () => {
    const double = fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true });
    await fc.assert(
      fc.asyncProperty(double, fc.integer({ min: 17, max: 100 }), async (value, digits) => {
        const text = value.toPrecision(digits);
        const { number, canonical } = await inside(text);
        expect(number).toBe(value);
        // What is stated comes back from the statement (RFC 8785), to its last digit.
        const [again] = (JSON.parse(canonical) as { readonly a: readonly number[] }).a;
        expect(again!.toPrecision(digits)).toBe(text);
        expect(await inside(String(again))).toMatchObject({ canonical });
      }),
      { numRuns: 50 },
    );
  });
});

describe('numbers that are kept as text of digits', () => {
  it('are counted and named by their property', async () => {
    const records = [
      '{"id":9007199254740993,"amount":1e400}',
      '{"amount":0.1234567890123456789,"geo":{"points":[[9007199254740993,1]]}}',
    ];
    const words =
      '3 numbers are kept as text of digits, because a double does not hold them: "amount" (2), "points" (1); the first is "1e400" in ';
    const notes: unknown[] = [];
    for (const reader of readers(records)) {
      await valuesOf(reader);
      notes.push(reader.notes?.());
    }
    expect(notes).toEqual(['[0]', 'line 1'].map((place) => [{ code: 'exact_numbers', message: `${words}${place}` }]));
  });

  it('are in no file whose numbers all are doubles', async () => {
    for (const reader of readers(['{"a":1.5,"b":"12345678901234567.89, 12345678901234567.89 ","c":[0,1e20]}'])) {
      await valuesOf(reader);
      expect(reader.notes?.()).toEqual([]);
    }
  });

  it('fill fields of every type that can show them', async () => {
    const digits = '12345678901234567.89';
    const definition = defineRegister({
      id: 'r',
      title: 'R',
      created_at: '2026-01-01T00:00:00Z',
      fields: [
        { name: 'text', type: 'text' },
        { name: 'decimal', type: 'decimal' },
        { name: 'number', type: 'number' },
        { name: 'json', type: 'json' },
      ],
    });
    const fields = definition.fields.map(({ name }) => `"${name}":${name === 'json' ? `{"a":[${digits}]}` : digits}`);
    const text = `{"id":1,"title":${digits},"author":${digits},"source_url":"https://example.org/",${fields.join(',')}}`;
    for (const reader of readers([text])) {
      const mapping = parseMapping(['summary={author}']);
      const stream = await openRecordStream(reader, { definition, observedAt: '2026-01-01', mapping });
      const [page] = await Array.fromAsync(stream.pages());
      expect(page!.records[0]).toMatchObject({
        title: digits,
        summary: digits,
        data: { text: digits, decimal: digits, number: 12345678901234568, json: { a: [digits] } },
      });
    }
  });

  it('are kept in a store, whatever the definition shows of them', async () => {
    const store = SqliteStore.open(':memory:');
    await store.createRegister(defineRegister({ id: 'r', title: 'R', created_at: '2026-01-01T00:00:00Z', fields: [] }));
    const digits = '12345678901234567.89';
    const lines = [`"n":1,"j":[]`, `"n":${digits},"j":[${digits}]`].map(
      (members, id) => `{"id":${id},"title":"t","source_url":"https://example.org/",${members}}`,
    );
    const { definition } = await importRecords(store, 'r', ndjsonReader(source(lines.join('\n'))), {
      now: () => Date.parse('2026-05-01T00:00:00Z'),
      order: 'oldest-first',
    });
    expect(definition.fields).toMatchObject([
      { name: 'n', type: 'decimal' },
      { name: 'j', type: 'json' },
    ]);
    const shown = async (): Promise<unknown> => {
      const { records } = await (await store.source('r')).page({ offset: 0, limit: 1 });
      return records[0]!.data;
    };
    expect(await shown()).toEqual({ n: digits, j: [digits] });
    const fields = definition.fields.map(
      (field) => ({ ...field, type: field.name === 'n' ? 'text' : 'json' }) as const,
    );
    await store.updateRegister({ ...definition, fields }, { recordedAt: '2026-05-02T00:00:00Z' });
    expect(await shown()).toEqual({ n: digits, j: [digits] });
    await store.close();
  });

  it('are refused where not even the nearest double exists', async () => {
    const definition = defineRegister({
      id: 'r',
      title: 'R',
      created_at: '2026-01-01T00:00:00Z',
      fields: [{ name: 'n', type: 'number' }],
    });
    for (const reader of readers(['{"id":1,"title":"t","source_url":"https://example.org/","n":1e400}'])) {
      const stream = await openRecordStream(reader, { definition, observedAt: '2026-01-01' });
      await expect(Array.fromAsync(stream.pages())).rejects.toMatchObject({ code: 'invalid_record' });
    }
  });
});
