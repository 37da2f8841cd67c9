// docs/dependencies.md says what package.json, npm and the disk say.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { sizeOf } from '../package/installed.ts';

const root = join(import.meta.dirname, '../..');

/** Of a size on disk: what is rounded, and what a disk of other blocks adds. */
const TOLERANCE_MB = 0.15;

interface Tree {
  readonly dependencies?: Readonly<Record<string, Tree>>;
}

/** The rows of a table under a heading, as cells without back quotes. */
async function rowsUnder(heading: string): Promise<readonly (readonly string[])[]> {
  const page = await readFile(join(root, 'docs/dependencies.md'), 'utf8');
  const section = page.split(/^## /m).find((part) => part.startsWith(heading))!;
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.replaceAll('`', '').trim()),
    );
}

/** The packages a package brings, by name. */
function namesIn(tree: Tree): readonly string[] {
  return Object.entries(tree.dependencies ?? {}).flatMap(([name, child]) => [name, ...namesIn(child)]);
}

const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Readonly<
  Record<'dependencies' | 'peerDependencies' | 'devDependencies', Readonly<Record<string, string>>>
>;
const { stdout } = await promisify(execFile)('npm', ['ls', '--omit=dev', '--all', '--json'], {
  cwd: root,
  maxBuffer: 64 * 1024 * 1024,
}).catch(
  // What does not belong into the tree makes npm end with 1; it lists all the same.
  (error: unknown) => error as { readonly stdout: string },
);
const installed = (JSON.parse(stdout) as Tree).dependencies!;

describe('docs/dependencies.md', () => {
  it('names every package that is installed with gazette, what it brings, and what that weighs', async () => {
    const rows = await rowsUnder('Packages that are installed');
    expect(rows.map(([name]) => name)).toEqual(Object.keys(manifest.dependencies).toSorted());
    const all = new Set<string>();
    for (const [name, , brings, packages, megabytes] of rows) {
      const names = new Set([name!, ...namesIn(installed[name!]!)]);
      for (const each of names) all.add(each);
      expect([name, brings, packages]).toEqual([name, [...names].slice(1).join(', '), String(names.size)]);
      const sizes = await Promise.all([...names].map((each) => sizeOf(join(root, 'node_modules', each))));
      const measured = sizes.reduce((sum, size) => sum + size, 0) / 1e6;
      expect(Math.abs(Number(megabytes) - measured), `${name} weighs ${measured.toFixed(2)} MB`).toBeLessThan(
        TOLERANCE_MB,
      );
    }
    const page = await readFile(join(root, 'docs/dependencies.md'), 'utf8');
    expect(page).toContain(`Together they are ${all.size} packages, ${all.size + 1} with gazette itself.`);
  });

  it('names every optional peer', async () => {
    const rows = await rowsUnder('Optional peers');
    expect(rows.map(([name]) => name)).toEqual(Object.keys(manifest.peerDependencies).toSorted());
  });

  it('names what is carried inside, which is nobody’s dependency', async () => {
    const rows = await rowsUnder('Carried inside');
    for (const [name] of rows) {
      expect(manifest.devDependencies).toHaveProperty([name!]);
      expect(manifest.dependencies).not.toHaveProperty([name!]);
    }
  });
});
