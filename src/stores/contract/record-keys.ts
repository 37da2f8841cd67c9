// The interface of the publisher's keys: which record has one. A record's id is made of the key under which it was first observed, and
// its key is another one once it was renumbered; a freed key may be that of a new record, whose id then ends with `~~2`.

/** What a row of a file, an address or a person names a record by. */
export interface NamedRecord {
  /** The id that the key would make, or an id as it is. */
  readonly id: string;
  /** Whether it is written as an id: then the record with this id is meant, if there is one. Default: its key is meant. */
  readonly isId?: boolean;
}

/** The record that is meant. */
export interface FoundRecord {
  /** Its id; of one that is not there yet, the id that it gets. */
  readonly id: string;
  /** Its key where it is another than that of the id; else null. */
  readonly key: string | null;
  /** Null: there is no such record. A redacted one is found by every key that it ever had. */
  readonly state: 'live' | 'withdrawn' | 'redacted' | null;
}

/** The keys of a store's records. */
export interface RecordKeys {
  /**
   * The record that each name means.
   *
   * @returns as many, in the same order
   * @throws GazetteError `unknown_feed`
   */
  find(feedId: string, names: readonly NamedRecord[]): Promise<readonly FoundRecord[]>;
}

/** A live record, without what it says. */
export interface LiveId {
  /** Its id. */
  readonly id: string;
  /** Its place in the register, from 1. */
  readonly position: number;
  /** Its key where it is another than that of the id; else null. */
  readonly key: string | null;
}
