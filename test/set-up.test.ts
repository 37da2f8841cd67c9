// What GAZETTE_TEST_SEED draws, or chance.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SEED } from './effort.ts';

it('properties ask the same questions again where a seed is set, and only there', () => {
  const [first, second] = [1, 2].map(() => fc.sample(fc.bigInt(0n, 2n ** 256n), 50));
  if (SEED === null) expect(second).not.toEqual(first);
  else expect(second).toEqual(first);
});
