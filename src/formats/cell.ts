// A record as a row of scalars: what every format writes, in the order of allFields(). An object never reaches a writer
// as an object.
import { CORE_FIELDS } from '../register/fields.ts';
import type { Field, RegisterDefinition, RegisterRecord } from '../register/record.ts';
import { checkCoreFields, invalidValue, jsonText } from './check-value.ts';

/** What a format has to write for one field of one record. */
export type Cell = string | number | boolean | null;

/**
 * The cell of one of the definition's own fields: scalars as they are, a `json` field's value and any object as
 * canonical JSON text (RFC 8785), what is absent as null.
 *
 * @throws GazetteError `invalid_record`, naming the record and the field, for what JSON cannot carry, such as a big
 *   integer of a database driver.
 */
export function cellOf(record: RegisterRecord, field: Field): Cell {
  const value: unknown = record.data[field.name];
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
      return field.type === 'json' ? jsonText(record, field, value) : value;
    case 'object':
      return value === null ? null : jsonText(record, field, value);
    case 'undefined':
      return null;
    default:
      // A field may be called `constructor`: what every object inherits is no value of the record.
      if (!Object.hasOwn(record.data, field.name)) return null;
      throw invalidValue(record, `data.${field.name}`, 'a JSON value', value);
  }
}

/**
 * All cells of a record in the order of allFields(). Writers whose speed matters read the core properties themselves.
 *
 * @throws GazetteError `invalid_record`, naming the record and the field.
 */
export function cellsOf(definition: RegisterDefinition, record: RegisterRecord): Cell[] {
  checkCoreFields(record);
  const cells: Cell[] = CORE_FIELDS.map((field) => record[field.name]);
  for (const field of definition.fields) cells.push(cellOf(record, field));
  return cells;
}
