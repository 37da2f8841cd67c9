// The packages the benchmarks measure against. They are loaded by name and seen through small structural types of what
// is used of them, so that types and lint need none of them installed.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const HERE = import.meta.dirname;

/** Where packages are looked up: the benchmarks' own first, then those of the project. */
const PLACES = [join(HERE, 'node_modules'), join(HERE, '..', 'node_modules')];

/** A package's module, as `T` describes what is used of it. `T` is the module's namespace. */
export async function loadPeer<T>(specifier: string): Promise<T> {
  return (await import(specifier)) as T;
}

/** Whether a program that npm has not is there. */
export function hasProgram(program: string, asked = '--version'): boolean {
  return process.platform !== 'win32' && spawnSync(program, asked.split(' ')).status === 0;
}

/** The installed version of a package. @throws Error when it is not installed. */
export function versionOf(name: string): string {
  for (const place of PLACES) {
    const file = join(place, name, 'package.json');
    if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
  }
  throw new Error(`${name} is not installed: npm ci --prefix bench`);
}

/** Installs the benchmarks' own packages where they are missing or older than their lock file asks. */
export function installPeers(): void {
  installPackages(HERE);
}

/** Installs the packages of a folder with a lock file of its own, unless they are there in the versions it asks for. */
export function installPackages(folder: string): void {
  const wanted = readFileSync(join(folder, 'package.json'), 'utf8');
  const { dependencies } = JSON.parse(wanted) as { readonly dependencies: Readonly<Record<string, string>> };
  const missing = Object.entries(dependencies).some(([name, version]) => {
    const file = join(folder, 'node_modules', name, 'package.json');
    if (!existsSync(file)) return true;
    const { version: installed } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string };
    // A package under another name: `npm:NAME@VERSION`.
    return installed !== version.replace(/^npm:.*@/, '');
  });
  if (!missing) return;
  process.stderr.write(`installing the packages of ${folder} (once) …\n`);
  const npm = process.env.npm_execpath;
  // No package's own scripts: none of them needs one, and one of them would report the installation to its makers.
  const args = ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const result =
    npm === undefined
      ? spawnSync('npm', args, { stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
      : spawnSync(process.execPath, [npm, ...args], { stdio: ['ignore', 2, 2] });
  if (result.status !== 0) throw new Error(`npm ci --prefix ${folder} failed; its message stands above`);
}
