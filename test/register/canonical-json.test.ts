import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, type JsonValue } from '../../src/register/canonical-json.ts';
import { jsonValues, RUNS, texts } from '../properties/arbitraries.ts';

describe('canonicalJson', () => {
  it('writes the example of RFC 8785 section 3.2.2 as section 3.2.3 has it', () => {
    const input = JSON.parse(`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
      "literals": [null, true, false]
    }`) as JsonValue;
    expect(canonicalJson(input)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('sorts members by UTF-16 code units: the example of RFC 8785 section 3.2.3', () => {
    const input = JSON.parse(`{
      "\\u20ac": "Euro Sign",
      "\\r": "Carriage Return",
      "\\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\\ud83d\\ude00": "Emoji: Grinning Face",
      "\\u0080": "Control",
      "\\u00f6": "Latin Small Letter O With Diaeresis"
    }`) as Record<string, string>;
    const sorted = Object.values(JSON.parse(toPairs(canonicalJson(input))) as Record<string, string>);
    expect(sorted).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
  });

  // RFC 8785 appendix B: IEEE 754 bits and the text.
  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('writes the number with bits %s as %s', (bits, text) => {
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, BigInt(`0x${bits}`));
    expect(canonicalJson(view.getFloat64(0))).toBe(text);
  });

  it.each([
    [null, 'null'],
    [[], '[]'],
    [{}, '{}'],
    ['', '""'],
    ['\ud800', '"\\ud800"'],
    [{ b: 1, a: [true, null] }, '{"a":[true,null],"b":1}'],
    [{ '10': 1, '9': 2 }, '{"10":1,"9":2}'],
    [JSON.parse('{"__proto__":1}') as JsonValue, '{"__proto__":1}'],
  ])('writes %j as %s', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('leaves out members that are undefined', () => {
    expect(canonicalJson({ a: 1, b: undefined } as unknown as JsonValue)).toBe('{"a":1}');
  });

  // RFC 8785 3.2.2.3: NaN and the infinities must end in an error. The others are no JSON values at all.
  it.each([
    ['NaN', NaN],
    ['an infinity', [-Infinity]],
    ['undefined', undefined],
    ['a hole in an array', [undefined]],
    ['a bigint', 1n],
    ['a function', { f: () => 1 }],
    ['a symbol', [Symbol('x')]],
    ['a date object', new Date(0)],
    ['a map', { m: new Map([[1, 2]]) }],
    ['bytes', new Uint8Array(2)],
  ])('throws for %s instead of writing something else', (_, value) => {
    expect(() => canonicalJson(value as JsonValue)).toThrow(expect.objectContaining({ code: 'invalid_record' }));
  });

  it('gives one text for one value, whatever the order of members, and the same value back', () => {
    fc.assert(
      fc.property(jsonValues(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(value);
        expect(canonicalJson(reversed(value))).toBe(text);
        expect(canonicalJson(JSON.parse(text) as JsonValue)).toBe(text);
      }),
      { numRuns: RUNS },
    );
  });

  it('is well-formed Unicode without raw controls for any text', () => {
    fc.assert(
      fc.property(texts(), (text) => {
        const json = canonicalJson(text);
        expect(json.isWellFormed()).toBe(true);
        expect(json).not.toMatch(/[\u0000-\u001f]/);
      }),
      { numRuns: RUNS },
    );
  });
});

/** The object with its members numbered in the order of the text, so that reading it keeps that order. */
function toPairs(json: string): string {
  let index = 0;
  return json.replace(/([{,])"(?:[^"\\]|\\.)*":/g, (_, start: string) => `${start}"k${index++}":`);
}

function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as Record<string, JsonValue>)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}
