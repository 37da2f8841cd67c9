// A snapshot: registers as files that any static host can serve. Each run updates it.
import { posix } from 'node:path';
import { LOG_OF_LOGS_FOLDER, MANIFEST_FILE, WELL_KNOWN_LOG_FILE } from '../archive/layout.ts';
import { checkWhole } from '../checks.ts';
import { GazetteError } from '../errors.ts';
import { checkBaseUrl } from '../export/page-links.ts';
import type { Format } from '../formats/format.ts';
import { isFeedId } from '../register/definition.ts';
import { throwIfAborted } from '../register/sources/source.ts';
import type { Tier, TierOptions } from '../register/tier.ts';
import type { RegisterEntry } from '../stores/contract/registers.ts';
import { SnapshotFolder } from './folder/writer.ts';
import { manifestHead, stemOf, type RegisterManifestHead, type RootHead } from './folder/manifest.ts';
import { SNAPSHOTS } from '../wings/snapshots.ts';
import { openPageFormats, type PageFormat } from './pages/formats.ts';
import { PageMaker } from './pages/maker.ts';
import { siteFiles } from './pages/site-files.ts';
import { BucketPlace } from './bucket/bucket-place.ts';
import { objectHeaders } from './bucket/headers.ts';
import type { SnapshotBucket } from './bucket/requests.ts';
import { checkFeeds, feedsOf } from './asked-feeds.ts';
import { concernsAll, failureOf, failureOfAll } from './failures.ts';
import { FolderPlace } from './places/folder-place.ts';
import type { PlaceLock, RootPlace } from './places/place.ts';
import { snapshotRegister } from './register.ts';
import { SearchEngine } from './search/pagefind.ts';
import { isInterrupted, type RegisterSnapshot, standing, type WrittenRegister } from './unchanged.ts';
import { WHOLE_TYPES } from './whole.ts';
import type { SnapshotStore } from './wing.ts';

/** Options of {@link writeSnapshot}. */
export interface SnapshotOptions {
  /** The store of the registers. A register's signed log is among its files. */
  readonly store: SnapshotStore;
  /** The folder, created if it does not exist; or a bucket, which must exist and take writes under conditions. */
  readonly out: string | SnapshotBucket;
  /** The public address of the folder, such as `https://example.org/registers`. */
  readonly baseUrl: string;
  /** The registers to write; others from earlier runs remain unchanged. Default: all of the store, and no others. */
  readonly feeds?: readonly string[];
  /** Default `public`: the latest records in full, previews of the others. */
  readonly tier?: Tier;
  /** How much the public sees. */
  readonly tiers?: TierOptions;
  /** Whether registers that the tier sees whole are a few large files too: all records, and all versions by month. Default: false. */
  readonly whole?: boolean;
  /**
   * The formats of every page, which must include Atom and RSS; JSON and HTML are always written. `[...EXPORT_FORMATS,
   * url]` adds a format to gazette's own: a module that exports it as `format`, which every thread imports. A format
   * given as an object is written only by the calling thread. Default: `EXPORT_FORMATS`.
   */
  readonly formats?: readonly (Format | URL)[];
  /** Whether the pages have a search of what they show, by the package `pagefind`. Default: no. */
  readonly search?: boolean;
  /**
   * The number of threads for many pages; 1 means only the calling thread. They end with the writer. Default: one for
   * each core.
   */
  readonly threads?: number;
  /** Stops the run; published files remain as they were. */
  readonly signal?: AbortSignal;
  /** Called after each created page if there are many. */
  readonly onProgress?: (progress: SnapshotProgress) => void;
  /** Called with each register once its folder is complete. */
  readonly onRegister?: (register: RegisterSnapshot) => void;
}

/** The progress of a register. */
export interface SnapshotProgress {
  /** The register being written. */
  readonly feedId: string;
  /** The number of records in the closed pages created so far. */
  readonly records: number;
  /** The number of positions of all closed pages to create. */
  readonly of: number;
}

/** The result of a run. */
export interface SnapshotResult {
  /** The result for each register. */
  readonly registers: readonly RegisterSnapshot[];
  /** The number of files written, without the manifests. */
  readonly written: number;
}

/**
 * Writes or updates a snapshot. If the run ends at any moment, for any reason, every file is either old or new, and the
 * next run completes the snapshot.
 *
 * @throws GazetteError the errors of {@link SnapshotWriter.open} and {@link SnapshotWriter.write}.
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

/**
 * A snapshot's folder, locked against all other runs from {@link open} to {@link close}. It can be written any number
 * of times.
 */
export class SnapshotWriter {
  readonly #options: SnapshotOptions;
  readonly #baseUrl: string;
  readonly #root: RootPlace;
  readonly #lock: PlaceLock;
  /** Its threads stay ready between runs. */
  readonly #maker: PageMaker;
  readonly #engine: SearchEngine | null;

  private constructor(
    options: SnapshotOptions,
    baseUrl: string,
    formats: readonly PageFormat[],
    engine: SearchEngine | null,
    root: RootPlace,
    lock: PlaceLock,
  ) {
    this.#options = options;
    this.#baseUrl = baseUrl;
    this.#root = root;
    this.#lock = lock;
    this.#engine = engine;
    this.#maker = new PageMaker(formats, options.threads);
  }

  /**
   * Creates the folder if it does not exist, and locks it. The lock ends with the process, however that ends; that of a
   * bucket `lockMs` later if the process is killed.
   *
   * @throws GazetteError `invalid_option` for a base URL, a number of threads or formats; `unknown_feed`
   *   (no folder is created in either case); `snapshot_busy` when another run works on the folder; `output_failed`;
   *   `missing_peer` for a bucket and for `search`; errors of the store.
   */
  static async open(options: SnapshotOptions): Promise<SnapshotWriter> {
    const { store, out, feeds, threads = 1 } = options;
    const baseUrl = checkBaseUrl(options.baseUrl);
    checkWhole('threads', threads, 1);
    const formats = await openPageFormats(options.formats);
    const engine = options.search === true ? await SearchEngine.load() : null;
    await checkFeeds(store, feeds ?? []);
    const headers = objectHeaders(options.tier, formats);
    const root = typeof out === 'string' ? new FolderPlace(out) : await BucketPlace.open(out, headers, options.signal);
    return new SnapshotWriter(options, baseUrl, formats, engine, root, await root.lock());
  }

  /**
   * Brings the folder to the current state of the registers. One call at a time. A register that fails keeps the files
   * of its last run; the others are written, and then the failure is thrown.
   *
   * @throws GazetteError `invalid_option` for a tier other than that of the snapshot in the folder; `output_failed`,
   *   `aborted`. With the register's name, when a register fails: `unknown_feed`, `damaged_snapshot`, the codes of the
   *   store and the formats; `internal_error` when a thread ends unexpectedly, and for errors without a code.
   */
  async write(): Promise<SnapshotResult> {
    const { store, feeds, tier = 'public' } = this.#options;
    const asked = await feedsOf(store, feeds);
    const within = [LOG_OF_LOGS_FOLDER, posix.dirname(WELL_KNOWN_LOG_FILE)];
    const folder = await SnapshotFolder.open<RootHead>(this.#root, within);
    checkTier(folder, this.#root.path, tier);
    try {
      return await this.#write(folder, asked);
    } catch (error) {
      // Threads may still be working for a run that failed: the next run must not use them.
      await this.#maker.close();
      throw error;
    } finally {
      await folder.close();
    }
  }

  /** Ends the threads and unlocks the folder. */
  async close(): Promise<void> {
    await this.#maker.close();
    await this.#lock.release();
  }

  /** The registers with their states, as far as they are read a page at a time; null: it is looked up. */
  async *#seen(asked: readonly string[]): AsyncIterable<readonly [feedId: string, seen: RegisterEntry | null]> {
    const { store, feeds } = this.#options;
    const left = new Set(asked);
    if (feeds === undefined) {
      for await (const entries of store.catalogue.walk()) {
        for (const entry of entries) if (left.delete(entry.definition.id)) yield [entry.definition.id, entry];
      }
    }
    for (const feedId of left) yield [feedId, null];
  }

  async #write(folder: SnapshotFolder<RootHead>, asked: readonly string[]): Promise<SnapshotResult> {
    const { store, tier = 'public', tiers = {}, whole = false, signal, onRegister, onProgress } = this.#options;
    const baseUrl = this.#baseUrl;
    const engine = this.#engine;
    const shape = { tier, tiers, baseUrl, whole, ...(engine === null ? {} : { search: engine.version }) };
    const before = folder.previous?.head.feeds ?? [];
    const feeds = new Set([...(this.#options.feeds === undefined ? [] : before), ...asked].sort());
    const removed = before.filter((feedId) => !feeds.has(feedId));
    // The root's journal is written before any register changes, and its manifest after all are complete.
    const onBegin = async (): Promise<void> => {
      await folder.begin(tier);
      await folder.begun();
    };
    if (folder.previous === null || removed.length > 0) await onBegin();

    // Read before the registers, so that no log is ahead of its register.
    const signed = await SNAPSHOTS[0]?.begin(store);
    const registers = new Map<string, WrittenRegister>();
    const failed = new Map<string | null, GazetteError>();
    for await (const [feedId, seen] of this.#seen(asked)) {
      throwIfAborted(signal);
      const one = await snapshotRegister(store, feedId, this.#root.within(feedId), shape, {
        ...{ maker: this.#maker, engine, seen, signed: signed?.of(feedId) ?? null, onBegin },
        onPage: (records, of) => onProgress?.({ feedId, records, of }),
        ...(signal === undefined ? {} : { signal }),
      }).catch(async (error: unknown) => {
        if (concernsAll(error)) throw error;
        // Threads may still be working for this register: the next one must not use them.
        await this.#maker.close();
        failed.set(feedId, failureOf(feedId, error));
        return null;
      });
      if (one === null) continue;
      registers.set(feedId, one);
      onRegister?.(one.register);
    }
    for (const feedId of removed) {
      if (isFeedId(feedId)) await folder.removeFolder(feedId);
    }

    const listed: RegisterManifestHead[] = [];
    const present: string[] = [];
    for (const feedId of feeds) {
      const written = registers.get(feedId);
      const place = this.#root.within(feedId);
      const state =
        written ??
        (await standing(place).catch(async (error: unknown) => {
          if (!failed.has(feedId) && !(await isInterrupted(place))) throw error;
          return null;
        }));
      // A register that failed in its first run is not listed; its journal says that it is not complete.
      if (state !== null || (await isInterrupted(place))) present.push(feedId);
      if (state === null) continue;
      listed.push(state.head);
      folder.name(`${feedId}/${MANIFEST_FILE}`, state.manifest);
    }
    const encoder = new TextEncoder();
    const formats = this.#maker.formats.map(({ format }) => format);
    const site = Object.entries(siteFiles(baseUrl, listed, tier, formats, whole ? WHOLE_TYPES : [], SNAPSHOTS[0])).map(
      ([name, text]) => [name, encoder.encode(text)] as const,
    );
    if (site.some(([name, bytes]) => !folder.has(name, bytes))) await onBegin();
    for (const [name, bytes] of site) await folder.put(name, bytes);
    const list = await signed?.bringList(folder, { baseUrl, onBegin, ...(signal === undefined ? {} : { signal }) });
    if (list !== undefined && list.failure !== null) failed.set(null, list.failure);
    const { stems = [], checkpoint } = list ?? {};
    const manifest = folder.manifest(
      { ...manifestHead(tier, baseUrl), feeds: present, ...(checkpoint === undefined ? {} : { checkpoint }) },
      [
        ...listed.map(({ feed_id: id }) => stemOf(`${id}/${MANIFEST_FILE}`)),
        ...site.map(([name]) => stemOf(name)),
        ...stems,
      ],
    );
    if (!folder.isWhole(manifest)) {
      await onBegin();
      await folder.finish(manifest);
    }
    if (failed.size > 0) throw failureOfAll([...failed.values()]);
    const done = [...registers.values()].map(({ register }) => register);
    return { registers: done, written: done.reduce((sum, { written }) => sum + written, folder.written) };
  }
}

/** A folder's tier never changes: during a conversion, files of both tiers would be mixed. */
function checkTier(folder: SnapshotFolder<RootHead>, out: string, tier: Tier): void {
  if (folder.tier === null || folder.tier === tier) return;
  throw new GazetteError(
    'invalid_option',
    `${out} is a snapshot of the tier ${folder.tier}; use another folder for the tier ${tier}`,
    { details: { option: 'tier' } },
  );
}
