// An operator's work with single records: show one with all its versions, and erase one for legal reasons.
import type { RecordVersion } from '../register/record.ts';
import { type RegisterStore, type StoredRecord, VERSIONS_PAGE_SIZE } from '../stores/contract/registers.ts';
import { holdRegister, type WaitOptions } from '../stores/lease/hold-register.ts';
import { unknownRecord } from '../stores/rows/register.ts';

/** Options of {@link Records}. */
export interface RecordsOptions {
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

/** The records of a store, withdrawn ones included. */
export class Records {
  readonly #store: RegisterStore;
  readonly #now: () => number;

  constructor(store: RegisterStore, { now = Date.now }: RecordsOptions = {}) {
    this.#store = store;
    this.#now = now;
  }

  /** A stored record, withdrawn or not. @throws GazetteError `unknown_record` */
  async find(recordId: string): Promise<StoredRecord> {
    const stored = await this.#store.record(recordId);
    if (stored === null) throw unknownRecord(recordId);
    return stored;
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
   * @returns false when it was erased before
   * @throws GazetteError `unknown_record`, `register_busy` while another process works on the register
   */
  async erase(recordId: string, options: WaitOptions = {}): Promise<boolean> {
    return this.#hold(recordId, options, (lease) =>
      this.#store.redact(recordId, { recordedAt: new Date(this.#now()).toISOString(), lease }),
    );
  }

  /**
   * Lets later imports take an erased record in again. What was erased stays erased.
   *
   * @returns false when the record is not erased
   * @throws GazetteError `unknown_record`, `register_busy` while another process works on the register
   */
  async lift(recordId: string, options: WaitOptions = {}): Promise<boolean> {
    return this.#hold(recordId, options, (lease) => this.#store.lift(recordId, { lease }));
  }

  async #hold<T>(recordId: string, options: WaitOptions, work: (lease: string) => Promise<T>): Promise<T> {
    const { feedId } = await this.find(recordId);
    return holdRegister(this.#store, feedId, { ...options, what: 'record redact', now: this.#now }, work);
  }
}
