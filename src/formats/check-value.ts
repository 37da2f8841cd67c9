// The last check of a value before it is written as its declared type. Records from gazette's own stores always pass;
// other sources may return anything, and a file must not contradict its own schema.
import { GazetteError, isGazetteError, quote } from '../errors.ts';
import { canonicalJson, type JsonValue } from '../register/canonical-json.ts';
import { decimalOf, EXPECTED_DECIMAL } from '../register/decimal.ts';
import { CORE_FIELDS } from '../register/fields.ts';
import type { CoreFieldName, CoreValue, Field, FieldType, RegisterRecord } from '../register/record.ts';
import { isDate, isDateTime } from '../register/time.ts';
import { numberText } from './number-text.ts';
import type { DocumentHead } from './format.ts';
import type { Report } from './report.ts';

/** What every link and source must begin with; the XML schema has the same pattern. */
const HTTP = /^https?:\/\/\S/i;
/** `xs:integer` (XML Schema 1.0 part 2, 3.3.13), of any length. */
const INTEGER = /^-?\d+$/;

/** What is checked of a core field. */
export interface CoreCheck {
  readonly name: CoreFieldName;
  readonly type: FieldType;
  readonly nullable: boolean;
  readonly values: readonly string[] | null;
  /** Its place among the values of a record. */
  readonly at: number;
}

/** What is checked of each core field, in objects of one shape because every record reads them. */
export const CORE_CHECKS: readonly CoreCheck[] = CORE_FIELDS.map(({ name, type, nullable, values = null }, at) => {
  return { name, type, nullable, values, at };
});

const EXPECTED_TIME = 'a date (2026-04-17) or an RFC 3339 date-time (2026-04-17T08:12:44Z)';
const EXPECTED_URL = 'an absolute http(s) URL';

const EXPECTED: Readonly<Record<Exclude<FieldType, 'json'>, string>> = {
  text: 'text',
  number: 'a number',
  decimal: EXPECTED_DECIMAL,
  integer: 'a whole number, as text of digits beyond 9007199254740991',
  boolean: 'true or false',
  date: 'a date such as 2026-04-17',
  datetime: EXPECTED_TIME,
  url: EXPECTED_URL,
};

/** @throws GazetteError `invalid_record` unless the record's id is a non-empty text. */
export function checkId(record: RegisterRecord): string {
  const id: unknown = record.id;
  if (typeof id === 'string' && id !== '') return id;
  throw invalidValue(record, 'id', 'text that is not empty', id);
}

/**
 * Checks what every table relies on in core fields: an id, texts, counts, and null only where it is allowed.
 *
 * @throws GazetteError `invalid_record`, naming the record, the field and what was expected.
 */
export function checkCoreFields(record: RegisterRecord): void {
  checkId(record);
  for (const { name, type, nullable } of CORE_CHECKS) {
    const value = record[name];
    if (value === null && nullable) continue;
    if (type === 'integer') checkCount(record, name, value);
    else checkText(record, name, value);
  }
}

/** @throws GazetteError `invalid_record` unless `value` is text. */
export function checkText(record: RegisterRecord, field: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw invalidValue(record, field, 'text', value);
}

/** @throws GazetteError `invalid_record` unless `value` is a date or an RFC 3339 date-time. */
export function checkTime(record: RegisterRecord, field: string, value: unknown): string {
  if (isTime(value)) return value;
  throw invalidValue(record, field, EXPECTED_TIME, value);
}

/** @throws GazetteError `invalid_record` unless `value` begins like an absolute http(s) URL and has no line break. */
export function checkUrl(record: RegisterRecord, field: string, value: unknown): string {
  if (isUrl(value)) return value;
  throw invalidValue(record, field, EXPECTED_URL, value);
}

/** @throws GazetteError `invalid_record` unless `value` is a whole number from 1. */
export function checkCount(record: RegisterRecord, field: string, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  throw invalidValue(record, field, 'a whole number from 1', value);
}

/**
 * The value of a core field as the text of its XML Schema type, not escaped; null if the record has none.
 *
 * @throws GazetteError `invalid_record`, naming the record, the field and what was expected.
 */
export function coreText(record: RegisterRecord, field: CoreCheck, value: CoreValue): string | null {
  const { name, type, nullable, values } = field;
  if (value === null && nullable) return null;
  if (type === 'datetime') return checkTime(record, name, value);
  if (type === 'url') return checkUrl(record, name, value);
  if (type === 'integer') return numberText(checkCount(record, name, value));
  if (values === null) return checkText(record, name, value);
  if (typeof value === 'string' && values.includes(value)) return value;
  throw invalidValue(record, name, values.map((one) => `"${one}"`).join(' or '), value);
}

/** The date of the last change in a head. @throws GazetteError `internal_error` when a source gives an invalid date. */
export function checkLastChange({ definition, lastChange }: DocumentHead): string | null {
  if (lastChange === null || isDateTime(lastChange) || isDate(lastChange)) return lastChange;
  throw new GazetteError(
    'internal_error',
    `register ${definition.id}: lastChange must be a date or an RFC 3339 date-time, got ${quote(lastChange)}`,
  );
}

/**
 * The value of one of the definition's own fields as the text of its XML Schema type, not escaped; null if the record
 * has none. Numbers are `xs:double` (including -0, NaN, INF and -INF), `json` is canonical JSON.
 *
 * @throws GazetteError `invalid_record`, naming the record, the field and what was expected.
 */
export function fieldText(record: RegisterRecord, field: Field): string | null {
  const { type, name } = field;
  const value: unknown = record.data[name];
  switch (type) {
    case 'text':
      if (typeof value === 'string') return value;
      break;
    case 'number':
      if (typeof value === 'number') return doubleText(value);
      break;
    case 'decimal': {
      const decimal = decimalOf(value);
      if (decimal !== null) return decimal;
      break;
    }
    case 'integer':
      if (typeof value === 'number' && Number.isSafeInteger(value)) return `${value}`;
      if (typeof value === 'string' && INTEGER.test(value)) return value;
      break;
    case 'boolean':
      if (typeof value === 'boolean') return value ? 'true' : 'false';
      break;
    case 'date':
      if (typeof value === 'string' && isDate(value)) return value;
      break;
    case 'datetime':
      if (isTime(value)) return value;
      break;
    case 'url':
      if (isUrl(value)) return value;
      break;
    case 'json':
      break;
  }
  // A field may be called `constructor`: inherited properties are not values of the record.
  if (value === null || value === undefined || !Object.hasOwn(record.data, name)) return null;
  if (type === 'json') return jsonText(record, field, value);
  throw invalidValue(record, `data.${name}`, EXPECTED[type], value);
}

/**
 * A value of one of the definition's own fields as canonical JSON (RFC 8785).
 *
 * @throws GazetteError `invalid_record`, naming the record and the field, for values that JSON cannot carry.
 */
export function jsonText(record: RegisterRecord, { name }: Field, value: unknown): string {
  try {
    return canonicalJson(value as JsonValue);
  } catch (cause) {
    if (!isGazetteError(cause)) throw cause;
    throw new GazetteError('invalid_record', `${nameOf(record)}: data.${name}: ${cause.message}`, {
      cause,
      details: { id: idOf(record), field: `data.${name}`, expected: 'a JSON value' },
    });
  }
}

/**
 * A value of one of the definition's own fields as JSON with its nested values; `null` where the record has none. NaN and the
 * infinities, which JSON does not have (RFC 8259 6), become texts, which the report counts.
 *
 * @throws GazetteError `invalid_record` as {@link jsonText}
 */
export function ownJson(record: RegisterRecord, field: Field, report: Report | undefined): string {
  // A field may be called `constructor`: inherited properties are not values of the record.
  const value = Object.hasOwn(record.data, field.name) ? (record.data[field.name] ?? null) : null;
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'number' || Number.isFinite(value)) return jsonText(record, field, value);
  report?.add('value_as_text', record.id);
  return `"${value}"`;
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && (value.length === 10 ? isDate(value) : isDateTime(value));
}

/** Less than the full check of isHttpUrl(), which would take as long as writing the record. */
function isUrl(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  // Nearly all URLs begin like this; the regular expression takes twice as long.
  const begins =
    (value.startsWith('https://') && value.charCodeAt(8) > 0x20 && value.charCodeAt(8) < 0x7f) || HTTP.test(value);
  return begins && !value.includes('\n') && !value.includes('\r');
}

/** The error for a value that does not fit its field's declared type. */
export function invalidValue(record: RegisterRecord, field: string, expected: string, got: unknown): GazetteError {
  const shown = got === undefined ? 'nothing' : quote(got);
  return new GazetteError('invalid_record', `${nameOf(record)}: ${field} must be ${expected}, got ${shown}`, {
    details: { id: idOf(record), field, expected },
  });
}

/** How messages name a record: by its id, or without one by its position if known. */
function nameOf(record: RegisterRecord): string {
  const id = idOf(record);
  if (id !== null) return `record ${quote(id)}`;
  return typeof record.position === 'number' ? `the record at position ${record.position}` : 'a record';
}

function idOf({ id }: RegisterRecord): string | null {
  return typeof id === 'string' && id !== '' ? id : null;
}

/** XML Schema 1.0 part 2, 3.2.5: the lexical forms of a double. */
/** A number as `xs:double` (XML Schema 2, 3.2.5). */
export function doubleText(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0' : numberText(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'INF' : '-INF';
}
