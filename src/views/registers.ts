// The current state of registers. Each request asks the store once, for the revision; everything else is read again
// only if the revision has changed.
import { GazetteError, isGazetteError } from '../errors.ts';
import { type Made, Shared } from '../shared.ts';
import { isFeedId } from '../register/definition.ts';
import { isRecordId } from '../register/identity.ts';
import { filterText } from '../register/finding/filter.ts';
import type { Matched } from '../register/page.ts';
import type { RecordVersion, RegisterRecord } from '../register/record.ts';
import type { MatchedQuery } from '../register/sources/matched.ts';
import type { RegisterSource } from '../register/sources/source.ts';
import { feedIdOf, unknownFeed, unknownRecord } from '../stores/rows/register.ts';
import type { FoundRecord } from '../stores/contract/record-keys.ts';
import type { HistoryRange, RegisterEntry, RegisterStore } from '../stores/contract/registers.ts';

/** A register at one revision. */
export interface RegisterView {
  readonly entry: RegisterEntry;
  readonly source: RegisterSource;
  readonly revision: string;
  /** The date of this revision for conditional requests, in seconds since 1970; null if none is known. */
  readonly lastModified: number | null;
  /** Entity tags computed for this revision, by a key of the representation. */
  readonly tags: Shared<string, string, null>;
  /** How many records match the filters that were asked for. */
  readonly matched: Shared<string, Matched, null>;
}

/** Whether the register is still as it was then. */
export async function isStillSo({ source, revision }: RegisterView): Promise<boolean> {
  return (await source.revision!()) === revision;
}

/** The register at this revision, for an answer that says so in its tag. */
export function sourceAt({ entry, source, revision, matched }: RegisterView): RegisterSource {
  const countOnce = async ({ signal, ...asked }: MatchedQuery): Promise<Matched> => {
    const key = `${asked.asOf} ${filterText(asked.filter ?? {})}`;
    const count = async (abandoned: AbortSignal): Promise<Made<Matched>> => {
      return { value: await source.matched!({ ...asked, signal: abandoned }), isLasting: true };
    };
    return (await matched.of(key, null, count, signal)).value;
  };
  return {
    definition: entry.definition,
    page: (query) => source.page(query),
    ...(source.matched === undefined ? {} : { matched: countOnce }),
    revision: () => revision,
    lastChange: () => entry.lastChange,
  };
}

/** Of how many filters it is kept how many records match, for one revision. */
const MAX_MATCHED = 200;

/** How many entity tags are kept of a revision: they are cheap to compute again. */
const MAX_TAGS = 1000;

/** How often a register may change during a read before the last result is used anyway. */
const MAX_ATTEMPTS = 5;

/** How many registers are remembered: a definition may take kilobytes, and a service may have tens of thousands. */
export const MAX_VIEWS = 10_000;

function withdrawn(recordId: string): GazetteError {
  return new GazetteError('record_withdrawn', `the record ${recordId} was withdrawn from its register`);
}

/** The registers of a store. */
export class RegisterViews {
  readonly #store: RegisterStore;
  readonly #onChange: (feedId: string) => void;
  readonly #maxViews: number;
  /** What was read last. */
  readonly #views = new Map<string, RegisterView>();
  /** Those of them that were found unchanged under a stamp of the store. */
  readonly #found: Shared<string, RegisterView, number>;

  /** @param onChange called with the feed id of a register that has changed or was removed */
  constructor(
    store: RegisterStore,
    onChange: (feedId: string) => void,
    { maxViews = MAX_VIEWS }: { readonly maxViews?: number } = {},
  ) {
    this.#store = store;
    this.#maxViews = maxViews;
    this.#onChange = onChange;
    const stillHolds = (feedId: string, since: number): boolean => store.isUnchanged?.(feedId, since) === true;
    this.#found = new Shared({ capacity: Infinity, stillHolds });
  }

  /**
   * @param stamp an earlier stamp of the store, if it has one: if nothing of the register has changed, the store is not asked
   * @throws GazetteError `unknown_feed`
   */
  async view(feedId: string, stamp?: number): Promise<RegisterView> {
    // The store is not asked for a text that cannot be an id: databases differ in how they handle a NUL.
    if (!isFeedId(feedId)) throw unknownFeed(feedId);
    if (stamp === undefined) return (await this.#ask(feedId)).value;
    const { value } = await this.#found.of(feedId, stamp, () => this.#ask(feedId));
    return value;
  }

  async #ask(feedId: string): Promise<Made<RegisterView>> {
    const known = this.#views.get(feedId);
    if (known === undefined) return this.#load(feedId, null);
    let revision: string;
    try {
      revision = await known.source.revision!();
    } catch (error) {
      this.#forget(feedId);
      if (!isGazetteError(error, 'unknown_feed')) throw error;
      // It was removed. If it was created again since, this source does not know.
      return this.#load(feedId, null);
    }
    if (revision === known.revision) return { value: known, isLasting: true };
    this.#forget(feedId);
    return this.#load(feedId, revision);
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

  /** Whether what is read of this view may be kept: the register was not found changed since. */
  isCurrent(view: RegisterView): boolean {
    return this.#views.get(view.entry.definition.id) === view;
  }

  /** A record that is not withdrawn. @throws GazetteError `unknown_record`, `record_withdrawn` */
  async record(recordId: string): Promise<RegisterRecord> {
    const stored = await this.#store.record(recordId);
    if (stored === null) throw unknownRecord(recordId);
    if (stored.state !== 'live' || stored.record === null) throw withdrawn(recordId);
    return stored.record;
  }

  /** The version that a record had at a moment. @throws GazetteError `unknown_record`, `record_withdrawn` */
  async versionAt(recordId: string, at: string): Promise<RecordVersion> {
    const version = await this.#store.versionAt(recordId, at);
    if (version === null) throw unknownRecord(recordId, ` of ${at}`);
    if (version.cause === 'withdrawn') throw withdrawn(recordId);
    return version;
  }

  /** The record whose key an id is made of where no record has this id; null: there is none, or it was erased. */
  async renumbered(recordId: string): Promise<FoundRecord | null> {
    const feedId = feedIdOf(recordId);
    if (!isFeedId(feedId) || !isRecordId(feedId, recordId)) return null;
    try {
      const [found] = await this.#store.recordKeys.find(feedId, [{ id: recordId, isId: true }]);
      return found!.id === recordId || found!.state === null || found!.state === 'redacted' ? null : found!;
    } catch (error) {
      if (isGazetteError(error, 'unknown_feed')) return null;
      throw error;
    }
  }

  /** Versions of a record, newest first, including those of a withdrawn one. @throws GazetteError `unknown_record` */
  async history(recordId: string, range: HistoryRange): Promise<readonly RecordVersion[]> {
    const versions = await this.#store.history(recordId, range);
    if (versions === null) throw unknownRecord(recordId);
    return versions;
  }

  async #load(feedId: string, before: string | null): Promise<Made<RegisterView>> {
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
        const tags = new Shared<string, string, null>({ capacity: MAX_TAGS });
        const matched = new Shared<string, Matched, null>({ capacity: MAX_MATCHED });
        const view = { entry, source, revision, lastModified, tags, matched };
        this.#makeRoom();
        this.#views.set(feedId, view);
        return { value: view, isLasting: isStable };
      }
      before = revision;
    }
  }

  /** Forgets the register that was looked up first. It has not changed: what is kept of its bodies stays right. */
  #makeRoom(): void {
    const [first] = this.#views.keys();
    if (first === undefined || this.#views.size < this.#maxViews) return;
    this.#views.delete(first);
    this.#found.delete(first);
  }

  #forget(feedId: string): void {
    this.#views.delete(feedId);
    this.#found.delete(feedId);
    this.#onChange(feedId);
  }
}
