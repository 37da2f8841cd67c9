// Exact decimal numbers: which texts are ones, how other forms are written out, and what a double can give back.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalOf, isHeldByDouble } from '../../src/register/decimal.ts';
import { decimals, RUNS } from '../properties/arbitraries.ts';

describe('a decimal', () => {
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
  it('is every number that JavaScript writes', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(isHeldByDouble(String(value))).toBe(true);
      }),
      { numRuns: 5 * RUNS },
    );
  });
});
