import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberText } from '../../src/formats/number-text.ts';
import { tries } from '../effort.ts';

describe('the text of a number', () => {
  it.each([
    0,
    -0,
    1,
    -1,
    0.01,
    0.1,
    0.29,
    1.005,
    999.99,
    1000,
    999_999.99,
    1_000_000,
    1_000_000.01,
    1e21,
    5e-324,
    NaN,
    Infinity,
  ])('of %d is what String() gives', (value) => {
    expect(numberText(value)).toBe(String(value));
  });

  it('is what String() gives for every amount in hundredths, and for its neighbours', () => {
    const wrong: number[] = [];
    for (let hundredths = 0; hundredths < 200_000; hundredths++) {
      const value = hundredths / 100;
      const next = value * (1 + Number.EPSILON);
      wrong.push(...[value, next].filter((number) => numberText(number) !== String(number)));
    }
    expect(wrong).toEqual([]);
  });

  it('is what String() gives for any number', () => {
    const amounts = fc.integer({ min: 0, max: 200_000_000 }).map((hundredths) => hundredths / 100);
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.integer(), amounts), (value) => {
        expect(numberText(value)).toBe(String(value));
      }),
      { numRuns: tries(2500) },
    );
  });
});
