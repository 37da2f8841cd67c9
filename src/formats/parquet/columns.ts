// The columns of a Parquet file: how each type of field is stored, and the value that a column has of a record. The type of
// a column is said before its first value, so that some values do not fit: beyond 64 bits, with more digits than 128 bits
// have, to the nanosecond. Such a value is null in its column, or the nearest instant, and stands whole in the last column.
import type { SchemaElement } from 'hyparquet-writer';
import { isCoreField } from '../../register/finding/chosen-fields.ts';
import { scaledOf } from '../../register/decimal.ts';
import { coreField } from '../../register/fields.ts';
import type { Field, FieldType, RegisterRecord } from '../../register/record.ts';
import { toDateTime } from '../../register/time.ts';
import { checkCount, checkText, checkTime, checkUrl, fieldText } from '../check-value.ts';

/** The name of the last column: JSON with each value that its own column does not hold, as text. No field has this name. */
export const EXACT = '_exact';

/** The digits of a decimal that 128 bits hold, and how many of them are behind the point. */
const PRECISION = 38;
const SCALE = 18;
const MOST_UNITS = 10n ** BigInt(PRECISION);

const MOST_INTEGER = 2n ** 63n;
const MS_PER_DAY = 86_400_000;

/** What a file says of a column of each type. */
const STORED: Readonly<Record<FieldType, Omit<SchemaElement, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  url: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  json: { type: 'BYTE_ARRAY', converted_type: 'JSON', logical_type: { type: 'JSON' } },
  number: { type: 'DOUBLE' },
  integer: { type: 'INT64' },
  decimal: {
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: 16,
    converted_type: 'DECIMAL',
    logical_type: { type: 'DECIMAL', precision: PRECISION, scale: SCALE },
    precision: PRECISION,
    scale: SCALE,
  },
  boolean: { type: 'BOOLEAN' },
  date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  datetime: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
};

/** One column. */
export interface Column {
  readonly element: SchemaElement;
  /**
   * The value of a record; a text may hold lone surrogates.
   *
   * @param keep is given the text of a value that the column does not hold
   * @throws GazetteError `invalid_record`, naming the record and the field
   */
  readonly value: (record: RegisterRecord, keep: (name: string, text: string) => void) => unknown;
}

/** The column of a field. */
export function columnOf(field: Field): Column {
  const { name, type } = field;
  const nullable = isCoreField(field) ? coreField(field.name).nullable : true;
  return {
    element: elementOf(name, type, nullable),
    value: isCoreField(field)
      ? (record, keep) => {
          const value = record[field.name];
          if (value === null && nullable) return null;
          if (type === 'integer') return BigInt(checkCount(record, name, value));
          if (type === 'datetime') return micros(name, checkTime(record, name, value), keep);
          return type === 'url' ? checkUrl(record, name, value) : checkText(record, name, value);
        }
      : (record, keep) => ownValue(record, field, keep),
  };
}

/** The element of a column. */
export function elementOf(name: string, type: FieldType, nullable = true): SchemaElement {
  return { name, repetition_type: nullable ? 'OPTIONAL' : 'REQUIRED', ...STORED[type] };
}

function ownValue(record: RegisterRecord, field: Field, keep: (name: string, text: string) => void): unknown {
  const { name, type } = field;
  const value = record.data[name];
  if (type === 'text' && typeof value === 'string') return value;
  if (type === 'number' && typeof value === 'number') return value;
  // Whatever is null here is missing, and whatever does not fit is refused.
  const text = fieldText(record, field);
  if (text === null) return null;
  switch (type) {
    case 'integer': {
      const integer = BigInt(text);
      if (integer >= -MOST_INTEGER && integer < MOST_INTEGER) return integer;
      keep(name, text);
      return null;
    }
    case 'decimal': {
      const units = unitsOf(text);
      if (units === null) keep(name, text);
      return units;
    }
    case 'boolean':
      return text === 'true';
    case 'date':
      return Date.parse(text) / MS_PER_DAY;
    case 'datetime':
      return micros(name, text, keep);
    default:
      return text;
  }
}

/** A decimal in the units of its column; null if it has more digits. */
function unitsOf(decimal: string): bigint | null {
  const { units, places } = scaledOf(decimal);
  const factor = 10n ** BigInt(Math.abs(SCALE - places));
  const scaled = places <= SCALE ? units * factor : units / factor;
  const isHeld = (places <= SCALE || scaled * factor === units) && scaled < MOST_UNITS && scaled > -MOST_UNITS;
  return isHeld ? scaled : null;
}

/** Microseconds since 1970; digits behind them are kept. A bare date is its midnight UTC. */
function micros(name: string, text: string, keep: (name: string, text: string) => void): bigint {
  const seconds = Date.parse(toDateTime(text).replace(/\.\d+/, ''));
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  if (/[1-9]/.test(fraction.slice(6))) keep(name, text);
  return BigInt(seconds) * 1000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'));
}
