// From what a publisher states to what a store keeps, and back.
import { GazetteError, quote } from '../../errors.ts';
import { contentValues, storedContentOf } from './columns.ts';
import { type Batch, PreparedRecord, type PublishedRecord } from '../contract/prepared-record.ts';
import { feedIdOf } from './register.ts';
import { statementDigest } from './published-record.ts';

/** @throws GazetteError `invalid_record` for a value JSON cannot carry. */
export function prepareRecord(statement: PublishedRecord): PreparedRecord {
  const digest = statementDigest(statement);
  return new PreparedRecord({ id: statement.id, digest, values: contentValues(statement, statement.observed_at) });
}

/** What the publisher states. */
export function statedIn({ id, values }: PreparedRecord): PublishedRecord {
  return storedContentOf(feedIdOf(id), [id, ...values], 0, 1).statement;
}

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
    return record instanceof PreparedRecord ? record : prepareRecord(record);
  });
}
