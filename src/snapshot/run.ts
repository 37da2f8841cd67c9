// A snapshot: registers as files that any static host can serve, brought up to date by each run.
import { join } from 'node:path';
import { GazetteError, quote } from '../errors.ts';
import { checkBaseUrl } from '../export/page-links.ts';
import type { Format } from '../formats/format.ts';
import { isFeedId } from '../register/definition.ts';
import { feedUri } from '../register/identity.ts';
import { throwIfAborted } from '../register/source.ts';
import type { Tier, TierOptions } from '../register/tier.ts';
import { unknownFeed } from '../stores/rows/register.ts';
import type { RegisterStore } from '../stores/contract/registers.ts';
import type { FileLock } from '../files/lock.ts';
import { lockFolder } from './folder/lock.ts';
import { readManifest } from './folder/state.ts';
import { SnapshotFolder } from './folder/writer.ts';
import {
  type FileEntry,
  MANIFEST_FILE,
  manifestHead,
  type RegisterManifestHead,
  type RootHead,
} from './folder/manifest.ts';
import { openPageFormats, type PageFormat } from './pages/formats.ts';
import { PageMaker } from './pages/maker.ts';
import { siteFiles } from './pages/site-files.ts';
import { fileEntry } from './folder/staged-file.ts';
import { type RegisterSnapshot, snapshotRegister, type WrittenRegister } from './register.ts';

/** What {@link writeSnapshot} takes. */
export interface SnapshotOptions {
  /** Where the registers are. */
  readonly store: RegisterStore;
  /** The folder, made where it is missing. */
  readonly out: string;
  /** The public address the folder will be found at, such as `https://example.org/registers`. */
  readonly baseUrl: string;
  /** The registers to write; those of earlier runs stay as they are. Default: all that the store has, and no others. */
  readonly feeds?: readonly string[];
  /** Default `public`: the latest records whole, previews of the others. */
  readonly tier?: Tier;
  /** How much the public sees. */
  readonly tiers?: TierOptions;
  /**
   * The formats of every page, Atom and RSS among them; JSON and HTML come by themselves. `[...EXPORT_FORMATS, url]` adds one
   * to gazette's own: a module that exports it as `format`, which every thread imports. A format given as an object is
   * written by the calling thread alone. Default: `EXPORT_FORMATS`.
   */
  readonly formats?: readonly (Format | URL)[];
  /** How many threads make pages where there are many of them; 1 makes them in this one. They end with the writer. Default: one for each core. */
  readonly threads?: number;
  /** Stops the run; what was published before stays as it was. */
  readonly signal?: AbortSignal;
  /** Told of each page that was made, as long as there are many of them. */
  readonly onProgress?: (progress: SnapshotProgress) => void;
  /** Told of each register once its folder is whole. */
  readonly onRegister?: (register: RegisterSnapshot) => void;
}

/** How far a register is. */
export interface SnapshotProgress {
  /** The register being written. */
  readonly feedId: string;
  /** Records in the closed pages that were made. */
  readonly records: number;
  /** Positions of all closed pages that are to be made. */
  readonly of: number;
}

/** What a run did. */
export interface SnapshotResult {
  /** What was written, register by register. */
  readonly registers: readonly RegisterSnapshot[];
  /** Files written, the manifests apart. */
  readonly written: number;
}

/**
 * Writes a snapshot, or brings one up to date. Ended at any moment, by whatever, it leaves every file as it was or as it
 * is to be; the next run completes it.
 *
 * @throws GazetteError what {@link SnapshotWriter.open} and {@link SnapshotWriter.write} throw.
 * @example await writeSnapshot({ store, out: 'public', baseUrl: 'https://example.org' });
 */
export async function writeSnapshot(options: SnapshotOptions): Promise<SnapshotResult> {
  const writer = await SnapshotWriter.open(options);
  try {
    return await writer.write();
  } finally {
    await writer.close();
  }
}

/** A snapshot's folder, held against all other runs from {@link open} to {@link close}, and written as often as one likes. */
export class SnapshotWriter {
  readonly #options: SnapshotOptions;
  readonly #baseUrl: string;
  readonly #lock: FileLock;
  /** Its threads stand ready from run to run. */
  readonly #maker: PageMaker;

  private constructor(options: SnapshotOptions, baseUrl: string, formats: readonly PageFormat[], lock: FileLock) {
    this.#options = options;
    this.#baseUrl = baseUrl;
    this.#lock = lock;
    this.#maker = new PageMaker(formats, options.threads);
  }

  /**
   * Makes the folder where it is missing, and locks it. The lock goes with the process, however that ends.
   *
   * @throws GazetteError `invalid_option` for a base URL, a number of threads or formats; `unknown_feed`, `authority_required`, and
   *   then no folder is made; `snapshot_busy` when another run works on the folder; `output_failed`; what the store throws.
   */
  static async open(options: SnapshotOptions): Promise<SnapshotWriter> {
    const { store, out, feeds, threads = 1 } = options;
    const baseUrl = checkBaseUrl(options.baseUrl);
    if (!Number.isSafeInteger(threads) || threads < 1) {
      throw new GazetteError('invalid_option', `threads must be a whole number from 1, got ${quote(threads)}`, {
        details: { option: 'threads' },
      });
    }
    const formats = await openPageFormats(options.formats);
    await feedsOf(store, feeds);
    return new SnapshotWriter(options, baseUrl, formats, await lockFolder(out));
  }

  /**
   * Brings the folder to the state the registers have now. One call at a time.
   *
   * @throws GazetteError `invalid_option` for a tier other than that of the snapshot in the folder; `unknown_feed`,
   *   `authority_required`, `damaged_snapshot`, `output_failed`, `aborted`; `internal_error` when a thread ends by itself;
   *   what the store throws.
   */
  async write(): Promise<SnapshotResult> {
    const { store, out, feeds, tier = 'public' } = this.#options;
    const asked = await feedsOf(store, feeds);
    const folder = await SnapshotFolder.open<RootHead>(out);
    checkTier(folder, out, tier);
    try {
      return await this.#write(folder, asked);
    } catch (error) {
      // What a run that failed has left its threads at is not the next one's.
      await this.#maker.close();
      throw error;
    } finally {
      await folder.close();
    }
  }

  /** Ends the threads, and lets another run have the folder. */
  async close(): Promise<void> {
    await this.#maker.close();
    this.#lock.release();
  }

  async #write(folder: SnapshotFolder<RootHead>, asked: readonly string[]): Promise<SnapshotResult> {
    const { store, out, tier = 'public', tiers = {}, signal, onRegister, onProgress } = this.#options;
    const baseUrl = this.#baseUrl;
    const before = folder.previous?.head.feeds ?? [];
    const feeds = [...new Set([...(this.#options.feeds === undefined ? [] : before), ...asked])].sort();
    const removed = before.filter((feedId) => !feeds.includes(feedId));
    // The root is in work before any register is, and whole only after all are.
    const onBegin = async (): Promise<void> => {
      await folder.begin(tier);
      await folder.begun();
    };
    if (folder.previous === null || removed.length > 0) await onBegin();

    const registers = new Map<string, WrittenRegister>();
    for (const feedId of asked) {
      throwIfAborted(signal);
      const one = await snapshotRegister(
        store,
        feedId,
        join(out, feedId),
        { tier, tiers, baseUrl },
        {
          ...{ maker: this.#maker, onBegin },
          onPage: (records, of) => onProgress?.({ feedId, records, of }),
          ...(signal === undefined ? {} : { signal }),
        },
      );
      registers.set(feedId, one);
      onRegister?.(one.register);
    }
    for (const feedId of removed) {
      if (isFeedId(feedId)) await folder.removeFolder(feedId);
    }

    const listed: { readonly title: string; readonly url: string }[] = [];
    for (const feedId of feeds) {
      const written = registers.get(feedId);
      const { title, manifest } =
        written === undefined
          ? await standing(join(out, feedId))
          : { title: written.register.title, manifest: written.manifest };
      listed.push({ title, url: `${baseUrl}/${feedId}` });
      folder.name(`${feedId}/${MANIFEST_FILE}`, manifest);
    }
    const encoder = new TextEncoder();
    const formats = this.#maker.formats.map(({ format }) => format);
    const site = Object.entries(siteFiles(baseUrl, listed, tier, formats)).map(
      ([name, text]) => [name, encoder.encode(text)] as const,
    );
    if (site.some(([name, bytes]) => !folder.has(name, bytes))) await onBegin();
    for (const [name, bytes] of site) await folder.put(name, bytes);
    const manifest = folder.manifest({ ...manifestHead(tier, baseUrl), feeds });
    if (!folder.isWhole(manifest)) {
      await onBegin();
      await folder.finish(manifest);
    }
    const done = [...registers.values()].map(({ register }) => register);
    return { registers: done, written: done.reduce((sum, { written }) => sum + written, folder.written) };
  }
}

/** A register's folder that is none of this run's. @throws GazetteError `damaged_snapshot` */
async function standing(path: string): Promise<{ readonly title: string; readonly manifest: FileEntry }> {
  const read = await readManifest<RegisterManifestHead>(path);
  if (read === null) throw new GazetteError('damaged_snapshot', `${join(path, MANIFEST_FILE)} is missing`);
  return { title: read.head.title, manifest: fileEntry(read.bytes) };
}

/** The registers to write. @throws GazetteError `unknown_feed`, `authority_required` */
async function feedsOf(store: RegisterStore, feeds: readonly string[] | undefined): Promise<readonly string[]> {
  const entries = new Map((await store.registers()).map((entry) => [entry.definition.id, entry]));
  const asked = [...new Set(feeds ?? entries.keys())];
  // Before anything is written: feeds need permanent ids.
  for (const feedId of asked) {
    const entry = entries.get(feedId);
    if (entry === undefined) throw unknownFeed(feedId);
    feedUri(entry.definition);
  }
  return asked;
}

/** A folder has one tier for ever: while one is turned into another, what is whose would be anybody's guess. */
function checkTier(folder: SnapshotFolder<RootHead>, out: string, tier: Tier): void {
  if (folder.tier === null || folder.tier === tier) return;
  throw new GazetteError(
    'invalid_option',
    `${out} is a snapshot of the tier ${folder.tier}; use another folder for the tier ${tier}`,
    { details: { option: 'tier' } },
  );
}
