// The package as its users get it: packed, and installed by npm into an empty folder. What it weighs there.
import { execFile } from 'node:child_process';
import { lstat, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

/** The package and all it needs (architecture: "Dependencies"). */
export const MAX_PACKAGES = 20;
/** What `du` says of `node_modules`, in MB of 1,000,000 bytes. */
export const MAX_MEGABYTES = 22;

/** The package, installed. */
export interface Installed {
  /** The folder that holds `node_modules`. */
  readonly folder: string;
  /** The paths of the files in the tarball. */
  readonly files: readonly string[];
  /** The names of the packages installed, gazette among them. */
  readonly packages: readonly string[];
  /** Bytes on disk. */
  readonly bytes: number;
}

/** Packs what `npm run build` has made, and installs it. Packages that npm has in its cache are not fetched again. */
export async function packAndInstall(): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-installed-'));
  const packed = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], { cwd: root });
  const [tarball] = JSON.parse(packed.stdout) as { filename: string; files: { path: string }[] }[];
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts'];
  await run('npm', ['install', ...quiet, join(folder, tarball!.filename)], { cwd: folder });
  const modules = join(folder, 'node_modules');
  const lock = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8')) as { packages: object };
  return {
    folder,
    files: tarball!.files.map(({ path }) => path),
    packages: Object.keys(lock.packages).map((path) => path.slice(path.lastIndexOf('node_modules/') + 13)),
    bytes: await sizeOf(modules),
  };
}

/** The bytes a folder takes on disk, as `du` counts them: whole blocks, folders included. */
export async function sizeOf(path: string): Promise<number> {
  const status = await lstat(path);
  let bytes = status.blocks * 512;
  if (!status.isDirectory()) return bytes;
  for (const name of await readdir(path)) bytes += await sizeOf(join(path, name));
  return bytes;
}

/** What is wrong with the weight of a package; empty when nothing is. */
export function weightFaults({ files, packages, bytes }: Installed): readonly string[] {
  const megabytes = bytes / 1e6;
  const faults: string[] = [];
  if (packages.length > MAX_PACKAGES) {
    faults.push(`at most ${MAX_PACKAGES} packages, got ${packages.length}: ${packages.join(', ')}`);
  }
  if (megabytes > MAX_MEGABYTES) faults.push(`at most ${MAX_MEGABYTES} MB installed, got ${megabytes.toFixed(1)}`);
  for (const path of files) {
    if (path.endsWith('.map')) faults.push(`no source maps, got ${path}`);
    if (path.startsWith('src/') || (path.endsWith('.ts') && !path.endsWith('.d.ts'))) {
      faults.push(`no sources, got ${path}`);
    }
  }
  return faults;
}
