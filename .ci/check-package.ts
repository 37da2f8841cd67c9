// `npm run check:package`: packs what `npm run build` has made, without building it again, and lets publint judge it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'gazette-package-'));

/** Runs a program; its exit code. */
function run(program: string, ...args: readonly string[]): number {
  const isWindows = process.platform === 'win32';
  const { status } = spawnSync(isWindows ? `${program}.cmd` : program, args, {
    stdio: ['ignore', program === 'npm' ? 'ignore' : 'inherit', 'inherit'],
    shell: isWindows,
  });
  return status ?? 1;
}

try {
  process.exitCode = run('npm', 'pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder);
  const [tarball] = readdirSync(folder);
  if (tarball !== undefined) process.exitCode = run('publint', '--strict', join(folder, tarball));
} finally {
  rmSync(folder, { recursive: true });
}
