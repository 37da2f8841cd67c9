import type { Filter } from '../../../src/register/finding/filter.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineRegister } from '../../../src/register/definition.ts';
import { fromRecords } from '../../../src/register/sources/from-records.ts';
import type { Page, PageQuery } from '../../../src/register/page.ts';
import type { RecordInput } from '../../../src/register/record-input.ts';
import { pages, type RegisterSource } from '../../../src/register/sources/source.ts';
import { sourceContract } from '../../../src/testing/source-contract.ts';
import { RUNS } from '../../properties/arbitraries.ts';

const definition = defineRegister({
  id: 'permits',
  title: 'Permits',
  created_at: '2026-01-01T00:00:00Z',
  fields: [{ name: 'fee', type: 'number' }],
});
const input = (id: string, more: Partial<RecordInput> = {}): RecordInput => ({
  id,
  title: `Permit ${id}`,
  source_url: `https://example.org/${id}`,
  observed_at: '2026-04-19T08:12:44Z',
  ...more,
});
const inputs = (count: number): RecordInput[] => Array.from({ length: count }, (_, index) => input(String(index + 1)));
const register = (records: readonly RecordInput[], options?: Parameters<typeof fromRecords>[2]): RegisterSource =>
  fromRecords(definition, records, options);
const page = async (source: RegisterSource, query: Partial<PageQuery> = {}): Promise<Page> =>
  source.page({ offset: 0, limit: 100, ...query });
const keys = ({ records }: Page): string[] => records.map(({ id }) => id.replace('permits:', ''));

describe('fromRecords', () => {
  it('gives dense positions from 1, the newest highest, and pages newest first', async () => {
    const { records, asOf, nextOffset } = await page(register(inputs(3)));
    expect(records.map(({ id, position }) => [id, position])).toEqual([
      ['permits:3', 3],
      ['permits:2', 2],
      ['permits:1', 1],
    ]);
    expect([asOf, nextOffset]).toEqual([3, null]);
  });

  it('reads an array that runs backwards in time from its end', async () => {
    const falling = [input('b', { published_at: '2026-02-02' }), input('a', { published_at: '2026-02-01' })];
    expect(keys(await page(register(falling)))).toEqual(['b', 'a']);
    expect(keys(await page(register([...falling].reverse())))).toEqual(['b', 'a']);
  });

  it('believes the order it is told over the dates', async () => {
    const falling = [input('b', { published_at: '2026-02-02' }), input('a', { published_at: '2026-02-01' })];
    expect(keys(await page(register(falling, { order: 'oldest-first' })))).toEqual(['a', 'b']);
    expect(keys(await page(register(inputs(2), { order: 'newest-first' })))).toEqual(['1', '2']);
  });

  it('sorts an array by date when told, records without one at the lowest positions', async () => {
    const days = ['2026-02-02', null, '2026-02-03', '2026-02-01', '2026-02-02', null];
    const records = days.map((published_at, index) => input(String(index), { published_at }));
    expect(keys(await page(register(records, { order: 'by-date' })))).toEqual(['2', '4', '0', '3', '5', '1']);
  });

  it('refuses an array whose dates run both ways, and names the ways out', () => {
    const days = ['2026-02-02', '2026-02-03', '2026-02-01'];
    const records = days.map((published_at, index) => input(String(index), { published_at }));
    expect(() => register(records)).toThrow(
      expect.objectContaining({
        code: 'invalid_option',
        message:
          'the records: the dates run both ways (from one record to the next they rise 1 and fall 1 times), so they do not show which end is the newest, and records keep their positions permanently; ' +
          "give an order: 'newest-first', 'oldest-first', 'by-date'",
      }),
    );
  });

  it('refuses an order it does not know', () => {
    expect(() => register(inputs(2), { order: 'newest' as never })).toThrow(
      expect.objectContaining({
        code: 'invalid_option',
        message: 'order must be one of newest-first, oldest-first, by-date, got "newest"',
      }),
    );
  });

  it.each<readonly [string, unknown, string]>([
    ['null', null, 'null'],
    ['a text', 'records', '"records"'],
    ['a promise', Promise.resolve([]), '{}'],
    ['an object', { id: '1' }, '{"id":"1"}'],
  ])('refuses %s for records', (_, records, shown) => {
    expect(() => register(records as RecordInput[])).toThrow(
      expect.objectContaining({
        code: 'invalid_option',
        message: `records must be an array or another iterable of objects, got ${shown}`,
      }),
    );
  });

  it('is an empty page when there is no record', async () => {
    const source = register([]);
    expect(await page(source)).toEqual({ records: [], nextOffset: null, asOf: 0 });
    expect(await source.lastChange!()).toBeNull();
  });

  it('is a copy: what happens to the array later changes nothing', async () => {
    const given = [input('1', { data: { fee: 5 } })];
    const source = register(given);
    (given[0] as { title: string }).title = 'Changed';
    given.push(input('2'));
    expect((await page(source)).records.map(({ title }) => title)).toEqual(['Permit 1']);
  });

  it.each<readonly [string, readonly unknown[], object]>([
    [
      'a bad record, by its index',
      [input('1'), { ...input('2'), title: '' }],
      { code: 'invalid_record', message: 'record 1: title must be text that is not empty, got ""' },
    ],
    ['null for a record', [null], { code: 'invalid_record', message: 'record 0: record must be an object, got null' }],
    [
      'two records of one id, by both indexes',
      [input('1'), input('2'), input('1')],
      {
        code: 'duplicate_id',
        message: 'record 2: id "permits:1" is also that of record 0',
        details: { id: 'permits:1' },
      },
    ],
    [
      'one id in two forms',
      [input('a/b'), input('permits:a~2Fb')],
      { code: 'duplicate_id', message: 'record 1: id "permits:a~2Fb" is also that of record 0' },
    ],
  ])('refuses %s', (_, records, error) => {
    expect(() => register(records as RecordInput[])).toThrow(expect.objectContaining(error));
  });

  it('refuses a hole in the array', () => {
    const sparse = inputs(1);
    sparse[2] = input('3');
    expect(() => register(sparse)).toThrow(/^record 1: record must be an object, got nothing$/);
  });
});

describe('its source', () => {
  sourceContract(it, () => {
    const some = inputs(12).map((record, index) => ({
      ...record,
      document_type: ['draft', 'adopted', null][index % 3]!,
      facility_id: index % 4 === 0 ? null : `FAC-${index % 2}`,
    }));
    return { source: register(some), ids: some.map(({ id }) => `permits:${id}`).reverse() };
  });
});

describe('its pages', () => {
  it('lead on by an offset that counts positions from the top of the view', async () => {
    const source = register(inputs(5));
    expect(await page(source, { limit: 2 })).toMatchObject({ nextOffset: 2, asOf: 5 });
    expect(keys(await page(source, { limit: 2, offset: 2 }))).toEqual(['3', '2']);
    expect(await page(source, { limit: 2, offset: 4 })).toMatchObject({ nextOffset: null });
  });

  it('end without another when nothing below matches', async () => {
    const source = register([...inputs(3), input('4', { document_type: 'adopted' })]);
    const filter: Filter = { document_type: 'adopted' };
    expect(await page(source, { limit: 1, filter })).toMatchObject({ nextOffset: null, records: [{ position: 4 }] });
  });

  it('jump over what does not match', async () => {
    const rare = [input('1', { facility_id: 'F' }), ...inputs(50).slice(1), input('51', { facility_id: 'F' })];
    const source = register(rare);
    const first = await page(source, { limit: 1, filter: { facility_id: 'F' } });
    expect([keys(first), first.nextOffset]).toEqual([['51'], 1]);
    const second = await page(source, { limit: 1, filter: { facility_id: 'F' }, offset: 1 });
    expect([keys(second), second.nextOffset]).toEqual([['1'], null]);
  });

  it('are those of an older view when one is asked for', async () => {
    const source = register(inputs(5));
    expect(keys(await page(source, { asOf: 2 }))).toEqual(['2', '1']);
    expect(await page(source, { asOf: 0 })).toEqual({ records: [], nextOffset: null, asOf: 0 });
  });

  it.each([5, 6, 1_000_000, Number.MAX_SAFE_INTEGER])('are empty from offset %d on, and end there', async (offset) => {
    expect(await page(register(inputs(5)), { offset })).toEqual({ records: [], nextOffset: null, asOf: 5 });
  });

  it.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 101 }, 'limit'],
    [{ offset: -1 }, 'offset'],
    [{ offset: 0.5 }, 'offset'],
    [{ asOf: 6 }, 'as_of'],
    [{ asOf: 'x' }, 'as_of'],
  ])('are refused for %j', async (query, parameter) => {
    await expect((async () => page(register(inputs(5)), query))()).rejects.toMatchObject({
      code: 'invalid_parameter',
      details: { parameter },
    });
  });

  it('hold, walked with any limit and filter, exactly the records that match, newest first', async () => {
    const type = fc.constantFrom('adopted', 'draft', null);
    const facility = fc.constantFrom('F1', 'F2', null);
    const lists = fc.array(fc.tuple(type, facility), { maxLength: 60 });
    const filters: fc.Arbitrary<Filter | undefined> = fc.option(
      fc.record(
        { document_type: fc.constantFrom('adopted', 'draft', 'none'), facility_id: fc.constantFrom('F1', 'F2') },
        { requiredKeys: [] },
      ),
      { nil: undefined },
    );
    await fc.assert(
      fc.asyncProperty(
        lists,
        filters,
        fc.integer({ min: 1, max: 100 }),
        fc.nat(70),
        async (list, filter, limit, skip) => {
          const given = list.map(([document_type, facility_id], index) =>
            input(String(index + 1), { document_type, facility_id }),
          );
          const source = register(given);
          const expected = given
            .filter(
              ({ document_type, facility_id }, index) =>
                index < given.length - skip &&
                (filter?.document_type === undefined || document_type === filter.document_type) &&
                (filter?.facility_id === undefined || facility_id === filter.facility_id),
            )
            .map(({ id }) => id)
            .reverse();
          const walked: string[] = [];
          let sizes: number[] = [];
          for await (const found of pages(source, {
            limit,
            offset: skip,
            ...(filter === undefined ? {} : { filter }),
          })) {
            walked.push(...keys(found));
            sizes = [...sizes, found.records.length];
          }
          expect(walked).toEqual(expected);
          // Every page but the last is full: no request is wasted.
          expect(sizes.slice(0, -1).every((size) => size === limit)).toBe(true);
          expect(sizes).toHaveLength(Math.max(1, Math.ceil(expected.length / limit)));
        },
      ),
      { numRuns: RUNS },
    );
  });
});

describe('its revision', () => {
  it('is the same text for the same records in another register object', async () => {
    const first = await register(inputs(3)).revision!();
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(await register(inputs(3)).revision!()).toBe(first);
  });

  it.each<readonly [string, readonly RecordInput[]]>([
    ['a record is added', inputs(4)],
    ['a record is gone', inputs(2)],
    ['the order is another', [...inputs(3)].reverse()],
    ['a title changes', [...inputs(2), input('3', { title: 'x' })]],
    ['a field changes', [...inputs(2), input('3', { data: { fee: 1 } })]],
    ['a version is counted', [...inputs(2), input('3', { version: 2 })]],
    ['no number becomes one', [...inputs(2), input('3', { data: { fee: NaN } })]],
  ])('changes when %s', async (_, changed) => {
    expect(await register(changed).revision!()).not.toBe(await register(inputs(3)).revision!());
  });

  it('tells NaN and the infinities apart, which JSON cannot carry', async () => {
    const revisions = await Promise.all(
      [NaN, Infinity, -Infinity, 0].map(async (fee) => register([input('1', { data: { fee } })]).revision!()),
    );
    expect(new Set(revisions).size).toBe(4);
  });
});

describe('its last change', () => {
  it.each<readonly [string, readonly Partial<RecordInput>[], string]>([
    ['is the latest observation', [{ observed_at: '2026-04-02' }, { observed_at: '2026-04-01' }], '2026-04-02'],
    ['is the latest update', [{ updated_at: '2026-05-01T00:00:00Z' }, {}], '2026-05-01T00:00:00Z'],
    [
      'compares moments, not texts',
      [{ observed_at: '2026-04-01T23:00:00-05:00' }, { observed_at: '2026-04-02T01:00:00Z' }],
      '2026-04-01T23:00:00-05:00',
    ],
    [
      'takes the later one of a record’s observation and its update',
      [{ observed_at: '2026-03-01', updated_at: '2026-01-01' }, { observed_at: '2026-02-01' }],
      '2026-03-01',
    ],
  ])('%s', async (_, changes, expected) => {
    const source = register(
      changes.map((change, index) => input(String(index), change)),
      { order: 'oldest-first' },
    );
    expect(await source.lastChange!()).toBe(expected);
    expect(await source.lastChange!()).toBe(expected);
  });
});
