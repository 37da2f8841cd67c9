import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GazetteError, isGazetteError, quote } from '../src/errors.ts';
import { RUNS, texts } from './properties/arbitraries.ts';

describe('GazetteError', () => {
  it('carries its code, message, details and cause', () => {
    const cause = new Error('disk full');
    const error = new GazetteError('output_failed', 'cannot write out.csv', { cause, details: { path: 'out.csv' } });
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe('GazetteError');
    expect(error.code).toBe('output_failed');
    expect(error.message).toBe('cannot write out.csv');
    expect(error.details).toEqual({ path: 'out.csv' });
    expect(error.cause).toBe(cause);
  });

  it('has empty details and no cause of its own when none is given', () => {
    const error = new GazetteError('usage', 'what?');
    expect(error.details).toEqual({});
    expect(Object.hasOwn(error, 'cause')).toBe(false);
  });
});

describe('isGazetteError', () => {
  const error = new GazetteError('not_found', 'nothing here');

  it('tells gazette’s errors from others', () => {
    expect(isGazetteError(error)).toBe(true);
    expect(isGazetteError(new Error('x'))).toBe(false);
    expect(isGazetteError({ code: 'not_found' })).toBe(false);
    expect(isGazetteError(undefined)).toBe(false);
  });

  it('tells one code from another', () => {
    expect(isGazetteError(error, 'not_found')).toBe(true);
    expect(isGazetteError(error, 'usage')).toBe(false);
  });
});

describe('quote', () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;

  it.each([
    ['a text', 'abc', '"abc"'],
    ['the empty text', '', '""'],
    ['an API key', `at gz_${'aB3'.repeat(11)}_0000aB!`, '"at gz_…!"'],
    ['most of one, in a URL', `/gz%5F${'aB3'.repeat(7)}/x`, '"/gz_…/x"'],
    ['what only begins like one', 'gz_permits_2026', '"gz_permits_2026"'],
    ['a text with quotes', 'a"b', '"a\\"b"'],
    ['line ends', 'a\r\nb', '"a\\r\\nb"'],
    ['a terminal’s escape', '\u001b[31m', '"\\u001b[31m"'],
    ['the one-byte form of it', '\u009b31m', '"\\u009b31m"'],
    ['DEL', '\u007f', '"\\u007f"'],
    ['line separators', 'a\u2028b\u2029', '"a\\u2028b\\u2029"'],
    ['a direction override', '\u202efdp', '"\\u202efdp"'],
    ['what nobody sees', 'a\u200b\u00ad\u{e0041}', '"a\\u200b\\u00ad\\udb40\\udc41"'],
    ['a lone surrogate', '\ud800', '"\\ud800"'],
    ['letters beyond ASCII', 'Łódź 😀', '"Łódź 😀"'],
    ['a number', 5, '5'],
    ['a number that is none', NaN, 'NaN'],
    ['a boolean', true, 'true'],
    ['an object', { a: 'x\n\u202e' }, '{"a":"x\\n\\u202e"}'],
    ['an array', [1, 'a'], '[1,"a"]'],
    ['an API key in an object', { key: `gz_${'aB3'.repeat(11)}_0000aB` }, '{"key":"gz_…"}'],
    ['null', null, 'null'],
    ['undefined', undefined, 'undefined'],
    ['a symbol', Symbol('x'), '"Symbol(x)"'],
    ['a bigint', 12n, '12'],
    ['an array with a bigint', [1n], '"[object Array]"'],
    ['an object whose JSON is undefined', { toJSON: () => undefined }, '"[object Object]"'],
    ['an object that contains itself', circular, '"[object Object]"'],
    [
      'an object whose JSON cannot be made',
      {
        toJSON: () => {
          throw new Error('no');
        },
      },
      '"[object Object]"',
    ],
  ])('shows %s', (_, value, shown) => {
    expect(quote(value)).toBe(shown);
  });

  it('cuts after 60 characters', () => {
    expect(quote('x'.repeat(60))).toBe(`"${'x'.repeat(60)}"`);
    expect(quote('x'.repeat(61))).toBe(`"${'x'.repeat(60)}…"`);
  });

  it('never cuts a character of two units in half', () => {
    expect(quote(`${'x'.repeat(59)}😀y`)).toBe(`"${'x'.repeat(59)}…"`);
  });

  it('gives one line of bounded length for any text', () => {
    fc.assert(
      fc.property(texts(30), (text) => {
        const shown = quote(text);
        expect(shown).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/);
        expect(shown.isWellFormed()).toBe(true);
        expect(shown.length).toBeLessThanOrEqual(2 + 61 * 6);
      }),
      { numRuns: RUNS },
    );
  });
});
