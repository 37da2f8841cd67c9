// The fields of a file, found in a pass of their own: from all records where the file can be read twice, or from the
// first ones.
import type { FieldType } from '../../register/record.ts';
import { type MappingRule, resolveTargets } from '../mapping/mapping.ts';
import { SourceLayout } from '../mapping/source-layout.ts';
import { type TextFormOptions, TextForms } from '../mapping/text-forms.ts';
import type { RawRecord, RecordReader } from '../readers/raw-record.ts';
import { FieldFinder, type FoundField } from './field-finder.ts';

/** The number of records from which fields are found where a file can be read only once. */
export const SAMPLE_RECORDS = 1000;

/** The maximum amount of text, in UTF-16 units, from which fields are found then: the sample is held in memory. */
export const SAMPLE_LENGTH = 8_388_608;

/** How a file's fields are found. */
export interface FindOptions extends TextFormOptions {
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
 * @throws GazetteError what the reader throws; `invalid_mapping`; `invalid_option`; `invalid_record` for a record that a
 *   template does not fit, and for more than 1,000 different properties.
 */
export async function findFields(reader: RecordReader, options: FindOptions = {}): Promise<readonly FoundField[]> {
  const layout = new SourceLayout(resolveTargets(options.mapping ?? [], null));
  const finder = new FieldFinder({
    layout,
    readsTexts: true,
    textValues: reader.textValues ?? false,
    forms: new TextForms(options),
    ...(options.types === undefined ? {} : { saidTypes: options.types }),
  });
  const where = (at: number): string => `${reader.name}: ${reader.where(at)}`;
  for await (const { records } of reader.batches(options.signal)) {
    for (const raw of records) if (raw.fault === undefined) finder.walk(raw, where);
  }
  return finder.found();
}

/**
 * The fields of the first records. Texts stay texts: what they say may not be true of later ones.
 *
 * @throws GazetteError `invalid_record` as {@link findFields}
 */
export function sampleFields(
  records: readonly RawRecord[],
  layout: SourceLayout,
  where: (at: number) => string,
): readonly FoundField[] {
  const finder = new FieldFinder({ layout, readsTexts: false, textValues: false, forms: new TextForms({}) });
  for (const raw of records) finder.walk(raw, where);
  return finder.found();
}
