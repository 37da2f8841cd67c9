// The fields of a file that can be read twice, found from all records in a pass of their own.
import type { FieldType } from '../../register/record.ts';
import type { FoundField } from '../mapping/columns.ts';
import type { MappingRule } from '../mapping/mapping.ts';
import type { TextFormOptions } from '../mapping/text-forms.ts';
import { openRecords, type RecordStreamOptions } from '../opened-records.ts';
import type { RecordReader } from '../readers/raw-record.ts';

/** How a file's fields are found. */
export interface FindOptions extends TextFormOptions, Pick<RecordStreamOptions, 'rowSecret' | 'ignore'> {
  /** The source of each field; default: properties with the fields' own names. */
  readonly mapping?: readonly MappingRule[];
  /** Types that the caller says, by the name of the field or of the property. */
  readonly types?: ReadonlyMap<string, FieldType>;
  /** Stops the reading; it then throws `aborted`. */
  readonly signal?: AbortSignal;
}

/**
 * The fields of a file with their types, which every value fits. It reads the whole file; give the result to
 * `openRecordStream()` with a second reader of the same file.
 *
 * @throws GazetteError what the reader throws; `invalid_mapping`; `invalid_option`; `invalid_record` for more than
 *   1,000 different properties.
 */
export async function findFields(reader: RecordReader, options: FindOptions = {}): Promise<readonly FoundField[]> {
  // The register, and when its records are observed, are of no matter.
  const opened = await openRecords(reader, { ...options, findsFields: true, observedAt: '1970-01-01' });
  const { plan } = opened;
  for await (const { records } of opened.batches(options.signal)) {
    for (const { value, at, fault } of records) if (fault === undefined) plan.learn(value, plan.where(at));
  }
  return plan.found() ?? [];
}
