import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/register/canonical-json.ts';
import { FIELD_TYPES } from '../../src/register/definition.ts';
import type { Field, FieldType } from '../../src/register/record.ts';
import { showData, showValue } from '../../src/register/declared-values.ts';

const field = (name: string, type: FieldType): Field => ({ name, label: name, type });

describe('a value of a statement', () => {
  it.each<[FieldType, JsonValue, JsonValue | undefined]>([
    ['text', 'a', 'a'],
    ['text', 5, '5'],
    ['text', true, 'true'],
    ['text', ['a'], undefined],
    ['text', { a: 1 }, undefined],
    ['number', 12.5, 12.5],
    ['number', '12.50', 12.5],
    ['number', '-1e3', -1000],
    ['number', '1e999', undefined],
    ['number', '1,5', undefined],
    ['number', '+1', undefined],
    ['number', '', null],
    ['date', '', null],
    ['text', '', ''],
    ['json', '', ''],
    ['number', true, undefined],
    ['decimal', '12.50', '12.50'],
    ['decimal', 12.5, '12.5'],
    ['decimal', '12345678901234567.89', '12345678901234567.89'],
    ['decimal', 'n/a', undefined],
    ['integer', 7, 7],
    ['integer', '7', 7],
    ['integer', '-0', 0],
    ['integer', -0, 0],
    ['integer', '07', undefined],
    ['integer', 7.5, undefined],
    ['integer', '9007199254740993', '9007199254740993'],
    ['integer', 9007199254740992, undefined],
    ['boolean', true, true],
    ['boolean', 'TRUE', true],
    ['boolean', 'false', false],
    ['boolean', 'yes', undefined],
    ['boolean', 1, undefined],
    ['date', '2026-04-17', '2026-04-17'],
    ['date', '2026-02-30', undefined],
    ['date', '2026-04-17T00:00:00Z', undefined],
    ['datetime', '2026-04-17', '2026-04-17'],
    ['datetime', '2026-04-17T08:00:00+02:00', '2026-04-17T08:00:00+02:00'],
    ['datetime', 20260417, undefined],
    ['url', 'https://example.org/a', 'https://example.org/a'],
    ['url', 'javascript:alert(1)', undefined],
    ['url', 'https://example.org/a b', undefined],
    ['json', 'a', 'a'],
    ['json', [{ a: null }], [{ a: null }]],
  ])('of type %s shows %j as %j', (type, value, shown) => {
    expect(showValue(field('f', type), value)).toStrictEqual(shown);
  });

  it('fits every type where there is none', () => {
    for (const type of FIELD_TYPES) expect(showValue(field('f', type), null)).toBe(null);
  });
});

describe('the own values of a statement', () => {
  const fields = [field('area', 'number'), field('valid_from', 'date'), field('map', 'url'), field('pages', 'integer')];

  it('are returned in the object they came in where they need no conversion', () => {
    const data = { area: 1.5, valid_from: '2026-04-17', map: 'https://example.org/', pages: null };
    expect(showData(fields, data)).toBe(data);
  });

  it.each<[string, Record<string, JsonValue>]>([
    ['a text that states a number', { area: '1.50', valid_from: '2026-04-17', map: null, pages: '7' }],
    ['other fields', { area: 1.5, valid_from: '2026-04-17', map: null, pages: 7, other: 'x' }],
    ['another order', { pages: 7, map: null, valid_from: '2026-04-17', area: 1.5 }],
    ['no value', { area: 1.5, valid_from: '2026-04-17', pages: 7 }],
    ['what does not fit', { area: 1.5, valid_from: '2026-04-17', map: '//example.org', pages: 7 }],
  ])('show the declared fields where there is %s', (_, data) => {
    const shown = showData(fields, data);
    expect(shown).toStrictEqual({ area: 1.5, valid_from: '2026-04-17', map: null, pages: 7 });
    expect(Object.keys(shown)).toEqual(['area', 'valid_from', 'map', 'pages']);
  });

  it('show each value as its field alone shows it, and what they show once more unchanged', () => {
    const values = fc.dictionary(
      fc.constantFrom('a', 'b', 'c', 'constructor'),
      fc.oneof(
        fc.jsonValue({ maxDepth: 1 }),
        fc.constantFrom('7', '-0', '1.50', 'true', '2026-04-17', 'https://example.org/', '9007199254740993'),
      ),
    );
    const types = fc.uniqueArray(
      fc.tuple(fc.constantFrom('a', 'b', 'c', 'constructor'), fc.constantFrom(...FIELD_TYPES)),
      { selector: ([name]) => name },
    );
    fc.assert(
      fc.property(values, types, (given, declared) => {
        const data = JSON.parse(JSON.stringify(given)) as Record<string, JsonValue>;
        const all = declared.map(([name, type]) => field(name, type));
        const shown = showData(all, data);
        expect(Object.keys(shown)).toEqual(all.map(({ name }) => name));
        for (const one of all) {
          const value = Object.hasOwn(data, one.name) ? data[one.name]! : null;
          expect(shown[one.name]).toStrictEqual(showValue(one, value) ?? null);
        }
        expect(showData(all, shown)).toBe(shown);
      }),
    );
  });
});
