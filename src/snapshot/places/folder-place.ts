// A folder of a snapshot on the disk.
import { appendFileSync, closeSync, existsSync, fsync, openSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MANIFEST_FILE } from '../../archive/layout.ts';
import { isMissing } from '../../files/target.ts';
import { placeStaged, stageFile, TEMPORARY_SUFFIX } from '../../files/staged-file.ts';
import { syncFolder } from '../../files/sync-folder.ts';
import type { ManifestParts } from '../folder/manifest.ts';
import type { StagedFile } from '../folder/staged-file.ts';
import { JOURNAL_FILE } from '../folder/state.ts';
import { lockFolder } from './lock.ts';
import type { PlaceLock, RootPlace } from './place.ts';
import { namesIn, Subfolders } from './subfolders.ts';

const synchronise = promisify(fsync);

/** A folder on the disk. Errors of the file system are thrown unchanged. */
export class FolderPlace implements RootPlace {
  readonly path: string;
  /** Ten pages. */
  readonly batchFiles = 70;
  readonly #subfolders: Subfolders;
  /** The journal while it is being written. */
  #journal: number | null = null;

  constructor(path: string) {
    this.path = path;
    this.#subfolders = new Subfolders(path);
  }

  /** Files wait beside their places. */
  get waiting(): string {
    return this.path;
  }

  nameOf(name: string): string {
    return join(this.path, name);
  }

  within(folder: string): FolderPlace {
    return new FolderPlace(join(this.path, folder));
  }

  async lock(): Promise<PlaceLock> {
    const lock = await lockFolder(this.path);
    return {
      release() {
        lock.release();
        return Promise.resolve();
      },
    };
  }

  async make(): Promise<void> {
    await mkdir(this.path, { recursive: true });
  }

  names(within: readonly string[]): Promise<ReadonlySet<string>> {
    return namesIn(this.path, within);
  }

  async list(folder = ''): Promise<ReadonlySet<string>> {
    return new Set(orNull(() => readdirSync(join(this.path, folder))));
  }

  has(name: string): Promise<boolean> {
    return Promise.resolve(existsSync(join(this.path, name)));
  }

  // At once: where thousands of registers are unchanged, each has a manifest to read, and a thread would take longer.
  async read(name: string): Promise<Buffer | null> {
    return orNull(() => readFileSync(join(this.path, name)));
  }

  makeFolderOf(name: string): Promise<void> {
    return this.#subfolders.makeFor(name);
  }

  async clear(names: ReadonlySet<string>): Promise<void> {
    for (const name of names) {
      if (name.endsWith(TEMPORARY_SUFFIX)) await rm(join(this.path, name), { recursive: true, force: true });
    }
  }

  // Writes of a killed process are not lost; only if the machine stops does a sync matter.
  openJournal(text: string): Promise<unknown> {
    this.#journal = openSync(join(this.path, JOURNAL_FILE), 'a');
    return Promise.all([this.note(text), syncFolder(this.path)]);
  }

  async note(text: string): Promise<void> {
    appendFileSync(this.#journal!, text);
    await synchronise(this.#journal!);
  }

  closeJournal(): void {
    if (this.#journal !== null) closeSync(this.#journal);
    this.#journal = null;
  }

  async removeJournal(): Promise<void> {
    await rm(join(this.path, JOURNAL_FILE), { force: true });
    await syncFolder(this.path);
  }

  // Each at once: a new file must never link to one that does not exist yet.
  move(files: readonly StagedFile[]): Promise<void> {
    for (const { name } of files) {
      placeStaged(join(this.path, name));
      this.#subfolders.touch(name);
    }
    return Promise.resolve();
  }

  remove(names: readonly string[]): Promise<void> {
    return this.#subfolders.remove(names);
  }

  async removeFolder(name: string): Promise<void> {
    const path = join(this.path, name);
    // In one step: a half removed folder would be a damaged one.
    if (existsSync(path)) await rename(path, path + TEMPORARY_SUFFIX);
    await rm(path + TEMPORARY_SUFFIX, { recursive: true, force: true });
  }

  async complete({ parts }: ManifestParts, ready: Promise<unknown>): Promise<void> {
    const place = join(this.path, MANIFEST_FILE);
    await Promise.all([ready, stageFile(place, parts), syncFolder(this.path), this.#subfolders.sync()]);
    placeStaged(place);
    await syncFolder(this.path);
  }
}

/** What is read; null if it does not exist. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
