// A record as a row of scalars: what every format writes, in the order of allFields(). An object never reaches a writer
// as an object.
import { GazetteError, quote } from '../errors.ts';
import { canonicalJson, type JsonValue } from '../register/canonical-json.ts';
import { CORE_FIELDS, type Field, type RegisterDefinition, type RegisterRecord } from '../register/record.ts';

/** What a format has to write for one field of one record. */
export type Cell = string | number | boolean | null;

/**
 * The cell of one of the definition's own fields: scalars as they are, a `json` field's value and any object as
 * canonical JSON text (RFC 8785), what is absent as null.
 *
 * @throws GazetteError `invalid_record` for what JSON cannot carry, such as a big integer of a database driver.
 */
export function cellOf(field: Field, value: JsonValue | undefined): Cell {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
      return field.type === 'json' ? canonicalJson(value) : value;
    case 'object':
      return value === null ? null : canonicalJson(value);
    case 'bigint':
    case 'symbol':
      throw new GazetteError('invalid_record', `data.${field.name} must be a JSON value, got ${quote(value)}`, {
        details: { field: `data.${field.name}` },
      });
    default:
      // Absent, or what every object inherits: a field may be called `constructor`.
      return null;
  }
}

/** All cells of a record in the order of allFields(). Writers whose speed matters read the core properties themselves. */
export function cellsOf(definition: RegisterDefinition, record: RegisterRecord): Cell[] {
  const cells: Cell[] = CORE_FIELDS.map((field) => record[field.name]);
  for (const field of definition.fields) cells.push(cellOf(field, record.data[field.name]));
  return cells;
}
