// Registers as they are at this moment. One question to the store per request, for the revision; all else is asked
// again only once that has changed.
import { GazetteError, isGazetteError } from '../errors.ts';
import { isFeedId } from '../register/definition.ts';
import { isRecordId } from '../register/identity.ts';
import type { RecordVersion, RegisterRecord } from '../register/record.ts';
import type { RegisterSource } from '../register/source.ts';
import { toEpochMs } from '../register/time.ts';
import { feedIdOf, unknownFeed, unknownRecord } from '../stores/rows/register.ts';
import type { RegisterEntry, RegisterStore } from '../stores/contract/registers.ts';

/** A register in one revision. */
export interface RegisterView {
  readonly entry: RegisterEntry;
  readonly source: RegisterSource;
  readonly revision: string;
  /** When it last changed, in milliseconds since 1970; null when nothing ever happened. */
  readonly lastChangeMs: number | null;
  /** Entity tags found in this revision, by whatever tells one representation from another. */
  readonly tags: Map<string, string>;
}

/** How often a register may change under our hands before what was read last has to do. */
const MAX_ATTEMPTS = 5;

/** The registers of a store. */
export class RegisterViews {
  readonly #store: RegisterStore;
  readonly #onChange: (feedId: string) => void;
  readonly #views = new Map<string, RegisterView>();
  /** The store's stamp under which a register was last found unchanged. */
  readonly #stamps = new Map<string, number>();

  /** @param onChange told of a register that is found changed or gone */
  constructor(store: RegisterStore, onChange: (feedId: string) => void) {
    this.#store = store;
    this.#onChange = onChange;
  }

  /**
   * @param stamp the store's stamp from before, where it has one: under the same one nothing is asked for
   * @throws GazetteError `unknown_feed`
   */
  async view(feedId: string, stamp?: number): Promise<RegisterView> {
    // No store is asked for what cannot be an id: databases differ in what they make of a NUL.
    if (!isFeedId(feedId)) throw unknownFeed(feedId);
    const known = this.#views.get(feedId);
    if (known === undefined) return this.#load(feedId, null);
    if (stamp !== undefined && stamp === this.#stamps.get(feedId)) return known;
    let revision: string;
    try {
      revision = await known.source.revision!();
    } catch (error) {
      this.#forget(feedId);
      if (!isGazetteError(error, 'unknown_feed')) throw error;
      // Removed; where it was made again since, this source knows nothing of that.
      return this.#load(feedId, null);
    }
    if (revision === known.revision) {
      if (stamp !== undefined) this.#stamps.set(feedId, stamp);
      return known;
    }
    this.#forget(feedId);
    return this.#load(feedId, revision);
  }

  /**
   * The register a record belongs to. Whatever cannot be an id is nobody's record, and no store is asked for it.
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

  /** A record that is live. @throws GazetteError `unknown_record`, `record_withdrawn` */
  async record(recordId: string): Promise<RegisterRecord> {
    const stored = await this.#store.record(recordId);
    if (stored === null) throw unknownRecord(recordId);
    if (stored.state !== 'live' || stored.record === null) {
      throw new GazetteError('record_withdrawn', `the record ${recordId} was withdrawn from its register`);
    }
    return stored.record;
  }

  /** Versions of a record, newest first, also of a withdrawn one. @throws GazetteError `unknown_record` */
  async history(
    recordId: string,
    range: { readonly offset: number; readonly limit: number },
  ): Promise<readonly RecordVersion[]> {
    const versions = await this.#store.history(recordId, range);
    if (versions === null) throw unknownRecord(recordId);
    return versions;
  }

  async #load(feedId: string, before: string | null): Promise<RegisterView> {
    for (let attempt = 1; ; attempt++) {
      const source = await this.#store.source(feedId);
      const entry = await this.#store.register(feedId);
      // Removed in between: the source says so.
      const revision = await source.revision!();
      // Read between two equal revisions, the definition and the counts are those of the revision.
      if (entry !== null && (revision === before || attempt >= MAX_ATTEMPTS)) {
        const lastChangeMs = entry.lastChange === null ? null : toEpochMs(entry.lastChange);
        const view = { entry, source, revision, lastChangeMs, tags: new Map<string, string>() };
        this.#views.set(feedId, view);
        return view;
      }
      before = revision;
    }
  }

  #forget(feedId: string): void {
    this.#views.delete(feedId);
    this.#stamps.delete(feedId);
    this.#onChange(feedId);
  }
}
