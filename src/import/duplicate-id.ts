// What is said of a record whose id an earlier one of its file has.
import { GazetteError, quote } from '../errors.ts';
import type { RecordReader } from './readers/raw-record.ts';

/** The error for a record whose id an earlier one of its file has. @param at where it is @param earlier where that one is */
export function duplicateId(id: string, reader: RecordReader, at: number, earlier: number): GazetteError {
  const details = { id, where: reader.where(at), earlier: reader.where(earlier) };
  return new GazetteError(
    'duplicate_id',
    `${reader.name}: ${details.where}: id ${quote(id)} is also that of ${details.earlier}`,
    { details },
  );
}
