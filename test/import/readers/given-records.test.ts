import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { RecordReader } from '../../../src/import/readers/raw-record.ts';
import { jsonReader, type JsonReaderOptions } from '../../../src/import/readers/json.ts';
import { importRecords } from '../../../src/import/importer.ts';
import { openRecordStream } from '../../../src/import/record-stream.ts';
import { defineRegister } from '../../../src/register/definition.ts';
import { SqliteStore } from '../../../src/stores/index.ts';
import { readAll, valuesOf } from '../sources.ts';

const definition = defineRegister({ id: 'permits', title: 'Permits', created_at: '2026-01-01T00:00:00Z' });
const reader = (records: Iterable<object> | AsyncIterable<object>, options?: JsonReaderOptions): RecordReader =>
  jsonReader({ name: 'the office', records }, options);
const rows = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({
    id: String(index),
    title: `Permit ${index}`,
    source_url: 'https://example.org/p',
    observed_at: '2026-01-02',
    fee: index,
  }));

describe('a reader of records that are given', () => {
  it.each<readonly [string, (given: object[]) => Iterable<object> | AsyncIterable<object>]>([
    ['an array', (given) => given],
    ['a generator', (given) => given.values()],
    ['a Node stream', (given) => Readable.from(given)],
    ['a web stream', (given) => ReadableStream.from(given)],
  ])('reads %s, a page of it at a time', async (_, make) => {
    const batches = await Array.fromAsync(reader(make(rows(250))).batches());
    expect(batches.map(({ records }) => records.length)).toEqual([100, 100, 50]);
    expect(batches.flatMap(({ records }) => records.map(({ value }) => value))).toEqual(rows(250));
    expect(await valuesOf(reader(make([])))).toEqual([]);
  });

  it('is imported as a file is', async () => {
    const store = SqliteStore.open(':memory:');
    await store.createRegister(definition);
    const result = await importRecords(store, 'permits', reader(rows(250).values()), {});
    expect(result).toMatchObject({ added: 250, number: 1 });
    expect((await store.record('permits:249'))?.record?.data).toMatchObject({ fee: 249 });
    expect((await store.imports.list('permits', { limit: 1 }))[0]).toMatchObject({ file: 'the office' });
    await store.close();
  });

  it('takes copies: an object may be used again for the next record', async () => {
    const one = { id: '', list: [''] };
    function* reused(): Generator<object> {
      for (const id of ['1', '2']) {
        one.id = id;
        one.list[0] = id;
        yield one;
      }
    }
    expect(await valuesOf(reader(reused()))).toEqual([
      { id: '1', list: ['1'] },
      { id: '2', list: ['2'] },
    ]);
  });

  it('takes what JSON and a class of one’s own can have, and leaves out what is undefined', async () => {
    class Row {
      readonly id = 12n;
      readonly gone = undefined;
      readonly deep = { list: [1, null, true], ['__proto__']: 'x' };
    }
    expect(await valuesOf(reader([new Row()]))).toEqual([
      {
        id: 12n,
        deep: Object.fromEntries<unknown>([
          ['list', [1, null, true]],
          ['__proto__', 'x'],
        ]),
      },
    ]);
  });

  it.each<readonly [string, unknown, string]>([
    ['a date', { seen: new Date(0) }, 'record 1, seen: a JSON value is expected, got an instance of Date'],
    ['what is no number', { a: [{ b: NaN }] }, 'record 1, a[0].b: a JSON value is expected, got NaN'],
    ['a hole', { a: [undefined] }, 'record 1, a[0]: a JSON value is expected, got undefined'],
    ['half a character', { a: '\ud800' }, 'record 1, a: half a surrogate pair is no text'],
    ['a circle', circle(), 'record 1 is nested deeper than 256 levels'],
    ['more than a record may have', { a: Array(60_000).fill(0) }, 'record 1 has more than 50000 values'],
    [
      'too long a text',
      { a: 'x'.repeat(2 ** 23), b: 'y'.repeat(2 ** 23) },
      'record 1 is longer than 16777216 characters',
    ],
  ])('refuses %s by its place, or passes it on as a fault', async (_, bad, reason) => {
    const given = rows(3).with(1, bad as object);
    const message = `the office: ${reason}`;
    await expect(readAll(reader(given))).rejects.toMatchObject({ code: 'invalid_input', message });
    const kept = await readAll(reader(given, { keepsFaults: true }));
    expect(kept.map(({ at, fault }) => [at, fault?.message])).toEqual([
      [0, undefined],
      [1, message],
      [2, undefined],
    ]);
  });

  it('names a record that does not fit its register by its place', async () => {
    let [taken, isClosed] = [0, false];
    async function* given(): AsyncGenerator<object> {
      try {
        for (const row of rows(450).with(320, { ...rows(1)[0], id: '320', title: '' })) {
          taken++;
          yield await Promise.resolve(row);
        }
      } finally {
        isClosed = true;
      }
    }
    const stream = await openRecordStream(reader(given()), { definition });
    await expect(Array.fromAsync(stream.pages())).rejects.toMatchObject({
      code: 'invalid_record',
      message: expect.stringMatching(/^the office: record 320: title /) as string,
    });
    expect([taken, isClosed]).toEqual([400, true]);
  });

  it.each<readonly [unknown, JsonReaderOptions, string]>([
    ['text', {}, 'the office: records must be an iterable of objects, got "text"'],
    [rows(1), { pick: 'items' }, 'the office: pick is for a file: these records are given as objects'],
    [rows(1), { encoding: 'utf-8' }, 'the office: encoding is for a file: these records are given as objects'],
  ])('refuses %j with %j', (given, options, message) => {
    expect(() => reader(given as object[], options)).toThrow(
      expect.objectContaining({ code: 'invalid_option', message }),
    );
  });

  it('is read once', async () => {
    const once = reader(rows(2));
    await readAll(once);
    await expect(readAll(once)).rejects.toMatchObject({
      code: 'invalid_option',
      message: 'the office: its records were read before, which is possible once',
    });
  });
});

function circle(): object {
  const object: Record<string, unknown> = {};
  object.again = object;
  return object;
}
