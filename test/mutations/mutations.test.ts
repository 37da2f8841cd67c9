// The mistakes of mutations.ts can still be made, and there is a test file for each.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { MUTATIONS } from './mutations.ts';
import { mutated } from './mutated.ts';

const ROOT = resolve(import.meta.dirname, '../..');

it.each(MUTATIONS)('$name: its text is once in $file, and the tests that must see it exist', (mutation) => {
  expect(mutated(ROOT, mutation)).not.toBe('');
  expect(mutation.caughtBy).not.toEqual([]);
  expect(mutation.caughtBy.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

it('are some twenty, in ten folders at least', () => {
  expect(MUTATIONS.length).toBeGreaterThanOrEqual(20);
  expect(new Set(MUTATIONS.map(({ file }) => file.split('/')[1])).size).toBeGreaterThanOrEqual(10);
  expect(new Set(MUTATIONS.map(({ name }) => name)).size).toBe(MUTATIONS.length);
});
