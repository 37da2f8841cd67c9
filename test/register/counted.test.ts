import { expect, it } from 'vitest';
import { counted } from '../../src/register/counted.ts';

it.each([
  [counted(0, 'record'), '0 records'],
  [counted(1, 'record'), '1 record'],
  [counted(2, 'record'), '2 records'],
  [counted(1_234_567, 'record'), '1,234,567 records'],
  [counted(1, 'property', 'properties'), '1 property'],
  [counted(2, 'property', 'properties'), '2 properties'],
])('a number has the noun that goes with it: %s', (text, expected) => {
  expect(text).toBe(expected);
});
