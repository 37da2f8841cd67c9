// Columns that are named as fields of every record are: what they became is said, because readers see other names.
import { quote } from '../../errors.ts';
import { RESERVED_FIELD_NAMES } from '../../register/fields.ts';
import type { Field } from '../../register/record.ts';
import type { ReaderNote } from '../readers/reader-note.ts';

/** Which of the fields found in a file have the name of a core field there; none: nothing is to be said. */
export function coreNameNotes(fields: readonly Pick<Field, 'name' | 'label'>[]): readonly ReaderNote[] {
  const renamed = fields.filter(({ label }) => RESERVED_FIELD_NAMES.has(label));
  if (renamed.length === 0) return [];
  const names = renamed.map(({ name, label }) => `${quote(label)} becomes the field ${name}`).join(', ');
  return [{ code: 'field_names', message: `every record has fields of these names already: ${names}` }];
}
