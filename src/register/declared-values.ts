// What readers see of a statement's own values: those that the definition declares, in the types it declares. The
// statement itself is kept as the publisher gave it (a table gives text), so a new definition shows the same statements
// in another way and changes none of them.
import type { JsonValue } from './canonical-json.ts';
import { decimalOf, isDecimal } from './decimal.ts';
import type { Field, FieldType, RegisterRecord } from './record.ts';
import { isDate, isDateTime } from './time.ts';
import { isHttpUrl } from './url.ts';

/** RFC 8259 6. Only the publisher could tell what thousands separators, decimal commas and plus signs mean. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The beginning of an absolute http(s) URL. */
const HTTP = /^https?:\/\/\S/i;

const INTEGER = /^-?(?:0|[1-9]\d*)$/;

/** The own values of a record or a statement, by name. */
type Data = RegisterRecord['data'];

/** Whether a value is an empty text where only something else makes sense: in JSON, many write one for no value. */
export function isNoValue(type: FieldType, value: unknown): boolean {
  return value === '' && type !== 'text' && type !== 'json';
}

/**
 * The value that a field shows for a value of a statement; undefined where it does not fit the field's type. Text that
 * states a number or a boolean fits those types, and a number fits `text`. Null fits every type; an empty text is null in
 * all but `text` and `json`.
 *
 * @example showValue({ name: 'area', label: 'Area', type: 'number' }, '12.5') // 12.5
 */
export function showValue({ type }: Pick<Field, 'type'>, value: JsonValue): JsonValue | undefined {
  if (value === null || isNoValue(type, value)) return null;
  switch (type) {
    case 'text':
      return typeof value === 'object' ? undefined : String(value);
    case 'number':
      return typeof value === 'string' ? numberIn(value) : typeof value === 'number' ? value : undefined;
    case 'decimal':
      return decimalOf(value) ?? undefined;
    case 'integer':
      return integerIn(value);
    case 'boolean':
      if (typeof value === 'boolean') return value;
      // Spreadsheets save TRUE and FALSE.
      return value === 'true' || value === 'TRUE' ? true : value === 'false' || value === 'FALSE' ? false : undefined;
    case 'url':
      return typeof value === 'string' && isHttpUrl(value) ? value : undefined;
    case 'json':
      return value;
    default:
      return isShown(type, value) ? value : undefined;
  }
}

/** The names under which statements hold a field's values, in the order in which they are looked for. */
export function statementNames({ name, source_names }: Pick<Field, 'name' | 'source_names'>): readonly string[] {
  return source_names === undefined ? [name] : [name, ...source_names];
}

/** The value that a statement holds for a field, as the publisher gave it; null if there is none. */
export function statedValue(field: Pick<Field, 'name' | 'source_names'>, data: Data): JsonValue {
  const value = ownValue(data, field.name);
  if (value !== null || field.source_names === undefined) return value;
  const name = field.source_names.find((other) => ownValue(data, other) !== null);
  return name === undefined ? null : ownValue(data, name);
}

function ownValue(data: Data, name: string): JsonValue {
  return (Object.hasOwn(data, name) ? data[name] : null) ?? null;
}

/**
 * What readers see of a statement's own values: one value for each field, in the order of the fields, null where the
 * statement has none or one that does not fit. Values that need no conversion are returned in the object they came in.
 * The values passed {@link showValue} when they were taken in; here a `url` is only checked for its beginning.
 */
export function showData(fields: readonly Field[], data: Data): Data {
  return isShownAsItIs(fields, data) ? data : convert(fields, data);
}

function isShownAsItIs(fields: readonly Field[], data: Data): boolean {
  let at = 0;
  // JSON.parse makes plain objects: all enumerable names are their own.
  for (const name in data) {
    const field = fields[at++];
    if (field?.name !== name || !isShown(field.type, data[name]!)) return false;
  }
  return at === fields.length;
}

function convert(fields: readonly Field[], data: Data): Data {
  const shown: Record<string, JsonValue> = {};
  for (const field of fields) {
    shown[field.name] = shownValue(field, statedValue(field, data));
  }
  return shown;
}

/** What a field shows of the value that a statement holds for it: null where it does not fit. */
export function shownValue(field: Pick<Field, 'type'>, value: JsonValue): JsonValue {
  return isShown(field.type, value) ? value : (showValue(field, value) ?? null);
}

/** Whether a field of this type shows the value unchanged. By the value's type first, which halves the time. */
function isShown(type: FieldType, value: JsonValue): boolean {
  if (value === null || type === 'json') return true;
  switch (typeof value) {
    case 'string':
      return type === 'text' || isShownText(type, value);
    case 'number':
      return type === 'number' || (type === 'integer' && Number.isSafeInteger(value));
    default:
      return type === 'boolean' && typeof value === 'boolean';
  }
}

function isShownText(type: FieldType, text: string): boolean {
  switch (type) {
    case 'date':
      return isDate(text);
    case 'datetime':
      return text.length === 10 ? isDate(text) : isDateTime(text);
    case 'decimal':
      return isDecimal(text);
    case 'url':
      return beginsLikeUrl(text);
    default:
      // Only integers that a double does not hold are text, in their shortest form.
      return type === 'integer' && integerIn(text) === text;
  }
}

function beginsLikeUrl(text: string): boolean {
  // Nearly all URLs begin like this; the regular expression takes several times as long.
  const isPlain = text.startsWith('https://') && text.charCodeAt(8) > 0x20 && text.charCodeAt(8) < 0x7f;
  return (isPlain || HTTP.test(text)) && !text.includes('\n') && !text.includes('\r');
}

function numberIn(text: string): number | undefined {
  const number = NUMBER.test(text) ? Number(text) : NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** A number while it is safe, otherwise the text of its digits. Integers have only one zero. */
function integerIn(value: JsonValue): number | string | undefined {
  const isInteger = typeof value === 'string' ? INTEGER.test(value) : Number.isSafeInteger(value);
  if (!isInteger) return undefined;
  const number = Number(value) + 0;
  return Number.isSafeInteger(number) ? number : (value as string);
}
