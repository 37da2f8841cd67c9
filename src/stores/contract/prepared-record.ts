// A record ready to be kept: what its publisher states, hashed once, its texts as the stores' columns hold them. rows/prepare.ts
// makes it; an importer stages records in this form, so that nothing is done twice between reading and committing.
import type { RegisterRecord } from '../../register/record.ts';

/** A record as the publisher states it, checked by `toRecord()`. */
export interface PublishedRecord extends Omit<RegisterRecord, 'position' | 'version' | 'updated_at' | 'observed_at'> {
  /**
   * When the record was first observed, where the publisher says so. Null: it does not, and the register takes the time
   * of its own first observation, which then is no part of the statement.
   */
  readonly observed_at: string | null;
}

/** The length of a digest, in bytes. */
export const DIGEST_LENGTH = 32;

/** What a {@link PreparedRecord} consists of. */
export interface PreparedParts {
  /** The id of the record. */
  readonly id: string;
  /** SHA-256 of the statement, see rows/published-record.ts. */
  readonly digest: Uint8Array;
  /** The content, in the order of CONTENT_COLUMNS; `observed_at` is null unless the publisher says it. */
  readonly values: readonly (string | number | null)[];
}

/** A record as the publisher states it, with its digest and its columns. */
export class PreparedRecord implements PreparedParts {
  /** The id of the record. */
  readonly id: string;
  readonly digest: Uint8Array;
  readonly values: readonly (string | number | null)[];

  /** Of the parts that one was prepared into. */
  constructor({ id, digest, values }: PreparedParts) {
    this.id = id;
    this.digest = digest;
    this.values = values;
  }
}

/** Records as a store takes them: as the publisher states them, or prepared. */
export type Batch = readonly (PublishedRecord | PreparedRecord)[];
