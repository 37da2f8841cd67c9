// The types of the package as other projects find them, judged by are-the-types-wrong. It judges what `npm run build` made.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { program } from './tools.ts';

const folder = mkdtempSync(join(tmpdir(), 'gazette-conformance-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

it('has types that every entry finds, wherever it is imported from an ES module', async () => {
  await program('npm', 'pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder);
  const [tarball] = readdirSync(folder);
  const attw = join(import.meta.dirname, 'node_modules/@arethetypeswrong/cli/dist/index.js');
  const found = await program(process.execPath, attw, join(folder, tarball!), '--profile', 'esm-only', '--no-emoji');
  expect(found).toContain('No problems found');
});
