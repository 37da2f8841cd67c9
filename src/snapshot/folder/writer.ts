// Brings a folder from one complete state to the next. Files are written under temporary names and moved to their
// places in batches; the journal `manifest.next.json` names each file of a batch before any of it is moved. If the
// process is killed at any moment, every file is either old or new, and the journal shows that the run was interrupted.
import { MANIFEST_FILE } from '../../archive/layout.ts';
import { join } from 'node:path';
import { writing } from '../../files/output-failed.ts';
import { stageFile } from '../../files/staged-file.ts';
import type { Tier } from '../../register/tier.ts';
import type { Place } from '../places/place.ts';
import { type Journal, type JournalLine, journalText, readJournal, readManifest } from './state.ts';
import {
  digestOf,
  type FileEntry,
  fileLine,
  joinManifest,
  LINE_END,
  type ManifestBytes,
  type ManifestHead,
  type ManifestParts,
  stemOf,
} from './manifest.ts';
import { fileEntry, type FileFacts, type StagedFile } from './staged-file.ts';

/** A folder being written. */
export class SnapshotFolder<Head extends ManifestHead> {
  /** The last complete state of the folder; null if there was none. */
  readonly previous: ManifestBytes<Head> | null;
  readonly #place: Place;
  readonly #present: Set<string>;
  readonly #ownNames: RegExp | null;
  readonly #journal: Journal | null;
  /** The lines of the manifest by the stem of their names; for an unchanged stem, the position of its lines. */
  readonly #lines = new Map<string, Buffer | readonly [start: number, end: number]>();
  #staged: StagedFile[] = [];
  #moving: Promise<void> = Promise.resolve();
  #written = 0;
  #beginning: Promise<unknown> | null = null;

  private constructor(
    place: Place,
    previous: ManifestBytes<Head> | null,
    journal: Journal | null,
    present: Set<string>,
    ownNames: RegExp | null,
  ) {
    this.#place = place;
    this.previous = previous;
    this.#journal = journal;
    this.#present = present;
    this.#ownNames = ownNames;
  }

  /**
   * @param within the folders within it whose files are its own
   * @param ownNames the names of files that no state has which does not name them, also where no manifest says that they were written
   * @throws GazetteError `damaged_snapshot` for an invalid manifest, `output_failed`.
   */
  static async open<Head extends ManifestHead>(
    place: Place,
    within: readonly string[] = [],
    ownNames: RegExp | null = null,
  ): Promise<SnapshotFolder<Head>> {
    return writing(place.path, async () => {
      await place.make();
      const present = new Set(await place.names(within));
      return new SnapshotFolder(place, await readManifest<Head>(place), await readJournal(place), present, ownNames);
    });
  }

  /** How many files this run has written. */
  get written(): number {
    return this.#written;
  }

  /** The tier of the files in the folder, complete or not; null if there are none. */
  get tier(): Tier | null {
    return this.previous?.head.tier ?? this.#journal?.tier ?? null;
  }

  /** Whether an earlier run was interrupted. */
  get isInterrupted(): boolean {
    return this.#journal !== null;
  }

  /**
   * Whether the file with this name is certainly the one of the complete state. A file that an interrupted run touched
   * is uncertain.
   */
  isKnown(name: string): boolean {
    return this.areKnown(stemOf(name), [name]);
  }

  /** The same for several files of a stem. */
  areKnown(stem: string, names: readonly string[]): boolean {
    if (this.previous?.ranges.has(stem) !== true) return false;
    return names.every((name) => this.#present.has(name) && this.#journal?.digests.has(name) !== true);
  }

  /** The digests of those files of a stem that certainly exist, by name. */
  knownDigests(stem: string): Readonly<Record<string, string>> {
    const entries = Object.entries(this.previous?.entries(stem) ?? {});
    return Object.fromEntries(
      entries.filter(([name]) => this.isKnown(name)).map(([name, { sha256 }]) => [name, sha256]),
    );
  }

  /** Whether a file certainly has these bytes already. */
  has(name: string, bytes: Uint8Array): boolean {
    return this.knownDigests(stemOf(name))[name] === digestOf(bytes);
  }

  /** The names of files that interrupted runs have begun to change. */
  get begunNames(): readonly string[] {
    return [...(this.#journal?.digests.keys() ?? [])];
  }

  /** Whether the folder is in the state of this manifest and no run, including this one, was interrupted. */
  isWhole({ entry }: ManifestParts): boolean {
    const { previous } = this;
    if (this.#beginning !== null || this.isInterrupted || previous === null) return false;
    return digestOf(previous.bytes) === entry.sha256;
  }

  /** Keeps the files of a stem unchanged. */
  keep(stem: string): void {
    this.#lines.set(stem, this.previous!.ranges.get(stem)!);
  }

  /** Names a file that others wrote: it is neither written nor removed here. */
  name(name: string, entry: FileEntry): void {
    this.#lines.set(stemOf(name), Buffer.from(fileLine(name, entry)));
  }

  /** Gives a file these bytes, unless it already has them. @throws GazetteError `output_failed` */
  async put(name: string, bytes: Uint8Array, facts: FileFacts = {}): Promise<void> {
    const entry = fileEntry(bytes, facts);
    const stem = stemOf(name);
    const isWritten = this.knownDigests(stem)[name] !== entry.sha256;
    if (isWritten) {
      await this.makeFolderOf(name);
      await stageFile(join(this.#place.waiting, name), bytes);
    }
    await this.accept(stem, [{ name, entry, isWritten }]);
  }

  /**
   * Adds files of a stem, which wait under temporary names, to those that were put before. Resolves when there is room for
   * more.
   */
  async accept(stem: string, files: readonly StagedFile[]): Promise<void> {
    const before = this.#lines.get(stem);
    const lines = files.map(({ name, entry }) => fileLine(name, entry));
    if (Buffer.isBuffer(before)) lines.unshift(before.toString());
    this.#lines.set(stem, Buffer.from(lines.join(LINE_END)));
    this.#staged.push(...files.filter(({ isWritten }) => isWritten));
    if (this.#staged.length >= this.#place.batchFiles) await this.#moveInTurn();
  }

  /**
   * Begins to change files: from here on, a run that ends before {@link finish} leaves an interrupted snapshot.
   *
   * @param before is awaited before any file is moved to its place
   */
  async begin(tier: Tier, before: Promise<unknown> = Promise.resolve()): Promise<void> {
    if (this.#beginning !== null) return;
    await writing(this.#place.path, async () => {
      if (this.isInterrupted) await this.#place.clear(this.#present);
      const opened = this.#place.openJournal(journalText([{ gazette_snapshot: 'begun', tier }]));
      this.#beginning = Promise.all([before, opened]);
    });
    this.#beginning!.catch(() => undefined);
  }

  /** Creates the folder that a file is in if it does not exist. @throws GazetteError `output_failed` */
  async makeFolderOf(name: string): Promise<void> {
    await writing(this.#place.path, () => this.#place.makeFolderOf(name));
  }

  /** Resolves once the journal of the folder is on disk. @throws GazetteError `output_failed` */
  async begun(): Promise<void> {
    await writing(this.#place.path, async () => {
      await this.#beginning;
    });
  }

  /** Removes the folder with this name, whose manifest was named here. */
  async removeFolder(name: string): Promise<void> {
    await writing(this.#place.path, async () => {
      await this.#note([{ path: `${name}/${MANIFEST_FILE}`, file: null }]);
      await this.#place.removeFolder(name);
      // Files of this folder went with it where a register has the name of a folder of them.
      for (const file of this.#present) if (file.startsWith(`${name}/`)) this.#present.delete(file);
    });
  }

  /** The manifest of everything that was put, kept and named, in the order of these stems. */
  manifest(head: Head, stems: Iterable<string> = this.#lines.keys()): ManifestParts {
    const parts: (Buffer | [start: number, end: number])[] = [];
    for (const stem of stems) {
      const part = this.#lines.get(stem)!;
      const last = parts.at(-1);
      if (Buffer.isBuffer(part)) parts.push(part);
      // Adjacent lines are copied together, including comma and line feed.
      else if (Array.isArray(last) && last[1] + LINE_END.length === part[0]) last[1] = part[1];
      else parts.push([...part]);
    }
    return joinManifest(
      head,
      parts.map((part) => (Buffer.isBuffer(part) ? part : this.previous!.bytes.subarray(...part))),
    );
  }

  /** Writes the remaining files, removes files that no longer belong, and makes this manifest the complete state. */
  async finish(manifest: ManifestParts): Promise<void> {
    await this.#moveInTurn();
    await this.#moving;
    await writing(this.#place.path, async () => {
      const gone = this.#gone();
      if (gone.length > 0) {
        await this.#note(gone.map((path) => ({ path, file: null })));
        await this.#place.remove(gone);
      }
      await this.#place.complete(manifest, this.#beginning!);
      await this.close();
      await this.#place.removeJournal();
    });
  }

  /** Closes the journal. Call it however the work ends; a run that was begun and not finished remains interrupted. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#beginning, this.#moving]);
    this.#place.closeJournal();
  }

  /** Names in the complete state and in interrupted runs that this state does not contain, the last one first: nothing may lead
   * to a file that is gone. */
  #gone(): readonly string[] {
    // A stem that was kept unchanged has lost no file.
    const stems = [...(this.previous?.ranges.keys() ?? [])].filter((stem) => !Array.isArray(this.#lines.get(stem)));
    const files = stems.flatMap((stem) => Object.keys(this.previous!.entries(stem)));
    // Without a manifest, such as one that was damaged, nothing else says which files were left.
    const left = this.previous === null && this.#ownNames !== null ? this.#present : [];
    const own = [...left].filter((name) => this.#ownNames!.test(name));
    const names = new Set([...files, ...(this.#journal?.digests.keys() ?? []), ...own]);
    return [...names].filter((name) => !this.#isNamed(name)).reverse();
  }

  /** Whether a file with this name is in the state that is being written. */
  #isNamed(name: string): boolean {
    const part = this.#lines.get(stemOf(name));
    if (part === undefined) return false;
    const lines = Buffer.isBuffer(part) ? part : this.previous!.bytes.subarray(...part);
    return lines.includes(`${JSON.stringify(name)}: {`);
  }

  /** Moves waiting files once all earlier ones are moved: one batch at a time, while the next one is made. */
  async #moveInTurn(): Promise<void> {
    const batch = this.#staged;
    this.#staged = [];
    await this.#moving;
    this.#moving = writing(this.#place.path, () => this.#move(batch));
    this.#moving.catch(() => undefined);
  }

  async #move(batch: readonly StagedFile[]): Promise<void> {
    if (batch.length === 0) return;
    await this.#note(batch.map(({ name, entry }) => ({ path: name, file: entry })));
    await this.#place.move(batch);
    this.#written += batch.length;
  }

  /** Adds lines to the journal, which is begun. */
  async #note(lines: readonly JournalLine[]): Promise<void> {
    await Promise.all([this.#beginning, this.#place.note(journalText(lines))]);
  }
}
