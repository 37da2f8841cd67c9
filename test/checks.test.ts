// The checks that every layer shares.
import { describe, expect, test } from 'vitest';
import { checkWhole, isObject, isWhole, wholeText } from '../src/checks.ts';

describe('isWhole', () => {
  test.each([1, 50, 100])('takes %s of 1..100', (value) => {
    expect(isWhole(value, 1, 100)).toBe(true);
  });

  test.each([0, 101, 1.5, NaN, Infinity, '5', null, undefined, 5n, [5]])('does not take %s of 1..100', (value) => {
    expect(isWhole(value, 1, 100)).toBe(false);
  });

  test('takes numbers up to the last that counts exactly', () => {
    expect(isWhole(Number.MAX_SAFE_INTEGER, 0)).toBe(true);
    expect(isWhole(Number.MAX_SAFE_INTEGER + 1, 0)).toBe(false);
  });
});

describe('checkWhole', () => {
  test('returns the value', () => {
    expect(checkWhole('limit', 7, 1, 100)).toBe(7);
  });

  test.each([
    [() => checkWhole('limit', 0, 1, 100), 'limit must be 1..100, got 0'],
    [() => checkWhole('limit', Number('x'), 1, 100), 'limit must be 1..100, got NaN'],
    [() => checkWhole('limit', 0.5, 1), 'limit must be a whole number from 1, got 0.5'],
    [() => checkWhole('limit', 9, 1, 5, 'a hand'), 'limit must be a hand, got 9'],
  ])('refuses by name (%#)', (check, message) => {
    expect(check).toThrow(
      expect.objectContaining({ name: 'GazetteError', code: 'invalid_option', message, details: { option: 'limit' } }),
    );
  });

  test('says bounds as people do', () => {
    expect([wholeText(1, 100), wholeText(0)]).toEqual(['1..100', 'a whole number from 0']);
  });
});

test('an object is neither null nor an array', () => {
  expect([{}, { a: 1 }, Object.create(null)].map(isObject)).toEqual([true, true, true]);
  expect([null, undefined, [], [{}], 'text', 5, () => 5].map(isObject)).toEqual(Array(7).fill(false));
});
