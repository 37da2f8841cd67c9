// Compares a snapshot with its manifests: every file must exist, to the byte, without others, and with the stated
// number of records. In an interrupted snapshot, each file may be old or new.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, posix, relative, sep } from 'node:path';
import { LOG_OF_LOGS_FOLDER, MANIFEST_FILE } from '../archive/layout.ts';
import { GazetteError, isGazetteError } from '../errors.ts';
import type { Tier } from '../register/tier.ts';
import { areCounted, countRecords } from './folder/count-records.ts';
import { FolderPlace } from './places/folder-place.ts';
import { LOCK_FILE } from './places/lock.ts';
import { type Journal, JOURNAL_FILE, readJournal, readManifest } from './folder/state.ts';
import {
  digestOf,
  type FileEntry,
  type ManifestHead,
  type RegisterManifest,
  type RootManifest,
} from './folder/manifest.ts';
import { TEMPORARY_SUFFIX } from '../files/staged-file.ts';

/** A problem in a snapshot. */
export interface Finding {
  /** The file, relative to the snapshot, with slashes. */
  readonly path: string;
  /**
   * `changed`: other bytes than the manifest states. `missing`: in the manifest, but not found. `extra`: found, but not
   * in the manifest. `wrong_count`: another number of records.
   */
  readonly problem: 'changed' | 'missing' | 'extra' | 'wrong_count';
  /** For people: what was expected. */
  readonly detail: string;
}

/** The result of a verification. */
export interface Verification {
  /**
   * `whole`: there is no finding at all. `interrupted`: a run was interrupted; the next one completes it. `damaged`:
   * there are findings.
   */
  readonly state: 'whole' | 'interrupted' | 'damaged';
  /** Null if it cannot be determined. */
  readonly tier: Tier | null;
  /** How many registers were checked. */
  readonly registers: number;
  /** The number of live records, according to the manifests. */
  readonly records: number;
  /** How many files were checked. */
  readonly files: number;
  /** The problems; empty if the snapshot is complete. */
  readonly findings: readonly Finding[];
}

/**
 * Verifies the snapshot in a folder. Nothing is changed; memory holds one file and the manifests.
 *
 * @param options.also files and folders that are not of the snapshot and may be in its folder because a host needs them, such as
 *   `CNAME` or `.well-known`: their paths relative to the snapshot, with slashes. A folder covers everything in it
 * @param options.signal ends the verification
 * @throws GazetteError `damaged_snapshot` when the folder contains no snapshot at all; `aborted`.
 */
export async function verifySnapshot(
  path: string,
  options: { readonly also?: readonly string[]; readonly signal?: AbortSignal } = {},
): Promise<Verification> {
  const { also = [], signal } = options;
  if (!existsSync(join(path, MANIFEST_FILE)) && !existsSync(join(path, JOURNAL_FILE))) {
    throw new GazetteError('damaged_snapshot', `${path} is not a snapshot: it has no ${MANIFEST_FILE}`);
  }
  const check = new Check(path, also);
  const root = await check.open<RootManifest>('');
  const files = await filesBelow(path);
  const folders = new Set(files.filter((name) => name.includes('/')).map((name) => name.slice(0, name.indexOf('/'))));
  // Files that are being deleted belong to no state.
  const leaving = [...folders].filter((name) => root.journal !== null && name.endsWith(TEMPORARY_SUFFIX));
  // A complete root names all registers; a folder that it does not name belongs to others.
  const isComplete = root.manifest !== null && root.journal === null;
  const feeds = isComplete ? root.manifest.feeds : [...folders].filter((name) => !leaving.includes(name));
  const opened: Opened[] = [root];
  let records = 0;
  for (const feedId of feeds) {
    const folder = await check.open<RegisterManifest>(`${feedId}/`);
    opened.push(folder);
    if (folder.manifest === null) continue;
    if (folder.journal === null) check.counts(folder.prefix, folder.manifest);
    records += folder.manifest.total;
  }
  const isInterrupted = opened.some(({ journal }) => journal !== null);
  for (const name of files) {
    if (signal?.aborted === true) throw new GazetteError('aborted', 'the operation was cancelled');
    if (!leaving.some((folder) => name.startsWith(`${folder}/`))) await check.file(name, opened, isInterrupted);
  }
  check.missing(opened, new Set(files));
  return {
    state: isInterrupted ? 'interrupted' : check.findings.length > 0 ? 'damaged' : 'whole',
    tier: root.manifest?.tier ?? root.journal?.tier ?? null,
    registers: opened.filter(({ prefix, manifest }) => prefix !== '' && manifest !== null).length,
    records,
    files: files.length - check.foreign,
    findings: check.findings,
  };
}

/** A folder and its known state. */
interface Opened<Manifest extends RegisterManifest | RootManifest = RegisterManifest | RootManifest> {
  /** The empty text, or the folder's name and a slash. */
  readonly prefix: string;
  readonly manifest: Manifest | null;
  readonly journal: Journal | null;
}

class Check {
  readonly findings: Finding[] = [];
  /** How many files of others were found that the caller named. */
  foreign = 0;
  readonly #path: string;
  readonly #also: readonly string[];

  constructor(path: string, also: readonly string[]) {
    this.#path = path;
    this.#also = also.map((name) => posix.normalize(`${name}/`));
  }

  async open<Manifest extends RegisterManifest | RootManifest>(prefix: string): Promise<Opened<Manifest>> {
    const folder = new FolderPlace(join(this.#path, prefix));
    let manifest: Manifest | null = null;
    try {
      const read = await readManifest<ManifestHead>(folder);
      manifest = read === null ? null : ({ ...read.head, files: read.files() } as Manifest);
    } catch (error) {
      if (!isGazetteError(error, 'damaged_snapshot')) throw error;
      this.#find(`${prefix}${MANIFEST_FILE}`, 'changed', 'it is not as gazette wrote it');
    }
    return { prefix, manifest, journal: await readJournal(folder) };
  }

  /** The numbers in the manifest must be consistent; the records of a file are counted in the file. */
  counts(prefix: string, { walk, files, total }: RegisterManifest): void {
    const sum = walk.reduce((records, name) => records + (files[`${name}.json`]?.records ?? 0), 0);
    if (sum === total) return;
    this.#find(`${prefix}${MANIFEST_FILE}`, 'wrong_count', `its pages hold ${sum} records, its total is ${total}`);
  }

  async file(path: string, opened: readonly Opened[], isInterrupted: boolean): Promise<void> {
    const isOfRoot = path.startsWith(`${LOG_OF_LOGS_FOLDER}/`);
    const owner = opened.find(({ prefix }) => prefix !== '' && !isOfRoot && path.startsWith(prefix)) ?? opened[0]!;
    const name = path.slice(owner.prefix.length);
    if (name === MANIFEST_FILE) {
      // A register's manifest has an entry at the root; the root's own is checked by its own digest.
      await this.#registerManifest(path, opened[0]!);
      return;
    }
    if (owner.journal !== null && (name === JOURNAL_FILE || name.endsWith(TEMPORARY_SUFFIX))) return;
    const entry = Object.hasOwn(owner.manifest?.files ?? {}, name) ? owner.manifest!.files[name]! : null;
    const planned = owner.journal?.digests.get(name);
    if (entry === null && planned === undefined) {
      if (this.#also.some((name) => `${path}/`.startsWith(name))) this.foreign++;
      else this.#find(path, 'extra', isInterrupted ? 'neither manifest nor journal names it' : 'no manifest names it');
      return;
    }
    const place = join(this.#path, path);
    // Those that are not counted may be longer than memory.
    const bytes = areCounted(path) ? await readFile(place) : null;
    const digest = bytes === null ? await digestOfFile(place) : digestOf(bytes);
    if (digest !== entry?.sha256 && planned?.has(digest) !== true) {
      const expected = entry === null ? '' : `: ${entry.bytes} bytes of SHA-256 ${entry.sha256.slice(0, 12)}…`;
      this.#find(path, 'changed', `it is not the file that was written${expected}`);
    } else if (digest === entry?.sha256 && bytes !== null) this.#count(path, bytes, entry);
  }

  missing(opened: readonly Opened[], present: ReadonlySet<string>): void {
    for (const { prefix, manifest, journal } of opened) {
      for (const name of Object.keys(manifest?.files ?? {})) {
        if (present.has(prefix + name) || journal?.digests.get(name)?.has(null) === true) continue;
        this.#find(prefix + name, 'missing', 'the manifest names it');
      }
    }
  }

  async #registerManifest(path: string, { manifest, journal }: Opened): Promise<void> {
    if (path === MANIFEST_FILE || journal !== null) return;
    const entry = manifest?.files[path];
    if (entry === undefined) this.#find(path, 'extra', 'no manifest names it');
    else if (digestOf(await readFile(join(this.#path, path))) !== entry.sha256) {
      this.#find(path, 'changed', 'it is not the manifest that the root names');
    }
  }

  #count(path: string, bytes: Uint8Array, { records }: FileEntry): void {
    if (records === undefined) return;
    const counted = countRecords(path, bytes);
    if (counted === records) return;
    this.#find(path, 'wrong_count', `it holds ${counted} records, the manifest says ${records}`);
  }

  #find(path: string, problem: Finding['problem'], detail: string): void {
    if (this.findings.some((finding) => finding.path === path && finding.problem === problem)) return;
    this.findings.push({ path, problem, detail });
  }
}

async function digestOfFile(path: string): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of createReadStream(path)) digest.update(chunk as Buffer);
  return digest.digest('hex');
}

/** Every file below a folder, relative to it, with slashes. */
async function filesBelow(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return (
    entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => relative(path, join(entry.parentPath, entry.name)).split(sep).join('/'))
      // Empty, and not part of a state: it may be locked at this moment.
      .filter((name) => name !== LOCK_FILE)
      .sort()
  );
}
