// A folder that is brought from one whole state to the next. Files are written beside their places and moved there in
// batches; the journal `manifest.next.json` names each file of a batch before any of it is moved. Killed at any moment,
// every file is its old or its new self, and the journal says that the run did not come to its end.
import { existsSync } from 'node:fs';
import { appendFile, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { GazetteError, isGazetteError } from '../errors.ts';
import type { Tier } from '../register/tier.ts';
import {
  digestOf,
  type FileEntry,
  type Files,
  MANIFEST_FILE,
  manifestText,
  parseManifest,
  type RegisterManifest,
  type RootManifest,
} from './manifest.ts';
import { syncFolder } from './sync-folder.ts';

/** The name of the journal: where it stands, a run did not come to its end. */
export const JOURNAL_FILE = 'manifest.next.json';

/** What a file in work is called, behind its own name. */
export const TEMPORARY_SUFFIX = '.tmp';

/** The most files, and bytes, that wait to be moved at once: some ten pages. */
const BATCH_FILES = 70;
const BATCH_BYTES = 8 * 1024 * 1024;

/** A line of the journal: the beginning of a run, or a file about to get these bytes or, with null, to go. */
interface JournalLine {
  readonly gazette_snapshot?: 'begun';
  readonly tier?: Tier;
  readonly path?: string;
  readonly file?: FileEntry | null;
}

/** What runs that did not come to their end have begun. */
export interface Journal {
  readonly tier: Tier | null;
  /** What each file they named may have become: its digests, null for no file at all. */
  readonly digests: ReadonlyMap<string, ReadonlySet<string | null>>;
}

/** What {@link SnapshotFolder.put} says of a file besides its bytes. */
export type FileFacts = Omit<FileEntry, 'sha256' | 'bytes'>;

/** One folder in work. */
export class SnapshotFolder<Manifest extends RegisterManifest | RootManifest> {
  /** The state the folder was whole in; null when it never was. */
  readonly previous: Manifest | null;
  readonly #path: string;
  readonly #present: ReadonlySet<string>;
  readonly #journal: Journal | null;
  readonly #files = new Map<string, FileEntry>();
  #staged = new Map<string, Uint8Array>();
  #stagedBytes = 0;
  #written = 0;
  #isBegun = false;

  private constructor(path: string, previous: Manifest | null, journal: Journal | null, present: ReadonlySet<string>) {
    this.#path = path;
    this.previous = previous;
    this.#journal = journal;
    this.#present = present;
  }

  /** @throws GazetteError `damaged_snapshot` for a manifest that is none, `output_failed`. */
  static async open<Manifest extends RegisterManifest | RootManifest>(path: string): Promise<SnapshotFolder<Manifest>> {
    return attempt(path, async () => {
      await mkdir(path, { recursive: true });
      const present = new Set<string>();
      for (const name of await readdir(path)) present.add(name);
      if (present.has('pages')) for (const name of await readdir(join(path, 'pages'))) present.add(`pages/${name}`);
      const previous = ((await readManifest(path))?.manifest ?? null) as Manifest | null;
      return new SnapshotFolder(path, previous, await readJournal(path), present);
    });
  }

  /** How many files this run has written. */
  get written(): number {
    return this.#written;
  }

  /** The tier of what stands in the folder, whole or not; null when nothing does. */
  get tier(): Tier | null {
    return this.previous?.tier ?? this.#journal?.tier ?? null;
  }

  /** Whether an earlier run did not come to its end. */
  get isInterrupted(): boolean {
    return this.#journal !== null;
  }

  /** Whether what was put, kept and named is another state than the whole one. */
  get isChanged(): boolean {
    const files = this.previous?.files ?? {};
    const isOther = [...this.#files].some(([name, { sha256 }]) => files[name]?.sha256 !== sha256);
    return this.#isBegun || isOther || this.#staged.size > 0 || Object.keys(files).length !== this.#files.size;
  }

  /** Whether the file of this name is surely the one of the whole state. What an interrupted run left of one, nobody knows. */
  isKnown(name: string): boolean {
    return (
      this.#present.has(name) && this.previous?.files[name] !== undefined && this.#journal?.digests.has(name) !== true
    );
  }

  /** Takes over a file of the whole state as it is. */
  keep(name: string): void {
    this.#files.set(name, this.previous!.files[name]!);
  }

  /** Names a file that others wrote: it is neither written nor removed here. */
  name(name: string, bytes: Uint8Array): void {
    this.#files.set(name, { sha256: digestOf(bytes), bytes: bytes.length });
  }

  /** Gives a file these bytes, unless they are its own already. @throws GazetteError `output_failed` */
  async put(name: string, bytes: Uint8Array, facts: FileFacts = {}): Promise<void> {
    const file = { sha256: digestOf(bytes), bytes: bytes.length, ...facts };
    this.#files.set(name, file);
    if (this.isKnown(name) && this.previous?.files[name]?.sha256 === file.sha256) return;
    this.#staged.set(name, bytes);
    this.#stagedBytes += bytes.length;
    if (this.#staged.size >= BATCH_FILES || this.#stagedBytes >= BATCH_BYTES) await this.#flush();
  }

  /** Begins to change files: from here on an end before {@link finish} leaves an interrupted snapshot. */
  async begin(tier: Tier): Promise<void> {
    if (this.#isBegun) return;
    this.#isBegun = true;
    await attempt(this.#path, async () => {
      if (this.isInterrupted) {
        const left = [...this.#present].filter((name) => name.endsWith(TEMPORARY_SUFFIX));
        for (const name of left) await rm(join(this.#path, name), { recursive: true, force: true });
      }
      await this.#note([{ gazette_snapshot: 'begun', tier }]);
      await syncFolder(this.#path);
    });
  }

  /** Removes the folder of this name, whose manifest was named here. */
  async removeFolder(name: string): Promise<void> {
    await attempt(this.#path, async () => {
      await this.#note([{ path: `${name}/${MANIFEST_FILE}`, file: null }]);
      const path = join(this.#path, name);
      // In one step: a folder half removed would be a damaged one.
      if (existsSync(path)) await rename(path, path + TEMPORARY_SUFFIX);
      await rm(path + TEMPORARY_SUFFIX, { recursive: true, force: true });
    });
  }

  /** Writes what is left, removes what no longer belongs, and makes this state the whole one. */
  async finish(toManifest: (files: Files) => Manifest): Promise<Manifest> {
    await this.#flush();
    const names = [...this.#files.keys()].sort();
    const manifest = toManifest(Object.fromEntries(names.map((name) => [name, this.#files.get(name)!])));
    await attempt(this.#path, async () => {
      const gone = Object.keys(this.previous?.files ?? {}).filter((name) => !this.#files.has(name));
      if (gone.length > 0) {
        await this.#note(gone.map((path) => ({ path, file: null })));
        for (const name of gone) await rm(join(this.#path, name), { recursive: true, force: true });
      }
      const text = new TextEncoder().encode(manifestText(manifest));
      await writeTemporary(join(this.#path, MANIFEST_FILE), text);
      await rename(join(this.#path, MANIFEST_FILE + TEMPORARY_SUFFIX), join(this.#path, MANIFEST_FILE));
      await syncFolder(this.#path);
      await rm(join(this.#path, JOURNAL_FILE), { force: true });
      await syncFolder(this.#path);
    });
    return manifest;
  }

  async #flush(): Promise<void> {
    const staged = this.#staged;
    if (staged.size === 0) return;
    this.#staged = new Map();
    this.#stagedBytes = 0;
    await attempt(this.#path, async () => {
      const paths = [...staged.keys()].map((name) => join(this.#path, name));
      const folders = new Set(paths.map(dirname));
      for (const folder of folders) await mkdir(folder, { recursive: true });
      // All at once: the file system then needs about one synchronisation for the batch.
      await Promise.all([...staged].map(([name, bytes]) => writeTemporary(join(this.#path, name), bytes)));
      await this.#note([...staged.keys()].map((path) => ({ path, file: this.#files.get(path)! })));
      for (const path of paths) await rename(path + TEMPORARY_SUFFIX, path);
      for (const folder of folders) await syncFolder(folder);
    });
    this.#written += staged.size;
  }

  /** Adds lines to the journal. A line that a kill cut off before them stays a line by itself. */
  async #note(lines: readonly JournalLine[]): Promise<void> {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    await appendFile(join(this.#path, JOURNAL_FILE), `\n${text}`, { flush: true });
  }
}

/** The manifest in a folder, and its text; null where there is none. @throws GazetteError `damaged_snapshot` */
export async function readManifest(
  folder: string,
): Promise<{ readonly manifest: RegisterManifest | RootManifest; readonly text: string } | null> {
  const path = join(folder, MANIFEST_FILE);
  if (!existsSync(path)) return null;
  const text = await readFile(path, 'utf8');
  return { manifest: parseManifest(text, path), text };
}

/** The journal in a folder; null where there is none. */
export async function readJournal(folder: string): Promise<Journal | null> {
  const path = join(folder, JOURNAL_FILE);
  if (!existsSync(path)) return null;
  const digests = new Map<string, Set<string | null>>();
  let tier: Tier | null = null;
  for (const text of (await readFile(path, 'utf8')).split('\n')) {
    const line = parseLine(text);
    tier = line?.tier ?? tier;
    if (line?.path === undefined || line.file === undefined) continue;
    const known = digests.get(line.path) ?? new Set();
    digests.set(line.path, known.add(line.file?.sha256 ?? null));
  }
  return { tier, digests };
}

/** A line that was cut off tells of nothing that was done. */
function parseLine(text: string): JournalLine | null {
  try {
    return JSON.parse(text) as JournalLine | null;
  } catch {
    return null;
  }
}

async function writeTemporary(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path + TEMPORARY_SUFFIX, 'w');
  try {
    await file.writeFile(bytes);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** What the file system refuses, in words that name the folder. */
async function attempt<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isGazetteError(error)) throw error;
    throw new GazetteError('output_failed', `${path} cannot be written: ${(error as Error).message}`, { cause: error });
  }
}
