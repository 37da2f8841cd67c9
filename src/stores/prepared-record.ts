// A statement made ready to be kept: hashed once, its texts as the stores' columns hold them. An importer stages records
// in this form, so that nothing is done twice between reading a file and committing it.
import { GazetteError, quote } from '../errors.ts';
import { contentValues, storedContentOf } from './columns.ts';
import { feedIdOf } from './register-head.ts';
import { type RecordStatement, statementDigest } from './statement.ts';

/** The length of a digest, in bytes. */
export const DIGEST_LENGTH = 32;

/** What a {@link PreparedRecord} consists of. */
export interface PreparedParts {
  readonly id: string;
  /** SHA-256 of the statement, see statement.ts. */
  readonly digest: Uint8Array;
  /** The content, in the order of CONTENT_COLUMNS; `observed_at` is null unless the publisher says it. */
  readonly values: readonly (string | number | null)[];
}

/** A record as the publisher states it, with its digest and its columns. */
export class PreparedRecord implements PreparedParts {
  readonly id: string;
  readonly digest: Uint8Array;
  readonly values: readonly (string | number | null)[];

  /** Of the parts of one that was prepared before. */
  constructor({ id, digest, values }: PreparedParts) {
    this.id = id;
    this.digest = digest;
    this.values = values;
  }

  /** @throws GazetteError `invalid_record` for a value JSON cannot carry. */
  static prepare(statement: RecordStatement): PreparedRecord {
    const digest = statementDigest(statement);
    return new PreparedRecord({ id: statement.id, digest, values: contentValues(statement, statement.observed_at) });
  }

  /** What the publisher said. */
  toStatement(): RecordStatement {
    return storedContentOf(feedIdOf(this.id), [this.id, ...this.values], 0, 1).statement;
  }
}

/** Records as a store takes them: as the publisher states them, or prepared. */
export type Batch = readonly (RecordStatement | PreparedRecord)[];

/**
 * A batch, prepared.
 *
 * @throws GazetteError `invalid_record` unless every record is of this register and has values that JSON can carry,
 *   `duplicate_id` for two of one id.
 */
export function prepareBatch(feedId: string, batch: Batch): readonly PreparedRecord[] {
  const ids = new Set<string>();
  return batch.map((record) => {
    const { id } = record;
    const saysOther = !(record instanceof PreparedRecord) && record.feed_id !== feedId;
    if (saysOther || !id.startsWith(`${feedId}:`)) {
      throw new GazetteError('invalid_record', `record ${quote(id)} must be of register ${quote(feedId)}`, {
        details: { id, feed_id: feedId },
      });
    }
    if (ids.has(id)) {
      throw new GazetteError('duplicate_id', `id ${quote(id)} comes twice in one batch`, { details: { id } });
    }
    ids.add(id);
    return record instanceof PreparedRecord ? record : PreparedRecord.prepare(record);
  });
}
