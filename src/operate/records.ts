// An operator's work with single records: show one with all its versions, and erase one for legal reasons.
import { quote } from '../errors.ts';
import { isRecordId, recordIdOrNull } from '../register/identity.ts';
import type { RecordVersion } from '../register/record.ts';
import type { UnderLease } from '../stores/contract/leases.ts';
import type { PendingPurge, RedactOptions } from '../stores/contract/purges.ts';
import { type RegisterStore, type StoredRecord, VERSIONS_PAGE_SIZE } from '../stores/contract/registers.ts';
import { holdRegister, type WaitOptions } from '../stores/lease/hold-register.ts';
import { unknownRecord } from '../stores/rows/register.ts';

/** What is left of an erased record. */
export interface Leftovers {
  /** The purge that others held up; null when nothing is left in the store's own files, or no purge was asked for. */
  readonly pending: PendingPurge | null;
  /** Everything that gazette cannot reach: phrases in English that say until when. */
  readonly beyond: readonly string[];
}

/** What others hold of a record that was public or told of, whatever the store. */
const OUTSIDE = [
  'what the service answered and webhooks delivered, with those who received it; shared caches forget it after 60 seconds',
  'the memory of processes that read it, until they end or read the register again',
  'files that were imported, exported, published or refused: run gazette snapshot again for published ones',
];

/** The records of a store, withdrawn ones included. */
export class Records {
  readonly #store: RegisterStore;
  readonly #now: () => number;

  /** @param options.now the clock, in milliseconds since 1970. Default `Date.now` */
  constructor(store: RegisterStore, { now = Date.now }: { readonly now?: () => number } = {}) {
    this.#store = store;
    this.#now = now;
  }

  /** A stored record, withdrawn or not. @throws GazetteError `unknown_record`, naming the id where its key was given */
  async find(recordId: string): Promise<StoredRecord> {
    const stored = await this.#store.record(recordId);
    if (stored !== null) return stored;
    const meant = await this.#meant(recordId);
    throw unknownRecord(recordId, meant === undefined ? '' : `; the record with this key has the id ${quote(meant)}`);
  }

  /** The id of the record that has a key, by a text that is made of the key and its register. */
  async #meant(text: string): Promise<string | undefined> {
    const [feedId = '', key] = text.split(/:(.*)/s, 2);
    const id = key === undefined || isRecordId(feedId, text) ? text : recordIdOrNull(feedId, key);
    if (id === null || !isRecordId(feedId, id) || (await this.#store.register(feedId)) === null) return undefined;
    const [found] = await this.#store.recordKeys.find(feedId, [{ id }]);
    return found!.state === null ? undefined : found!.id;
  }

  /** All versions of a record, newest first, page by page. */
  async *versions(recordId: string): AsyncGenerator<readonly RecordVersion[], void, undefined> {
    for (let offset = 0; ; offset += VERSIONS_PAGE_SIZE) {
      const versions = (await this.#store.history(recordId, { offset, limit: VERSIONS_PAGE_SIZE })) ?? [];
      yield versions;
      if (versions.length < VERSIONS_PAGE_SIZE) return;
    }
  }

  /**
   * Erases the content of all versions of a record, for legal reasons. It cannot be undone.
   *
   * @param options.purge also rewrites what the database keeps of the content, where erasing alone does not. Default false
   * @returns false when it was erased before
   * @throws GazetteError `unknown_record`, `register_busy` while another process works on the register
   */
  async erase(
    recordId: string,
    { purge = false, noted, ...options }: WaitOptions & Pick<RedactOptions, 'purge' | 'noted'> = {},
  ): Promise<boolean> {
    return this.#hold(recordId, options, (under) =>
      this.#store.redact(recordId, {
        recordedAt: new Date(this.#now()).toISOString(),
        ...under,
        purge,
        ...(noted && { noted }),
      }),
    );
  }

  /** What is left after {@link erase}. */
  async left({ purge = false }: { readonly purge?: boolean } = {}): Promise<Leftovers> {
    const { purges } = this.#store;
    const inside = await purges.beyond({ isPurged: purge });
    return { pending: await purges.pending(), beyond: [...inside, ...OUTSIDE] };
  }

  /**
   * Lets later imports take an erased record in again. What was erased stays erased.
   *
   * @returns false when the record is not erased
   * @throws GazetteError `unknown_record`, `register_busy` while another process works on the register
   */
  async lift(recordId: string, options: WaitOptions = {}): Promise<boolean> {
    return this.#hold(recordId, options, (under) => this.#store.lift(recordId, under));
  }

  async #hold<T>(recordId: string, options: WaitOptions, work: (under: UnderLease) => Promise<T>): Promise<T> {
    const { feedId } = await this.find(recordId);
    return holdRegister(this.#store, feedId, { ...options, what: 'record redact', now: this.#now }, (held) =>
      held.write(work),
    );
  }
}
