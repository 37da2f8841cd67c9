// Converts what a publisher states into what a store saves, and back.
import { GazetteError, quote } from '../../errors.ts';
import { contentValues, statedValuesIn, type StoredContent, storedContentOf } from './columns.ts';
import { type Batch, PreparedRecord, type PublishedRecord } from '../contract/prepared-record.ts';
import { feedIdOf } from './register.ts';
import { canonicalText, checkStatement } from './published-record.ts';

/**
 * A statement, checked once and for all.
 *
 * @param where names it in messages; by default its id does
 * @throws GazetteError `invalid_record` for a value that JSON cannot represent, and for a lone surrogate.
 */
export function prepareRecord(statement: PublishedRecord, where?: string): PreparedRecord {
  const data = checkStatement(statement, where);
  return new PreparedRecord({ id: statement.id, values: contentValues(statement, statement.observed_at), data });
}

/** A content as it was stored, to be put back: when it was observed is what it was, whether the publisher states it or not. */
export function prepareStored({ statement, observedAt }: StoredContent): PreparedRecord {
  const { id } = statement;
  return new PreparedRecord({ id, values: contentValues(statement, observedAt), data: checkStatement(statement) });
}

/** The publisher's statement. */
export function statedIn({ id, values }: PreparedRecord): PublishedRecord {
  return storedContentOf(feedIdOf(id), [id, ...values], 0, 1).statement;
}

/** The canonical JSON of the publisher's statement. */
export function canonicalIn({ id, values, data }: PreparedRecord): string {
  return canonicalText(statedValuesIn(feedIdOf(id), [id, ...values], 0, 1), data);
}

/**
 * A batch, prepared.
 *
 * @throws GazetteError `invalid_record` unless every record is of this register and has a canonical JSON,
 *   `duplicate_id` for two with the same id.
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
