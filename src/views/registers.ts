// The current state of registers. Each request asks the store once, for the revision; everything else is read again
// only if the revision has changed.
import { GazetteError, isGazetteError } from '../errors.ts';
import { isFeedId } from '../register/definition.ts';
import { isRecordId } from '../register/identity.ts';
import type { RecordVersion, RegisterRecord } from '../register/record.ts';
import type { RegisterSource } from '../register/sources/source.ts';
import { feedIdOf, unknownFeed, unknownRecord } from '../stores/rows/register.ts';
import type { HistoryRange, RegisterEntry, RegisterStore } from '../stores/contract/registers.ts';

/** A register at one revision. */
export interface RegisterView {
  readonly entry: RegisterEntry;
  readonly source: RegisterSource;
  readonly revision: string;
  /** The date of this revision for conditional requests, in seconds since 1970; null if none is known. */
  readonly lastModified: number | null;
  /** Entity tags computed for this revision, by a key of the representation. */
  readonly tags: Map<string, string>;
}

/** How often a register may change during a read before the last result is used anyway. */
const MAX_ATTEMPTS = 5;

/** How many registers are remembered: a definition may take kilobytes, and a service may have tens of thousands. */
const MAX_VIEWS = 10_000;

/** The registers of a store. */
export class RegisterViews {
  readonly #store: RegisterStore;
  readonly #onChange: (feedId: string) => void;
  readonly #maxViews: number;
  readonly #views = new Map<string, RegisterView>();
  /** The store's stamp under which a register was last found unchanged. */
  readonly #stamps = new Map<string, number>();
  /** What is being asked under a stamp: requests that come meanwhile with the same stamp wait for the same answer. */
  readonly #asked = new Map<string, { readonly stamp: number; readonly view: Promise<RegisterView> }>();

  /** @param onChange called with the feed id of a register that has changed or was removed */
  constructor(
    store: RegisterStore,
    onChange: (feedId: string) => void,
    { maxViews = MAX_VIEWS }: { readonly maxViews?: number } = {},
  ) {
    this.#store = store;
    this.#maxViews = maxViews;
    this.#onChange = onChange;
  }

  /**
   * @param stamp an earlier stamp of the store, if it has one: if nothing of the register has changed, the store is not asked
   * @throws GazetteError `unknown_feed`
   */
  async view(feedId: string, stamp?: number): Promise<RegisterView> {
    // The store is not asked for a text that cannot be an id: databases differ in how they handle a NUL.
    if (!isFeedId(feedId)) throw unknownFeed(feedId);
    if (stamp === undefined) return this.#ask(feedId, undefined);
    const known = this.#views.get(feedId);
    if (known !== undefined && this.#isKnown(feedId, stamp)) return known;
    const running = this.#asked.get(feedId);
    if (running?.stamp === stamp) return running.view;
    const asked = { stamp, view: this.#ask(feedId, stamp) };
    this.#asked.set(feedId, asked);
    try {
      return await asked.view;
    } finally {
      if (this.#asked.get(feedId) === asked) this.#asked.delete(feedId);
    }
  }

  async #ask(feedId: string, stamp: number | undefined): Promise<RegisterView> {
    const known = this.#views.get(feedId);
    if (known === undefined) return this.#load(feedId, null, stamp);
    let revision: string;
    try {
      revision = await known.source.revision!();
    } catch (error) {
      this.#forget(feedId);
      if (!isGazetteError(error, 'unknown_feed')) throw error;
      // It was removed. If it was created again since, this source does not know.
      return this.#load(feedId, null, stamp);
    }
    if (revision === known.revision) {
      if (stamp !== undefined) this.#stamps.set(feedId, stamp);
      return known;
    }
    this.#forget(feedId);
    return this.#load(feedId, revision, stamp);
  }

  /**
   * The register of a record. A text that cannot be an id belongs to no record, and the store is not asked for it.
   *
   * @param stamp as in {@link view}
   * @throws GazetteError `unknown_record`
   */
  async viewOfRecord(recordId: string, stamp?: number): Promise<RegisterView> {
    const feedId = feedIdOf(recordId);
    if (!isFeedId(feedId) || !isRecordId(feedId, recordId)) throw unknownRecord(recordId);
    try {
      return await this.view(feedId, stamp);
    } catch (error) {
      throw isGazetteError(error, 'unknown_feed') ? unknownRecord(recordId) : error;
    }
  }

  /** Whether what was read last of a register is what a request under this stamp may be answered with. */
  #isKnown(feedId: string, stamp: number): boolean {
    const since = this.#stamps.get(feedId);
    return since !== undefined && (since === stamp || this.#store.isUnchanged?.(feedId, since) === true);
  }

  /** Whether what is read of this view may be kept: the register was not found changed since. */
  isCurrent(view: RegisterView): boolean {
    return this.#views.get(view.entry.definition.id) === view;
  }

  /** A record that is not withdrawn. @throws GazetteError `unknown_record`, `record_withdrawn` */
  async record(recordId: string): Promise<RegisterRecord> {
    const stored = await this.#store.record(recordId);
    if (stored === null) throw unknownRecord(recordId);
    if (stored.state !== 'live' || stored.record === null) {
      throw new GazetteError('record_withdrawn', `the record ${recordId} was withdrawn from its register`);
    }
    return stored.record;
  }

  /** Versions of a record, newest first, including those of a withdrawn one. @throws GazetteError `unknown_record` */
  async history(recordId: string, range: HistoryRange): Promise<readonly RecordVersion[]> {
    const versions = await this.#store.history(recordId, range);
    if (versions === null) throw unknownRecord(recordId);
    return versions;
  }

  async #load(feedId: string, before: string | null, stamp: number | undefined): Promise<RegisterView> {
    for (let attempt = 1; ; attempt++) {
      const source = await this.#store.source(feedId);
      const entry = await this.#store.register(feedId);
      // If the register was removed in between, the source throws.
      const revision = await source.revision!();
      // If both revisions are equal, the definition and the counts read in between belong to that revision.
      const isStable = revision === before;
      if (entry !== null && (isStable || attempt >= MAX_ATTEMPTS)) {
        // Otherwise what was read may be older than this revision's date.
        const lastModified = isStable ? entry.lastModified : null;
        const view = { entry, source, revision, lastModified, tags: new Map<string, string>() };
        this.#makeRoom();
        this.#views.set(feedId, view);
        if (isStable && stamp !== undefined) this.#stamps.set(feedId, stamp);
        return view;
      }
      before = revision;
    }
  }

  /** Forgets the register that was looked up first. It has not changed: what is kept of its bodies stays right. */
  #makeRoom(): void {
    const [first] = this.#views.keys();
    if (first === undefined || this.#views.size < this.#maxViews) return;
    this.#views.delete(first);
    this.#stamps.delete(first);
  }

  #forget(feedId: string): void {
    this.#views.delete(feedId);
    this.#stamps.delete(feedId);
    this.#onChange(feedId);
  }
}
