// Exact decimal numbers: which texts are ones, how other forms are written out, and what a double can give back.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalOf, isDecimal, isHeldByDouble, isSameNumber, significantDigits } from '../../src/register/decimal.ts';
import { decimals, RUNS } from '../properties/arbitraries.ts';

describe('a decimal', () => {
  it.each<readonly [unknown, string | null]>([
    ['12.50', '12.50'],
    ['-0', '-0'],
    ['0.0', '0.0'],
    ['12345678901234567.89', '12345678901234567.89'],
    ['1e3', '1000'],
    ['-1.50E-3', '-0.00150'],
    ['1.25e1', '12.5'],
    ['1.25e+5', '125000'],
    ['0e5', '0'],
    [0.1, '0.1'],
    [1e21, '1000000000000000000000'],
    [5e-324, `0.${'0'.repeat(323)}5`],
    [-0.000001, '-0.000001'],
    ['9'.repeat(1000), '9'.repeat(1000)],
    ['9'.repeat(1001), null],
    ['1e1000', null],
    ['1e999999999', null],
    ['1e-999999999', null],
    ['007', null],
    ['+7', null],
    ['.5', null],
    ['5.', null],
    ['1,5', null],
    [' 1', null],
    ['', null],
    ['0x10', null],
    [NaN, null],
    [-Infinity, null],
    [true, null],
    [null, null],
  ])('of %j is %j', (value, decimal) => {
    expect(decimalOf(value)).toBe(decimal);
    if (decimal !== null) expect(isDecimal(decimal)).toBe(true);
  });

  it('is made of big integers', () => {
    expect(decimalOf(12345678901234567890n)).toBe('12345678901234567890');
  });

  it('states the number it was made of', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Number(decimalOf(value))).toBe(Object.is(value, -0) ? 0 : value);
      }),
      { numRuns: 5 * RUNS },
    );
  });

  it('keeps every digit of a text', () => {
    fc.assert(
      fc.property(decimals(), (text) => {
        expect(decimalOf(text)).toBe(text);
      }),
      { numRuns: RUNS },
    );
  });
});

describe('what a double gives back', () => {
  it.each<readonly [string, boolean]>([
    ['0.1', true],
    ['0.10', true],
    ['100', true],
    ['1e3', true],
    ['-0', true],
    ['9007199254740991', true],
    ['9007199254740993', false],
    ['10000000000000000000000', true],
    ['123456789012345', true],
    ['12345678901234567.89', false],
    ['0.1234567890123456789', false],
    ['0.30000000000000004', true],
    ['0.3000000000000000000000000000', true],
    ['1e400', false],
    ['1e-400', false],
    ['x', false],
    ['1.5.5', false],
  ])('%s: %j', (text, isHeld) => {
    expect(isHeldByDouble(text)).toBe(isHeld);
  });

  it('is every number that JavaScript writes', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(isHeldByDouble(String(value))).toBe(true);
      }),
      { numRuns: 5 * RUNS },
    );
  });
});

it.each([
  ['0', 0],
  ['0.00', 0],
  ['0.0120', 2],
  ['-1200', 2],
  ['100.01', 5],
])('%s has %i significant digits', (text, count) => {
  expect(significantDigits(text)).toBe(count);
});

describe('whether two texts state the same number', () => {
  it.each([
    ['12.50', '12.5', true],
    ['12.50', '1.25e1', true],
    ['0', '-0.00', true],
    ['1e400', '10e399', true],
    ['5', '-5', false],
    ['0.1234567890123456789', '0.1234567890123456788', false],
    ['1', '10', false],
    ['x', 'x', false],
    ['1', 'x', false],
    ['', '0', false],
  ])('%s and %s: %s', (one, other, isSame) => {
    expect(isSameNumber(one, other)).toBe(isSame);
    expect(isSameNumber(other, one)).toBe(isSame);
  });
});
