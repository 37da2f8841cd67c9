// A source file with a mistake in it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutation } from './mutations.ts';

/** The text of the file with the mistake. @throws Error unless what it replaces is exactly once in the file */
export function mutated(root: string, { name, file, find, replace }: Mutation): string {
  const parts = readFileSync(join(root, file), 'utf8').split(find);
  if (parts.length === 2) return parts.join(replace);
  throw new Error(`the mutation ${name} cannot be made: ${file} has ${parts.length - 1} times ${JSON.stringify(find)}`);
}
