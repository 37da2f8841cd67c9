// Which program the tests start as a process of its own: the built one where it is that of the sources, which starts in two
// thirds of the time and is what people start; else the sources.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const BUILT = 'dist/cli/gazette.js';
const SOURCES = 'src/cli/gazette.ts';

/** Its path from the root of the checkout. The built one is taken if nothing in `src` was written after it. */
export function program(): string {
  const builtAt = statSync(join(ROOT, BUILT), { throwIfNoEntry: false })?.mtimeMs ?? -Infinity;
  const entries = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  return entries.every((entry) => statSync(join(ROOT, 'src', entry)).mtimeMs <= builtAt) ? BUILT : SOURCES;
}
