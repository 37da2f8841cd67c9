// A step of `npm run check:package`: packs what `npm run build` has made and has it judged, its files and entries by
// publint, its types by are-the-types-wrong. Both come from this folder's own package.json.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPackages } from '../../bench/peers.ts';

const HERE = import.meta.dirname;

/** Runs a program, and says whether it ended well. */
function passes(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'], cwd: HERE }).status === 0;
}

installPackages(HERE);
const folder = mkdtempSync(join(tmpdir(), 'gazette-package-'));
try {
  const pack = ['pack', join(HERE, '../..'), '--ignore-scripts', '--silent', '--pack-destination', folder];
  if (!passes('npm', ...pack)) throw new Error('npm pack failed');
  const tarball = join(folder, readdirSync(folder)[0]!);
  const publint = join(HERE, 'node_modules/publint/src/cli.js');
  const attw = join(HERE, 'node_modules/@arethetypeswrong/cli/dist/index.js');
  const judged = [
    passes(process.execPath, publint, tarball, '--strict'),
    passes(process.execPath, attw, tarball, '--profile', 'esm-only'),
  ];
  process.exitCode = judged.every(Boolean) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
