// The fields of a file that can be read twice, found from all records in a pass of their own.
import { defineRegister } from '../../register/definition.ts';
import type { FieldType } from '../../register/record.ts';
import type { FoundField } from '../mapping/columns.ts';
import { type MappingRule, resolveTargets } from '../mapping/mapping.ts';
import { ImportPlan } from '../mapping/plan.ts';
import { type TextFormOptions, TextForms } from '../mapping/text-forms.ts';
import type { RecordReader } from '../readers/raw-record.ts';

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
  const plan = new ImportPlan({
    reader,
    rules: resolveTargets(options.mapping ?? [], null),
    definition: ANY,
    fields: 'while reading',
    forms: new TextForms(options),
    ...(options.types === undefined ? {} : { types: options.types }),
  });
  for await (const { records } of reader.batches(options.signal)) {
    for (const { value, at, fault } of records) if (fault === undefined) plan.learn(value, plan.where(at));
  }
  return plan.found() ?? [];
}

/** The register is of no matter. */
const ANY = defineRegister({ id: 'records', title: 'records', created_at: '1970-01-01T00:00:00Z' });
