// Figures over records that are at hand: what may be asked, and what is exact.
import { describe, expect, it } from 'vitest';
import { quotientOf, scaledOf, scaledText, sumOf } from '../../../src/register/decimal.ts';
import { defineRegister } from '../../../src/register/definition.ts';
import { checkFigures, type Figures, type FiguresQuestion } from '../../../src/register/finding/figures.ts';
import { FiguresTally } from '../../../src/register/finding/figures-tally.ts';
import { figuresOfSource } from '../../../src/register/sources/figures.ts';
import { fromRecords } from '../../../src/register/sources/from-records.ts';
import type { RegisterSource } from '../../../src/register/sources/source.ts';

const DEFINITION = defineRegister({
  id: 'sites',
  title: 'Sites',
  created_at: '2026-01-01T00:00:00Z',
  uuid: '2ed6657d-e927-568b-95e1-2665a8aea6a2',
  fields: [
    { name: 'zone', type: 'text' },
    { name: 'price', type: 'decimal' },
    { name: 'area', type: 'number', filterable: true },
    { name: 'due', type: 'datetime' },
    { name: 'raw', type: 'json' },
  ],
});

const urlOf = (index: number): string => `https://example.org/${index}`;

const source = (rows: readonly object[]): RegisterSource =>
  fromRecords(
    DEFINITION,
    rows.map((data, index) => ({
      id: String(index),
      title: 'Site',
      source_url: urlOf(index),
      observed_at: '2026-01-01T00:00:00Z',
      document_type: index % 2 === 0 ? 'even' : null,
      data: data as never,
    })),
  );

const figures = (rows: readonly object[], question: FiguresQuestion, asked: object = {}): Promise<Figures> =>
  figuresOfSource(source(rows), checkFigures(question, DEFINITION.fields), { counted: null, ...asked });

describe('an exact decimal', () => {
  it.each([
    ['0.1', '0.2', '0.3'],
    ['12.50', '-12.5', '0.00'],
    ['-0.05', '0.02', '-0.03'],
    ['99999999999999999999', '0.00000000000000000001', '99999999999999999999.00000000000000000001'],
  ])('of %s and %s is summed', (a, b, sum) => {
    expect(scaledText(sumOf(scaledOf(a), scaledOf(b)))).toBe(sum);
    expect(scaledText(sumOf(scaledOf(b), scaledOf(a)))).toBe(sum);
  });

  it.each([
    ['10', 4, '2.500000'],
    ['1.0', 3, '0.3333333'],
    ['2', 3, '0.666667'],
    ['-2', 3, '-0.666667'],
    // Half, to an even last place.
    ['0.000001', 2_000_000, '0.000000000000'],
    ['0.000003', 2_000_000, '0.000000000002'],
    ['-0.000003', 2_000_000, '-0.000000000002'],
    ['0.000005', 2_000_000, '0.000000000002'],
    ['0.0000050001', 2_000_000, '0.0000000000025000'],
  ])('of %s is divided by %i', (sum, count, quotient) => {
    expect(scaledText(quotientOf(scaledOf(sum), count))).toBe(quotient);
  });
});

describe('figures', () => {
  const ROWS = [
    { zone: 'A', price: '0.10', area: 1e21, due: '2025-12-31T23:30:00-01:00' },
    { zone: 'a', price: '0.20', area: 1e-7 },
    { zone: 'A', price: '12.5', due: '2026-01-01' },
    { zone: null, price: null, due: '2024-02-29T12:00:00Z' },
  ];

  it('are sums to the last digit, numbers by their shortest text', async () => {
    expect(await figures(ROWS, { measure: 'sum:data.price', by: ['data.zone'] })).toEqual({
      ...{ measure: 'sum:data.price', by: ['data.zone'], order: '-value' },
      groups: [
        {
          group: ['A'],
          records: 2,
          measured: 2,
          value: '12.60',
          record_ids: ['sites:2', 'sites:0'],
          url: urlOf(2),
        },
        { group: ['a'], records: 1, measured: 1, value: '0.20', record_ids: ['sites:1'], url: urlOf(1) },
      ],
      ...{ more: 0, matched: 4, ungrouped: 1, complete: true, next_offset: null, as_of: 4 },
    });
    const { groups } = await figures(ROWS, { measure: 'sum:data.area' });
    expect(groups[0]).toMatchObject({ group: [], records: 4, measured: 2, value: '1000000000000000000000.0000001' });
  });

  it('are averages with what they are made of', async () => {
    const { groups } = await figures(ROWS, { measure: 'avg:data.price' });
    expect(groups).toEqual([
      {
        group: [],
        records: 4,
        measured: 3,
        value: '4.26666667',
        sum: '12.80',
        record_ids: ['sites:3', 'sites:2', 'sites:1'],
        url: urlOf(3),
      },
    ]);
    expect((await figures([], { measure: 'avg:data.price' })).groups).toEqual([
      { group: [], records: 0, measured: 0, value: null, sum: null, record_ids: [], url: null },
    ]);
  });

  it('are the least and the greatest, with the records that have them', async () => {
    const of = async (measure: string): Promise<unknown> => (await figures(ROWS, { measure })).groups[0];
    const common = { group: [], records: 4 };
    expect(await of('max:data.due')).toEqual({
      ...common,
      measured: 3,
      value: '2025-12-31T23:30:00-01:00',
      record_ids: ['sites:0'],
      url: urlOf(0),
    });
    expect(await of('min:data.due')).toMatchObject({ value: '2024-02-29T12:00:00Z', record_ids: ['sites:3'] });
    expect(await of('max:data.price')).toMatchObject({ value: '12.5', record_ids: ['sites:2'] });
    expect(await of('min:data.area')).toMatchObject({ value: '0.0000001', record_ids: ['sites:1'] });
  });

  it('are grouped by the year, month and day in UTC', async () => {
    const keys = async (by: string): Promise<unknown> =>
      (await figures(ROWS, { by: [by], order: 'key' })).groups.map(({ group, records }) => [group[0], records]);
    expect(await keys('data.due:year')).toEqual([['2024', 1], ['2026', 2]]); // prettier-ignore
    expect(await keys('data.due:month')).toEqual([['2024-02', 1], ['2026-01', 2]]); // prettier-ignore
    expect(await keys('data.due:day')).toEqual([['2024-02-29', 1], ['2026-01-01', 2]]); // prettier-ignore
    const edges = [{ due: '9999-12-31T23:00:00-02:00' }, { due: '0001-01-01T00:00:00+01:00' }];
    const years = (await figures(edges, { by: ['data.due:month'], order: 'key' })).groups.map(({ group }) => group[0]);
    expect(years).toEqual(['+010000-01', '0000-12']);
  });

  it('are in the order that is asked for, those without a value last', async () => {
    const rows = [{ zone: 'x', area: 2 }, { zone: 'y' }, { zone: 'z', area: 10 }, { zone: 'w', area: 2 }];
    const keys = async (question: FiguresQuestion): Promise<unknown> =>
      (await figures(rows, { measure: 'sum:data.area', by: ['data.zone'], ...question })).groups.map(
        ({ group }) => group[0],
      );
    expect(await keys({})).toEqual(['z', 'w', 'x', 'y']);
    expect(await keys({ order: 'value' })).toEqual(['w', 'x', 'z', 'y']);
    expect(await keys({ order: 'key' })).toEqual(['w', 'x', 'y', 'z']);
    expect(await keys({ by: ['data.area'], measure: 'count', order: 'key' })).toEqual(['2', '10']);
    expect(await figures(rows, { by: ['data.zone'], top: 1 })).toMatchObject({ groups: [{ group: ['w'] }], more: 3 });
  });

  it('are a part where there is more than a request examines, and the parts add up', async () => {
    const rows = Array.from({ length: 22_000 }, (_, index) => ({
      zone: `Z${(index * 7) % 1700}`,
      price: `${index % 90}.25`,
    }));
    const whole = source(rows);
    for (const measure of ['avg:data.price', 'max:data.price']) {
      const checked = checkFigures({ measure, by: ['data.zone'] }, DEFINITION.fields);
      const sum = new FiguresTally(checked);
      let parts = 0;
      for (let offset: number | null = 0; offset !== null; parts++) {
        const part: Figures = await figuresOfSource(whole, checked, { counted: null, offset, asOf: 22_000 });
        expect(part).toMatchObject({ complete: false, as_of: 22_000, more: 0 });
        expect(part.groups.length).toBeLessThanOrEqual(1000);
        sum.addPart(part);
        offset = part.next_offset;
      }
      expect(parts).toBeGreaterThan(3);
      const all = new FiguresTally(checked);
      for (let offset = 0; offset < rows.length; offset += 100) {
        all.add((await whole.page({ offset, limit: 100 })).records);
      }
      expect(sum.whole()).toEqual(all.whole());
    }
    const counting = checkFigures({}, DEFINITION.fields);
    const second = await figuresOfSource(whole, counting, { counted: null, offset: 100, asOf: 22_000 });
    expect(second).toMatchObject({ groups: [{ records: 20_000 }], matched: 20_000, next_offset: 20_100 });
  });

  it.each<[FiguresQuestion, string, string]>([
    [{ measure: 'median:data.area' }, 'measure', 'measure must be count, or one of sum:FIELD'],
    [{ measure: 'sum' }, 'measure', 'measure must be count, or one of sum:FIELD'],
    [{ measure: 'count:data.area' }, 'measure', 'measure must be count'],
    [{ measure: 'sum:data.aera' }, 'measure', 'data.price, data.area, got "data.aera"; did you mean data.area?'],
    [{ measure: 'sum:data.due' }, 'measure', 'sum: and one of data.price, data.area, got "data.due"'],
    [
      { measure: 'max:data.zone' },
      'measure',
      'published_at, observed_at, updated_at, data.price, data.area, data.due, got',
    ],
    [{ by: ['title'] }, 'by', 'by must be some of document_type, facility_id, published_at'],
    [{ by: ['data.raw'] }, 'by', 'by must be some of'],
    [{ by: ['data.zone:year'] }, 'by', ':year after one of published_at, observed_at, updated_at, data.due'],
    [{ by: ['data.due:week'] }, 'by', 'by must be some of'],
    [{ by: ['data.zone', 'data.area', 'document_type'] }, 'by', 'at most 2 different fields'],
    [{ by: ['data.zone', 'data.zone'] }, 'by', 'at most 2 different fields'],
    [{ order: 'records' }, 'order', 'order must be one of -value, value, key'],
    [{ top: 101 }, 'top', 'top must be a whole number from 1 to 100'],
  ])('refuse %j and name the parameter', (question, parameter, message) => {
    expect(() => checkFigures(question, DEFINITION.fields)).toThrow(
      expect.objectContaining({
        code: 'invalid_parameter',
        details: { parameter },
        message: expect.stringContaining(message) as string,
      }),
    );
  });
});
