// The folders within a folder of a snapshot: their files are found, they are made before a file waits in them, and their names
// are synced.
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import { join, posix, relative, sep } from 'node:path';
import { TEMPORARY_SUFFIX } from '../../files/staged-file.ts';
import { syncFolder } from '../../files/sync-folder.ts';

/** The names in a folder, and the files at any depth of some folders below it, with slashes. */
export async function namesIn(path: string, within: readonly string[]): Promise<ReadonlySet<string>> {
  const names = new Set<string>(await readdir(path));
  for (const folder of within) {
    if (existsSync(join(path, folder))) for (const name of await filesWithin(path, folder)) names.add(name);
  }
  return names;
}

/** The files at any depth of a folder within another, and what is in the way of one: names in the outer one, with slashes. */
async function filesWithin(path: string, folder: string): Promise<readonly string[]> {
  const entries = await readdir(join(path, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory() || entry.name.endsWith(TEMPORARY_SUFFIX))
    .map((entry) => relative(path, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

/** The folders in which a run moves and removes files. */
export class Subfolders {
  readonly #path: string;
  readonly #made = new Set<string>();
  readonly #touched = new Set<string>();

  constructor(path: string) {
    this.#path = path;
  }

  /** Makes the folder of a file. Errors of the file system are thrown unchanged. */
  async makeFor(name: string): Promise<void> {
    const folder = posix.dirname(name);
    if (folder === '.' || this.#made.has(folder)) return;
    await mkdir(join(this.#path, folder), { recursive: true });
    this.#made.add(folder);
  }

  /** Notes that a file is moved or removed: {@link sync} syncs its folder, and those around it, which may be new. */
  touch(name: string): void {
    for (const folder of foldersOf(name)) this.#touched.add(folder);
  }

  /** Resolves once the names in every folder that was touched are on disk. */
  async sync(): Promise<void> {
    await Promise.all([...this.#touched].map((folder) => syncFolder(join(this.#path, folder))));
  }

  /** Removes files, and the folders that they leave empty. */
  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) {
      await rm(join(this.#path, name), { recursive: true, force: true });
      this.touch(name);
    }
    const folders = new Set(names.flatMap(foldersOf));
    // The innermost first: a folder is longer than those around it.
    for (const folder of [...folders].sort((a, b) => b.length - a.length)) {
      // It stays where it has other files.
      await rmdir(join(this.#path, folder)).catch(() => undefined);
    }
  }
}

/** The folders that a name is in, the innermost first, without the one that names are relative to. */
function foldersOf(name: string): string[] {
  const folders: string[] = [];
  for (let folder = posix.dirname(name); folder !== '.'; folder = posix.dirname(folder)) folders.push(folder);
  return folders;
}
