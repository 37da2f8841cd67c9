import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { exportHandler } from '../../../src/export/handler.ts';
import { exportPage } from '../../../src/export/page.ts';
import { exportRegister } from '../../../src/export/register.ts';
import { findFormat } from '../../../src/formats/index.ts';
import { defineRegister } from '../../../src/register/definition.ts';
import type { RecordInput } from '../../../src/register/record-input.ts';
import type { RegisterRecord } from '../../../src/register/record.ts';
import { fromRecords } from '../../../src/register/sources/from-records.ts';
import { pages, type RegisterSource, type RegisterStream } from '../../../src/register/sources/source.ts';
import { until } from '../../until.ts';

const definition = defineRegister({
  id: 'permits',
  title: 'Permits',
  created_at: '2026-01-01T00:00:00Z',
  authority: 'example.org',
  year: 2026,
});
const input = (id: number, more: Partial<RecordInput> = {}): RecordInput => ({
  id: String(id),
  title: `Permit ${id}`,
  source_url: `https://example.org/${id}`,
  observed_at: '2026-04-19T08:12:44Z',
  ...more,
});
const inputs = (count: number): RecordInput[] => Array.from({ length: count }, (_, index) => input(index));

/** An iterable of records that counts what is taken of it, and whether it was closed. */
class Watched {
  taken = 0;
  closed = 0;
  readonly #records: readonly RecordInput[];
  readonly #end: () => Promise<void>;

  constructor(records: readonly RecordInput[], end: () => Promise<void> = async () => Promise.resolve()) {
    this.#records = records;
    this.#end = end;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RecordInput, void, undefined> {
    try {
      for (const record of this.#records) {
        this.taken++;
        yield record;
      }
      await this.#end();
    } finally {
      this.closed++;
    }
  }
}

async function recordsOf(register: RegisterSource | RegisterStream): Promise<RegisterRecord[]> {
  return (await Array.fromAsync(pages(register))).flatMap(({ records }) => records);
}

const csv = findFormat('csv');
const text = async (register: RegisterSource | RegisterStream, format = csv): Promise<string> =>
  Buffer.concat(await Array.fromAsync(exportRegister(register, format))).toString();

describe('fromRecords over an iterable', () => {
  it.each<readonly [string, (records: RecordInput[]) => Iterable<RecordInput> | AsyncIterable<RecordInput>]>([
    ['a generator', (records) => records.values()],
    ['a set', (records) => new Set(records)],
    ['an async iterable', (records) => new Watched(records)],
    ['a Node stream of objects', (records) => Readable.from(records)],
    ['a web stream of objects', (records) => ReadableStream.from(records)],
  ])('reads %s in pages of 100, in its order', async (_, make) => {
    for (const count of [0, 1, 100, 101, 250]) {
      const found = await Array.fromAsync(pages(fromRecords(definition, make(inputs(count)))));
      expect(found.map(({ records, nextOffset, asOf }) => [records.length, nextOffset, asOf])).toEqual(
        Array.from({ length: Math.max(1, Math.ceil(count / 100)) }, (_page, at) => [
          Math.min(100, count - at * 100),
          (at + 1) * 100 < count ? (at + 1) * 100 : null,
          null,
        ]),
      );
      expect(found.flatMap(({ records }) => records.map(({ id, position }) => [id, position]))).toEqual(
        inputs(count).map(({ id }) => [`permits:${id}`, null]),
      );
    }
  });

  it('writes the document that an array gives, without positions', async () => {
    const register = fromRecords(definition, new Watched(inputs(250)), { order: 'newest-first' });
    const array = fromRecords(definition, inputs(250), { order: 'newest-first' });
    expect(await text(register)).toBe((await text(array)).replaceAll(/,1,\d+\r\n/g, ',1,\r\n'));
  });

  it('is a source when an array stands behind the type', async () => {
    const behind: Iterable<RecordInput> = inputs(2);
    expect((await recordsOf(fromRecords(definition, behind))).map(({ position }) => position)).toEqual([2, 1]);
  });

  it('takes a record more than the page that is asked for, and no other', async () => {
    const source = new Watched(inputs(500));
    const walk = pages(fromRecords(definition, source));
    const taken: number[] = [];
    for await (const { records } of walk) {
      taken.push(source.taken);
      if (records[0]!.id === 'permits:200') break;
    }
    expect([taken, source.closed]).toEqual([[101, 201, 301], 1]);
  });

  it.each<readonly [string, RecordInput, object]>([
    [
      'a bad record by its place in the iteration',
      input(150, { title: '' }),
      { code: 'invalid_record', message: 'record 150: title must be text that is not empty, got ""' },
    ],
    [
      'two records of one id by both places, pages apart',
      input(20),
      { code: 'duplicate_id', message: 'record 150: id "permits:20" is also that of record 20' },
    ],
    ['null for a record', null as never, { message: 'record 150: record must be an object, got null' }],
  ])('names %s, and closes the iterable', async (_, bad, error) => {
    const source = new Watched(inputs(300).with(150, bad));
    await expect(text(fromRecords(definition, source))).rejects.toMatchObject(error);
    expect([source.taken, source.closed]).toEqual([151, 1]);
  });

  it('ends in the error of the iterable', async () => {
    const failed = new Error('the cursor is gone');
    const source = new Watched(inputs(150), async () => Promise.reject(failed));
    await expect(text(fromRecords(definition, source))).rejects.toBe(failed);
  });

  it('is cancelled while the iterable gives nothing, and closes it with the record that comes then', async () => {
    const [waits, goesOn] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const source = {
      taken: 0,
      closed: false,
      async *[Symbol.asyncIterator]() {
        try {
          for (const record of inputs(300)) {
            source.taken++;
            if (source.taken === 150) {
              waits.resolve(undefined);
              await goesOn.promise;
            }
            yield record;
          }
        } finally {
          source.closed = true;
        }
      },
    };
    const controller = new AbortController();
    const { signal } = controller;
    const reading = Array.fromAsync(exportRegister(fromRecords(definition, source), csv, { signal }));
    await waits.promise;
    controller.abort();
    await expect(reading).rejects.toMatchObject({ code: 'aborted' });
    goesOn.resolve(undefined);
    await until('it is closed', () => source.closed);
    expect(source.taken).toBe(150);
  });

  it.each([() => inputs(2).values(), () => new Set(inputs(2))])('refuses to be read twice', async (make) => {
    const register = fromRecords(definition, make());
    await text(register);
    await expect(text(register)).rejects.toMatchObject({
      code: 'invalid_option',
      message: 'register permits: its records were read before, which is possible once',
    });
  });

  it.each(['oldest-first', 'by-date'] as const)('refuses to be turned round: %s', (order) => {
    expect(() => fromRecords(definition, inputs(2).values(), { order })).toThrow(
      expect.objectContaining({
        code: 'invalid_option',
        message: `order must be newest-first for records that are read once, as they come (await Array.fromAsync(…) makes an array of them), got "${order}"`,
      }),
    );
    expect(() => fromRecords(definition, inputs(2).values(), { order: 'newest' as never })).toThrow(
      /^order must be one/,
    );
  });

  it('refuses single pages, which a program without types asks for', async () => {
    const refusal = { code: 'invalid_option', message: /^register permits: a one-pass stream has no single pages/ };
    const stream = (): RegisterSource => fromRecords(definition, inputs(2).values()) as RegisterSource;
    expect(() => exportHandler(stream())).toThrow(expect.objectContaining({ code: refusal.code }));
    expect(() => exportHandler([stream()])).toThrow(refusal.message);
    const url = new URL('https://example.org/export.csv');
    const page = exportPage(stream(), csv, { url, query: { limit: 100, offset: 0 } });
    await expect(page).rejects.toMatchObject({
      code: refusal.code,
      message: expect.stringMatching(refusal.message) as string,
    });
  });

  it('dates a feed by the newest records', async () => {
    const newest = inputs(250).with(7, input(7, { observed_at: '2026-05-01T00:00:00Z' }));
    const register = fromRecords(definition, newest.values());
    const feed = await text(register, findFormat('atom'));
    expect(await register.lastChange!()).toBe('2026-05-01T00:00:00Z');
    expect(/<updated>(.*?)<\/updated>/.exec(feed)?.[1]).toBe('2026-05-01T00:00:00Z');
  });
});
