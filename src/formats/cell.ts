// A record as a row of scalars in the order of allFields(), which is what every table format writes. Writers never get
// an object as a cell.
import { allFields } from '../register/fields.ts';
import { isCoreField } from '../register/finding/chosen-fields.ts';
import { decimalOf } from '../register/decimal.ts';
import type { Field, RegisterDefinition, RegisterRecord } from '../register/record.ts';
import { checkCoreFields, invalidValue, jsonText } from './check-value.ts';

/** The value a format writes for one field of one record. */
export type Cell = string | number | boolean | null;

/**
 * The cell of one of the definition's own fields: scalars unchanged, the value of a `json` field and any object as
 * canonical JSON text (RFC 8785), a missing value as null.
 *
 * @throws GazetteError `invalid_record`, naming the record and the field, for values that JSON cannot carry, such as a
 *   database driver's big integer.
 */
export function cellOf(record: RegisterRecord, field: Field): Cell {
  const value: unknown = record.data[field.name];
  switch (typeof value) {
    case 'number':
      // An exact number has no exponent.
      if (field.type === 'decimal') return decimalOf(value) ?? value;
      return field.type === 'json' ? jsonText(record, field, value) : value;
    case 'string':
    case 'boolean':
      return field.type === 'json' ? jsonText(record, field, value) : value;
    case 'object':
      return value === null ? null : jsonText(record, field, value);
    case 'undefined':
      return null;
    default:
      // A field may be called `constructor`: inherited properties are not values of the record.
      if (!Object.hasOwn(record.data, field.name)) return null;
      throw invalidValue(record, `data.${field.name}`, 'a JSON value', value);
  }
}

/**
 * All cells of a record in the order of allFields(), or those of some columns. Writers that must be fast read the core
 * properties themselves.
 *
 * @throws GazetteError `invalid_record`, naming the record and the field.
 */
export function cellsOf(
  definition: RegisterDefinition,
  record: RegisterRecord,
  columns: readonly Field[] = allFields(definition),
): Cell[] {
  checkCoreFields(record);
  return columns.map((field) => anyCellOf(record, field));
}

/** The cell of a core field, or of one of the definition's own. @throws GazetteError as {@link cellOf} does */
export function anyCellOf(record: RegisterRecord, field: Field): Cell {
  return isCoreField(field) ? record[field.name] : cellOf(record, field);
}

/** PostgreSQL and pandas refuse a file with this character, and sqlite3 ends the text before it. */
export const NUL = '\0';

/** The text with U+FFFD for each NUL. */
export function withoutNul(text: string): string {
  return text.replaceAll(NUL, '\ufffd');
}
