import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareNumbers, numberKey } from '../../../src/register/decimal.ts';
import { compareInstants, instantOf, valueKey } from '../../../src/register/finding/compare.ts';
import {
  compileFilter,
  type Filter,
  filterEntries,
  filterLabel,
  filterText,
} from '../../../src/register/finding/filter.ts';
import { FILTERS } from '../../../src/register/finding/filters.ts';
import { ownFilters } from '../../../src/register/finding/own-filters.ts';
import { keyOfNumber, keyOfTime, keysWithin } from '../../../src/register/finding/order-keys.ts';
import {
  eachKey,
  type IndexQuestion,
  indexQuestion,
  termSignature,
  termsOf,
} from '../../../src/register/finding/terms.ts';
import type { Field, FieldType, RegisterRecord } from '../../../src/register/record.ts';
import { dateTimes, decimals, RUNS } from '../../properties/arbitraries.ts';

const field = (name: string, type: FieldType): Field => ({ name, label: `The ${name}`, type, filterable: true });
const FIELDS = [
  ...[field('area', 'number'), field('price', 'decimal'), field('built', 'integer'), field('due', 'datetime')],
  ...[field('day', 'date'), field('open', 'boolean'), field('place', 'text'), field('plan', 'url')],
  { name: 'hidden', label: 'Hidden', type: 'text' } as const,
];

const RECORD: RegisterRecord = {
  ...{ id: 'permits:k', feed_id: 'permits', key: 'k', title: 'Permit 7', summary: null, content: null },
  ...{
    content_type: 'text',
    author: null,
    document_type: 'a,b',
    facility_id: null,
    source_url: 'https://example.org/',
  },
  ...{ published_at: '2026-04-01', observed_at: '2026-04-01T00:00:00.0000005+02:00', updated_at: null, version: 1 },
  position: 1,
  data: {
    area: 12.5,
    price: '0.30',
    built: '9007199254740993',
    due: '2026-04-01T00:00:00Z',
    day: '2026-04-01',
    open: true,
  },
};

const matches = (filter: Filter): boolean => compileFilter(filter, FIELDS)!.matches(RECORD);

describe('a filter', () => {
  it.each<readonly [string, Filter, boolean]>([
    ['has one of some values', { document_type: ['x', 'a,b'] }, true],
    ['has no part of a value', { document_type: ['a', 'b'] }, false],
    ['finds no record without a value', { facility_id: 'x' }, false],
    ['must match in all its names', { document_type: 'a,b', key: 'x' }, false],
    [
      'has a bare date that is its midnight UTC',
      { published_since: '2026-04-01', published_until: '2026-04-02' },
      true,
    ],
    ['does not include its end', { published_until: '2026-04-01' }, false],
    ['includes its beginning', { published_since: '2026-04-01T02:00:00+02:00' }, true],
    ['knows nanoseconds', { observed_since: '2026-03-31T22:00:00.0000005Z' }, true],
    ['knows one nanosecond more', { observed_since: '2026-03-31T22:00:00.000000501Z' }, false],
    ['finds no record without a date', { updated_since: '0001-01-01' }, false],
    ['compares numbers by their value', { 'data.area': '1.25e1', 'data.price': '0.3' }, true],
    ['compares numbers to their last digit', { 'data.built': '9007199254740992' }, false],
    ['includes the bounds of numbers', { 'data.area_min': '12.50', 'data.area_max': '12.5' }, true],
    ['compares bounds to their last digit', { 'data.built_max': '9007199254740992.9999999999' }, false],
    ['compares times by their instant', { 'data.due': '2026-04-01T01:00:00+01:00' }, true],
    ['compares times with dates', { 'data.due': '2026-04-01' }, true],
    ['reads booleans as tables write them', { 'data.open': 'TRUE' }, true],
    ['asks for words', { q: '"permit 7" -draft' }, true],
    [
      'is met by a record that is met in each',
      { q: 'permit', document_type: 'a,b', 'data.day_since': '2026-01-01' },
      true,
    ],
  ])('%s', (_, filter, isMatch) => {
    expect(matches(filter)).toBe(isMatch);
  });

  it.each<readonly [string, Filter, string, string]>([
    [
      'time that is none',
      { published_since: '2026-02-30' },
      'invalid_parameter',
      'published_since must be a date such as 2026-04-01, or a date-time such as 2026-04-01T00:00:00Z, got "2026-02-30"',
    ],
    [
      'number that is none',
      { 'data.area_min': '1,5' },
      'invalid_parameter',
      'data.area_min must be a number such as 12.5, got "1,5"',
    ],
    [
      'value of another type',
      { 'data.built': '1.5' },
      'invalid_parameter',
      'data.built must be a value of type integer, got "1.5"',
    ],
    ['second time', { published_since: ['2026-01-01', '2026-01-02'] }, 'invalid_parameter', 'published_since must be'],
    [
      'filter that is none',
      { published_at: '2026-01-01' },
      'unknown_parameter',
      'unknown parameter "published_at": there are key, document_type,',
    ],
    ['own field without its prefix', { area: '1' }, 'unknown_parameter', 'parameter "area": did you mean data.area?'],
    [
      'own field that is not filterable',
      { 'data.hidden': 'x' },
      'unknown_parameter',
      'unknown filter "data.hidden": there are data.area, data.area_min,',
    ],
    ['range of words', { 'data.place_min': 'x' }, 'unknown_parameter', 'unknown filter "data.place_min": there are'],
    ['query without words', { q: '-' }, 'invalid_parameter', 'q must have at least one word'],
  ])('refuses a %s', (_, filter, code, message) => {
    expect(() => compileFilter(filter, FIELDS)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) as string }) as Error,
    );
  });

  it('has one form, whatever the order and repetition of its parts', () => {
    const one: Filter = { q: 'b', 'data.place': ['y', 'x', 'y'], document_type: 'a' };
    const other: Filter = { document_type: ['a', 'a'], 'data.place': ['x', 'y'], q: ['b'] };
    expect(compileFilter(one, FIELDS)!.canonical).toEqual(compileFilter(other, FIELDS)!.canonical);
    expect(filterText(one)).toBe('document_type=a&q=b&data.place=x&data.place=y');
    expect([filterText(other), filterEntries(one)]).toEqual([filterText(one), filterEntries(other)]);
    expect(compileFilter({}, FIELDS)).toBeNull();
  });

  it('has a name for people in each of its parts', () => {
    const names = [...FILTERS, ...ownFilters(FIELDS)].map(({ name }) => filterLabel(name, FIELDS));
    expect(new Set(names).size).toBe(names.length);
    expect(filterLabel('data.area_min', FIELDS)).toBe('The area at least');
  });

  it('passes over values of an embedder that do not fit their type', () => {
    const data = { area: 'wide', price: 'x', built: true, due: 'soon', day: 7, open: 'x' };
    const record = { ...RECORD, data };
    for (const name of ['data.area_min', 'data.area_max', 'data.price_min', 'data.built_max'])
      expect(compileFilter({ [name]: '0' }, FIELDS)!.matches(record)).toBe(false);
    expect(compileFilter({ 'data.due_since': '2026-01-01' }, FIELDS)!.matches(record)).toBe(false);
    expect(() => termsOf(record, { fields: FIELDS, hasSearch: true })).not.toThrow();
  });
});

describe('values compare', () => {
  /** Texts that no double tells apart, and texts of equal numbers. */
  const edges = [
    ...[
      '0',
      '-0',
      '0e9',
      '1e308',
      '1E-400',
      '-1e-400',
      '3e-400',
      '1e-399',
      '1e400',
      '3e400',
      '2e401',
      '-2e401',
      '-1e400',
    ],
    ...[
      '0.1',
      '1e-1',
      '100e-3',
      '1',
      '-1',
      '0.99999999999999999999',
      '-0.99999999999999999999',
      '1.00000000000000000001',
    ],
    ...['12345678901234567890', '12345678901234567891', '1234567890123456789e1', '12345678901234567890.5'],
  ];
  const order = fc.oneof(
    decimals(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.constantFrom(...edges),
  );
  /** A number times 10^1400. */
  const scaled = (text: string): bigint => {
    const [, sign, whole, fraction = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)!;
    return BigInt(`${sign!}1`) * BigInt(whole! + fraction) * 10n ** BigInt(1400 + Number(power) - fraction.length);
  };

  it('as numbers to their last digit, and have one key exactly if they are equal', () => {
    const check = (a: string, b: string): void => {
      const difference = scaled(a) - scaled(b);
      const sign = difference === 0n ? 0 : difference < 0n ? -1 : 1;
      expect([a, b, Math.sign(compareNumbers(a, b)!) + 0]).toEqual([a, b, sign]);
      expect([a, b, numberKey(a) === numberKey(b)]).toEqual([a, b, difference === 0n]);
    };
    for (const a of edges) for (const b of edges) check(a, b);
    fc.assert(fc.property(order, order, check), { numRuns: RUNS * 5 });
    expect([compareNumbers('x', '1'), compareNumbers('1', ''), numberKey('0x1')]).toEqual([null, null, null]);
  });

  it('as instants, a date being its midnight UTC', () => {
    const instants = ['0001-01-01T00:00:00+14:00', '0001-01-01', '1969-12-31T23:59:59.999999999Z', '1970-01-01'];
    const times = [
      ...instants,
      '1970-01-01T00:00:00.0000001Z',
      '1970-01-01T00:00:00.000001Z',
      '9999-12-31T23:59:59-14:00',
    ];
    times.slice(1).forEach((time, index) => {
      expect(compareInstants(instantOf(times[index]!)!, instantOf(time)!)).toBeLessThan(0);
    });
    expect(valueKey('datetime', '2026-04-01')).toBe(valueKey('datetime', '2026-03-31T14:00:00.000000000-10:00'));
    expect([instantOf('2026'), instantOf('2026-02-29'), valueKey('datetime', 'x')]).toEqual([null, null, 'x']);
  });
});

describe('the keys of times and numbers', () => {
  const timeKey = (text: string): number => keyOfTime(instantOf(text)!);

  it('are in the order of the times, and within every range that the time is within', () => {
    fc.assert(
      fc.property(dateTimes(), dateTimes(), dateTimes(), (...texts) => {
        const [from, time, to] = texts.sort((a, b) => compareInstants(instantOf(a)!, instantOf(b)!));
        const { lowest, highest } = keysWithin({ kind: 'times', from: from, to: to });
        expect(timeKey(time)).toBeGreaterThanOrEqual(lowest);
        if (compareInstants(instantOf(time)!, instantOf(to)!) < 0) {
          expect(timeKey(time)).toBeLessThanOrEqual(highest);
        }
      }),
      { numRuns: RUNS * 5 },
    );
  });

  it('are exactly the minutes that are asked for', () => {
    const march = keysWithin({ kind: 'times', from: '2026-03-01', to: '2026-04-01' });
    expect(march).toEqual({ lowest: timeKey('2026-03-01'), highest: timeKey('2026-03-31T23:59:59.999999999Z') });
    expect([timeKey('2026-02-28T23:59:59Z'), timeKey('2026-04-01')]).toEqual([march.lowest - 1, march.highest + 1]);
    const { highest } = keysWithin({ kind: 'times', from: null, to: '2026-04-01T00:00:00.000000001Z' });
    expect(highest).toBe(timeKey('2026-04-01'));
    const { lowest, highest: before } = keysWithin({ kind: 'times', from: '2026-05-01', to: '2026-04-01' });
    expect(lowest).toBeGreaterThan(before);
  });

  it.each([
    ['2026-02-28', '2026-02-28'],
    ['2026-02-28T23:59:59.999Z', '2026-02-28T23:59:00Z'],
    ['2026-02-28T09:07:00Z', '2026-02-28T09:07:00Z'],
    ['2026-03-01T00:30:00+02:00', '2026-02-28T22:30:00Z'],
    ['8170-01-01T10:00:00Z', '9999-12-31T23:59:00Z'],
    ['2026-12-31T23:59:59Z', '2026-12-31T23:59:00Z'],
  ])('are the minutes that records say: %s', (time, expected) => {
    const keys: unknown[] = [];
    eachKey({ ...RECORD, published_at: time }, { fields: [] }, (...key) => keys.push(key));
    expect(keys).toContainEqual(['published_at', timeKey(expected)]);
  });

  it('hold the first and the last times that there are', () => {
    const keys = ['0001-01-01', '0001-01-01T00:01:00Z', '1899-12-31', '8165-12-31', '9999-12-31'].map(timeKey);
    expect(keys).toEqual([...new Set(keys)].sort((a, b) => a - b));
    expect(keys[0]).toBeGreaterThan(0);
    expect(keys.at(-1)).toBe(2 ** 32 - 1);
    expect(keysWithin({ kind: 'times', from: null, to: '9999-12-31' }).highest).toBe(2 ** 32 - 1);
  });

  it('are in the order of the numbers, and within every range that the number is within', () => {
    fc.assert(
      fc.property(decimals(), decimals(), decimals(), (a, b, c) => {
        const [from, number, to] = [a, b, c].sort((x, y) => compareNumbers(x, y)!) as [string, string, string];
        const { lowest, highest } = keysWithin({ kind: 'numbers', from, to });
        const key = keyOfNumber(Number(number))!;
        expect(key).toBeGreaterThanOrEqual(lowest);
        expect(key).toBeLessThanOrEqual(highest);
      }),
      { numRuns: RUNS * 5 },
    );
  });

  it('are never 0, and none for what is no number', () => {
    const keys = [-Infinity, -1e300, -2, -1, -1e-300, 0, 1e-30, 1, 2020, 2021, 1e38, 1e300].map(keyOfNumber);
    expect(keys).toEqual(keys.toSorted((a, b) => a! - b!));
    expect(keys[0]).toBeGreaterThan(0);
    expect([keyOfNumber(-0), keyOfNumber(NaN)]).toEqual([keyOfNumber(0), null]);
    expect(keyOfNumber(2021)).toBeGreaterThan(keyOfNumber(2020)!);
  });
});

describe('the question of a filter to an index', () => {
  const question = (filter: Filter): IndexQuestion => indexQuestion(compileFilter(filter, FIELDS)!);

  it('is nothing where no index helps', () => {
    const nothing = { groups: [], beginnings: [], ranges: [] };
    expect([question({ q: '-a -b*' }), question({ key: 'k' })]).toEqual([nothing, nothing]);
  });

  it('is of words, beginnings of words, values and ranges', () => {
    expect(question({ q: 'a "b c" "d e"* a f* -g*' })).toEqual({
      groups: [['a'], ['b'], ['c'], ['d'], ['e']],
      beginnings: [['f']],
      ranges: [],
    });
    expect(question({ document_type: ['x', 'y'] }).groups[0]).toHaveLength(2);
    const { ranges } = question({ published_since: '2026-01-01', updated_until: '2026-01-01' });
    expect(ranges.map(({ field }) => field)).toEqual(['published_at', 'updated_at']);
  });
});

describe('the terms of a record', () => {
  it.each([
    ['東京都', '京', true],
    ['東京都', '都', true],
    ['東京都', '市', false],
    ['กิน', 'กิ', true],
    ['กิน', 'ก', false],
    ['Permit', 'permit', true],
    ['Permits', 'permit', false],
  ])('find in %s the word %s: %s', (title, q, isFound) => {
    const terms = termsOf({ ...RECORD, title }, { fields: [], hasSearch: true });
    const { groups } = indexQuestion(compileFilter({ q }, [])!);
    expect(groups.every((group) => group.some((term) => terms.includes(term)))).toBe(isFound);
  });

  it('have no words where search is switched off', () => {
    const terms = termsOf(RECORD, { fields: FIELDS, hasSearch: false });
    expect(terms.length).toBeGreaterThan(5);
    expect(terms.filter((term) => !term.startsWith('\ue000'))).toEqual([]);
  });
});

describe('the signature of terms', () => {
  const signature = (fields: readonly Field[], hasSearch = true): string => termSignature({ fields, hasSearch });

  it('changes with what is indexed', () => {
    const place = field('place', 'text');
    const words: Field = { name: 'place', label: place.label, type: 'text' };
    const all = [
      ...[signature([place]), signature([words]), signature([]), signature([place], false), signature([words], false)],
      ...[signature([{ ...place, type: 'url' }]), signature([{ ...place, source_names: ['ort'] }])],
    ];
    // Without search, a field of words alone is not indexed.
    expect(new Set([...all, signature([], false)]).size).toBe(all.length);
    expect(signature([words], false)).toBe(signature([], false));
  });

  it('stays with what changes no term', () => {
    const [place, area] = [field('place', 'text'), field('area', 'number')];
    expect(signature([area, place])).toBe(signature([place, area]));
    expect(signature([{ ...place, label: 'Ort', description: 'x' }])).toBe(signature([place]));
    expect(signature([place, { name: 'x', label: 'X', type: 'url' }])).toBe(signature([place]));
  });
});
