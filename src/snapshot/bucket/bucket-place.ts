// A folder of a snapshot in a bucket. Files wait on this machine until they are sent, each in one request, so that an object
// is always old or new. A journal is an object that is written as a whole, so it is written for more files at once.
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MANIFEST_FILE } from '../../archive/layout.ts';
import { GazetteError } from '../../errors.ts';
import { TEMPORARY_SUFFIX } from '../../files/staged-file.ts';
import { type ManifestParts, stemOf } from '../folder/manifest.ts';
import type { StagedFile } from '../folder/staged-file.ts';
import { JOURNAL_FILE, journalText } from '../folder/state.ts';
import type { PlaceLock, RootPlace } from '../places/place.ts';
import { Subfolders } from '../places/subfolders.ts';
import { sideBySide } from '../side-by-side.ts';
import { BucketLock } from './bucket-lock.ts';
import { BucketRequests, type SnapshotBucket } from './requests.ts';

/** How many requests for objects wait at once. */
const REQUESTS_AT_ONCE = 16;

/** How many files wait at least until they are sent: a hundred pages. */
const BATCH_FILES = 700;

/** A journal is written again once it has grown by this part of itself: all its versions together are a few times the last. */
const JOURNAL_GROWTH = 4;

/** What all folders of a snapshot in a bucket share. */
interface Shared {
  readonly bucket: BucketRequests;
  readonly lockMs: number | undefined;
  /** The headers of an object, by its name below the prefix. */
  readonly headersOf: (name: string) => Readonly<Record<string, string>>;
  /** The lock, and the folder of this machine where files wait; null before it is locked. */
  held: { readonly lock: BucketLock; readonly waiting: string } | null;
}

/** A folder of a snapshot in a bucket, or its root. */
export class BucketPlace implements RootPlace {
  readonly path: string;
  readonly #shared: Shared;
  /** The empty text, or the name of the folder and a slash. */
  readonly #folder: string;
  /** Its names, until something in it changes. */
  #listed: Promise<ReadonlySet<string>> | null = null;
  /** Of the manifest as it was read; null: there was none. */
  #manifestTag: string | null = null;
  #journal: Buffer[] = [];
  #keeping: Promise<void> = Promise.resolve();
  #sent = 0;

  private constructor(shared: Shared, folder: string) {
    this.#shared = shared;
    this.#folder = folder;
    this.path = shared.bucket.path + (folder === '' ? '' : `/${folder.slice(0, -1)}`);
  }

  /** The root of a snapshot. @throws GazetteError `missing_peer` */
  static async open(
    bucket: SnapshotBucket,
    headersOf: (name: string) => Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<BucketPlace> {
    const requests = await BucketRequests.open(bucket, signal);
    return new BucketPlace({ bucket: requests, lockMs: bucket.lockMs, headersOf, held: null }, '');
  }

  get waiting(): string {
    return join(this.#shared.held!.waiting, this.#folder);
  }

  get batchFiles(): number {
    return Math.max(BATCH_FILES, Math.ceil(this.#sent / JOURNAL_GROWTH));
  }

  nameOf(name: string): string {
    return `${this.path}/${name}`;
  }

  within(folder: string): BucketPlace {
    return new BucketPlace(this.#shared, `${folder}/`);
  }

  async lock(): Promise<PlaceLock> {
    // Not cancelled with the run: it is freed after that.
    const lock = await BucketLock.take(this.#shared.bucket.lasting, this.#shared.lockMs);
    const waiting = await mkdtemp(join(tmpdir(), 'gazette-bucket-'));
    this.#shared.held = { lock, waiting };
    return {
      async release() {
        await lock.release();
        await rm(waiting, { recursive: true, force: true });
      },
    };
  }

  async make(): Promise<void> {
    await mkdir(this.waiting, { recursive: true });
  }

  /** All objects of a register are its own; the folders within the root are those of registers, but for these. */
  async names(within: readonly string[] = []): Promise<ReadonlySet<string>> {
    const { bucket } = this.#shared;
    if (this.#folder !== '') return (this.#listed ??= bucket.list(this.#folder, false));
    const names = new Set(await (this.#listed ??= bucket.list('', true)));
    for (const folder of within) {
      for (const name of await bucket.list(`${folder}/`, false)) names.add(`${folder}/${name}`);
    }
    return names;
  }

  async list(folder?: string): Promise<ReadonlySet<string>> {
    const names = await this.names();
    if (folder === undefined) return names;
    const within = [...names].filter((name) => name.startsWith(`${folder}/`));
    return new Set(within.map((name) => name.slice(folder.length + 1)));
  }

  async has(name: string): Promise<boolean> {
    return (await this.names()).has(name);
  }

  async read(name: string): Promise<Buffer | null> {
    const found = (await this.has(name)) ? await this.#shared.bucket.read(this.#folder + name) : null;
    if (name === MANIFEST_FILE) this.#manifestTag = found?.etag ?? null;
    return found?.bytes ?? null;
  }

  async makeFolderOf(name: string): Promise<void> {
    await new Subfolders(this.waiting).makeFor(name);
  }

  /** Nothing waits in a bucket. */
  clear(): Promise<void> {
    return Promise.resolve();
  }

  openJournal(text: string): Promise<void> {
    this.#sent = 0;
    this.#keeping = this.read(JOURNAL_FILE).then((bytes) => {
      if (bytes !== null) this.#journal.unshift(bytes);
    });
    return this.note(text);
  }

  note(text: string): Promise<void> {
    this.#journal.push(Buffer.from(text));
    // One after the other: an earlier one must not arrive last.
    const kept = this.#keeping.then(() => this.#write(JOURNAL_FILE, Buffer.concat(this.#journal)));
    this.#keeping = kept;
    kept.catch(() => undefined);
    return kept;
  }

  /** An object has nothing to close; its text is not needed any more. */
  closeJournal(): void {
    this.#journal = [];
  }

  async removeJournal(): Promise<void> {
    await this.#remove(JOURNAL_FILE);
  }

  async move(files: readonly StagedFile[]): Promise<void> {
    for (const group of inGroups(files, ({ name }) => name)) {
      await sideBySide(group, REQUESTS_AT_ONCE, async ({ name, entry }) => {
        this.#shared.bucket.checkSize(this.#folder + name, entry.bytes);
        const path = join(this.waiting, name) + TEMPORARY_SUFFIX;
        await this.#write(name, await readFile(path));
        await rm(path);
      });
    }
    this.#sent += files.length;
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const group of inGroups(names, (name) => name)) {
      await sideBySide(group, REQUESTS_AT_ONCE, (name) => this.#remove(name));
    }
  }

  /** Its journal says that all of it is removed; the manifest goes last, and then the journal. */
  async removeFolder(name: string): Promise<void> {
    const place = this.within(name);
    const others = [...(await place.names())].filter((file) => file !== MANIFEST_FILE && file !== JOURNAL_FILE);
    if ((await place.names()).size === 0) return;
    await place.openJournal(journalText([...others, MANIFEST_FILE].map((path) => ({ path, file: null }))));
    await sideBySide(others, REQUESTS_AT_ONCE, (file) => place.#remove(file));
    await place.#remove(MANIFEST_FILE);
    await place.removeJournal();
  }

  async complete({ parts }: ManifestParts, ready: Promise<unknown>): Promise<void> {
    await ready;
    this.#listed = null;
    const condition = this.#manifestTag === null ? 'absent' : { etag: this.#manifestTag };
    const name = this.#folder + MANIFEST_FILE;
    const { bucket, headersOf } = this.#shared;
    const before = (): Promise<void> => this.#check();
    const etag = await bucket.write(name, Buffer.concat(parts), headersOf(name), { condition, before });
    if (etag !== null) return;
    throw new GazetteError('snapshot_busy', `${this.nameOf(MANIFEST_FILE)} was written by another run meanwhile`, {
      details: { path: bucket.path },
    });
  }

  async #write(name: string, bytes: Uint8Array): Promise<void> {
    this.#listed = null;
    const { bucket, headersOf } = this.#shared;
    await bucket.write(this.#folder + name, bytes, headersOf(this.#folder + name), { before: () => this.#check() });
  }

  #remove(name: string): Promise<void> {
    this.#listed = null;
    return this.#shared.bucket.remove(this.#folder + name, () => this.#check());
  }

  /** Before anything is changed: whoever was stopped for a while may have lost the lock. */
  #check(): Promise<void> {
    return this.#shared.held!.lock.check();
  }
}

/**
 * What may be sent side by side: archive pages, which threads finish out of turn anyway, tiles, the parts of a search index,
 * and the files of one stem. The groups keep their order, so that no newest page leads to an archive page that does not exist
 * yet.
 */
function inGroups<Item>(items: readonly Item[], nameOf: (item: Item) => string): readonly (readonly Item[])[] {
  const groups: { readonly key: string; readonly items: Item[] }[] = [];
  for (const item of items) {
    const name = nameOf(item);
    const key = /^pages\/|^search\/[^/]*\/\w*\/|^(?:api\/v1\/)?log\/[^/]*\/tile\//.exec(name)?.[0] ?? stemOf(name);
    const last = groups.at(-1);
    if (last?.key === key) last.items.push(item);
    else groups.push({ key, items: [item] });
  }
  return groups.map((group) => group.items);
}
