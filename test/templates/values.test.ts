// How a page writes values that are lists or objects, and numbers.
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/register/canonical-json.ts';
import type { FieldType } from '../../src/register/record.ts';
import { valueOf } from '../../src/templates/parts/values.ts';
import { wordingIn } from '../../src/templates/wording.ts';
import { elementsOf } from '../pages/documents.ts';

function markupOf(value: JsonValue, bytes = 1000): string {
  return valueOf(wordingIn('en'), { type: 'json' }, value, { language: null, bytes }).toString();
}

/** The elements that matter, each with its text. */
function shown(value: JsonValue, bytes?: number): readonly string[] {
  return elementsOf(markupOf(value, bytes)).flatMap(({ name, text }) =>
    ['li', 'th', 'td', 'code', 'p'].includes(name) ? [`${name} ${text}`] : [],
  );
}

describe('a value of several parts', () => {
  it.each<[JsonValue, readonly string[]]>([
    [
      ['a', 'https://a.example/', 7, null, true],
      ['li a', 'li https://a.example/', 'li 7', 'li not stated', 'li Yes'],
    ],
    [
      { 'a"': '<b>', large: 12345, deep: { one: [1] } },
      ['th a"', 'td <b>', 'th large', 'td 12,345', 'th deep', 'td {"one":[1]}', 'code {"one":[1]}'],
    ],
    [
      [{ n: 1, on: 'x' }, { n: 2 }],
      ['th n', 'th on', 'td 1', 'td x', 'td 2', 'td not stated'],
    ],
    [[{ deep: [1] }], ['li {"deep":[1]}', 'code {"deep":[1]}']],
    [[], ['code []']],
    [{}, ['code {}']],
  ])('is a list, or a table of its members: %j', (value, parts) => {
    expect(shown(value)).toEqual(parts);
  });

  it('takes no more than its room, and says how much is left', () => {
    const many = Array.from({ length: 1000 }, (_, at) => `item ${at}`);
    const text = markupOf(many, 500);
    expect(Buffer.byteLength(text)).toBeLessThan(700);
    expect(shown(many, 500).at(-1)).toMatch(/^p 9\d\d more$/);
  });
});

describe('a number', () => {
  it.each<[string, FieldType, string, string]>([
    ['amount', 'decimal', '1250.50', '1,250.50'],
    ['amount', 'number', '1234567', '1,234,567'],
    ['built', 'integer', '1984', '1984'],
    ['inhabitants', 'integer', '12345', '12,345'],
    ['postal_code', 'integer', '10115', '10115'],
    ['permit_no', 'integer', '20260417', '20260417'],
  ])('of %s, a field of type %s, is %s as %s', (name, type, value, text) => {
    const written = valueOf(wordingIn('en'), { name, type }, value, { language: null, bytes: 100 }).toString();
    expect(written).toBe(`<data value="${value}">${text}</data>`);
  });
});
