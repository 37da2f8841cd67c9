// A record prepared for storage: the publisher's statement, checked once, with its texts in the form of the stores'
// columns. rows/prepare.ts creates it. An importer stages records in this form, so that no work is repeated between
// reading and committing.
import type { Field, RegisterRecord } from '../../register/record.ts';

/** A record as the publisher states it, checked by `toRecord()`. */
export interface PublishedRecord extends Omit<
  RegisterRecord,
  'key' | 'position' | 'version' | 'updated_at' | 'observed_at'
> {
  /**
   * When the record was first observed, if the publisher states it. Null: the publisher does not, and the register uses
   * the time of its own first observation, which is then not part of the statement.
   */
  readonly observed_at: string | null;
  /** Its key where it is another than that of the id. Absent or null: it is that. */
  readonly key?: string | null;
}

/** A record as the publisher states it, with its columns. */
export class PreparedRecord {
  /** The id of the record. */
  readonly id: string;
  /** The content, in the order of CONTENT_COLUMNS; `observed_at` is null unless the publisher states it, or a stored content is put back. */
  readonly values: readonly (string | number | null)[];
  /** The canonical JSON (RFC 8785) of its own values, without those that are null. */
  readonly data: string;

  /** Creates a prepared record from its parts. */
  constructor({ id, values, data }: Pick<PreparedRecord, 'id' | 'values' | 'data'>) {
    this.id = id;
    this.values = values;
    this.data = data;
  }
}

/** Records as a store accepts them: as the publisher states them, or prepared. */
export type Batch = readonly (PublishedRecord | PreparedRecord)[];

/** What becomes of a record that is applied. */
export interface RecordComparison {
  /** In which count of the batch's result it would be. */
  readonly outcome: 'added' | 'changed' | 'unchanged' | 'restored' | 'redacted';
  /** The fields in which it differs from what is stored, by their names as in `RecordVersion.changed`. */
  readonly changed: readonly string[];
  /** Its position; null for a new one. */
  readonly position: number | null;
  /** What is stored of one that would change; null for others. */
  readonly before: PublishedRecord | null;
  /**
   * What becomes of what was set by hand. `kept`: it stays, because the source said the same before. `asked`: somebody has to say
   * which of the two is meant. Null: nothing of it would be lost.
   */
  readonly byHand: 'kept' | 'asked' | null;
}

/** How the records of a batch are compared with those that are stored. */
export interface CompareOptions {
  /** The fields that the definition will have by the time of the write; default: those that it has. */
  readonly fields?: readonly Field[];
  /**
   * Names as in `RecordVersion.changed`: a record that differs in nothing else has not changed, and keeps what is stored.
   * Default: none.
   */
  readonly ignored?: ReadonlySet<string>;
  /** The numbers of imports whose versions files must not change unasked. Default: none. */
  readonly byHand?: ReadonlySet<number>;
}
