// Converts the input of a publisher or an embedder to a record, or says which field is wrong and what was expected. It
// is strict on purpose: a value is never guessed, trimmed or coerced, and a missing date is never replaced by another
// date.
import { isObject } from '../checks.ts';
import { GazetteError, quote } from '../errors.ts';
import { canonicalJson, type JsonValue } from './canonical-json.ts';
import { decimalOf, EXPECTED_DECIMAL } from './decimal.ts';
import { CORE_AT, CORE_FIELDS } from './fields.ts';
import { isRecordId, recordId, recordIdOrNull, recordKey } from './identity.ts';
import { coreValues, type Field, recordOfValues, type RegisterDefinition, type RegisterRecord } from './record.ts';
import { isDate, isDateTime } from './time.ts';
import { isHttpUrl } from './url.ts';

/**
 * A record as input: omitted members are null, `version` is 1, the content is plain text. Its `id` is the publisher's key, or
 * an id of this register in gazette's form (`<feed_id>:<key>`); `feed_id` beside it must be that of the id, and so must `key`
 * unless the id is in gazette's form: then it is the key that the record has by now.
 * `position` is ignored: the register assigns its own. `data` has the values of the register's own fields, by name.
 */
export interface RecordInput
  extends
    Pick<RegisterRecord, 'id' | 'title' | 'source_url' | 'observed_at'>,
    Partial<Omit<RegisterRecord, 'id' | 'title' | 'source_url' | 'observed_at' | 'key' | 'data'>> {
  /** The publisher's key, if the record states it beside the id. */
  readonly key?: string | null;
  /** The values of the register's own fields, by name. */
  readonly data?: Readonly<Record<string, JsonValue | undefined>>;
}

type RecordContext = Parameters<typeof toRecord>[2];

/**
 * A checked {@link RegisterRecord}. The definition's fields come out in its order, absent ones as null; members of
 * `data` that the definition does not declare are left out (imports count and report them).
 *
 * @param context.where where the record came from, for messages: `line 7`, `record 12`, `vulnerabilities[3]`
 * @param context.position the record's place in the register; the input's own `position` is ignored
 * @throws GazetteError `invalid_record`, naming the record's place, the field and what was expected.
 */
export function toRecord(
  definition: RegisterDefinition,
  input: RecordInput,
  context: { readonly where: string; readonly position: number | null },
): RegisterRecord {
  const raw: unknown = input;
  if (!isObject(raw)) throw invalid(context, 'record', 'an object', raw);
  if (raw.feed_id !== undefined && raw.feed_id !== definition.id) {
    throw invalid(context, 'feed_id', `${quote(definition.id)} or absent`, raw.feed_id);
  }
  const id = checkId(definition, raw.id, context);
  const key = checkKey(definition, id, raw, context);
  const version = checkVersion(raw.version, context);
  const values = coreValues(input as RegisterRecord);
  for (const check of CHECKS) values[check.at] = checkCore(check, values[check.at], context);
  values[CORE_AT.id] = id;
  values[CORE_AT.feed_id] = definition.id;
  values[CORE_AT.key] = key;
  values[CORE_AT.version] = version;
  values[CORE_AT.position] = context.position;
  return recordOfValues(values, checkData(definition, raw.data, context));
}

/** The fields that are checked one by one, because they do not depend on the register. */
const CHECKED = CORE_FIELDS.filter(({ name, type }) => !['id', 'feed_id', 'key'].includes(name) && type !== 'integer');

/** What is checked of them, in objects of one shape because every record of an import reads them. */
const CHECKS = CHECKED.map(({ name, type, nullable, values = null, maxBytes = null }) => {
  return { name, at: CORE_AT[name], type, nullable, values, maxBytes };
});
type Check = (typeof CHECKS)[number];

/** The value of a field that the publisher states. Of a field with a few values, the first is the default. */
function checkCore(field: Check, value: unknown, context: RecordContext): string | null {
  const { name, type, nullable, values } = field;
  if (values !== null) {
    if (value === undefined) return values[0]!;
    if (typeof value === 'string' && values.includes(value)) return value;
    throw invalid(context, name, values.map((one) => `"${one}"`).join(' or '), value);
  }
  if (nullable && absent(value)) return null;
  if (type === 'datetime') return checkTime(value, name, context);
  if (type === 'url') return checkUrl(value, name, context);
  if (!nullable) return required(value, name, context);
  if (typeof value !== 'string') throw invalid(context, name, 'text or null', value);
  return checkLength(value, field, context);
}

function checkId(definition: RegisterDefinition, value: unknown, context: RecordContext): string {
  if (typeof value !== 'string' || value === '') {
    throw invalid(context, 'id', 'the publisher’s key, as text that is not empty', value);
  }
  if (isRecordId(definition.id, value)) return value;
  try {
    return recordId(definition.id, value);
  } catch (cause) {
    throw cause instanceof GazetteError
      ? new GazetteError('invalid_record', `${context.where}: ${cause.message}`, {
          cause,
          details: { where: context.where, field: 'id' },
        })
      : cause;
  }
}

function checkKey(
  definition: RegisterDefinition,
  id: string,
  raw: Readonly<Record<string, unknown>>,
  context: RecordContext,
): string {
  const key = recordKey(id);
  if (absent(raw.key) || raw.key === key) return key;
  if (raw.id === id && typeof raw.key === 'string' && recordIdOrNull(definition.id, raw.key) !== null) return raw.key;
  const expected = raw.id === id ? 'a key of 1..200 characters once encoded' : `${quote(key)}, as in the id`;
  throw invalid(context, 'key', `${expected}, or absent`, raw.key);
}

function checkLength(text: string, { name, maxBytes }: Check, context: RecordContext): string {
  // A UTF-16 unit is at most three bytes of UTF-8, so most texts need no counting.
  if (maxBytes !== null && text.length * 3 > maxBytes) {
    const bytes = new TextEncoder().encode(text).length;
    if (bytes > maxBytes) {
      throw new GazetteError(
        'invalid_record',
        `${context.where}: ${name} must be at most ${maxBytes} bytes of UTF-8, got ${bytes}`,
        { details: { where: context.where, field: name } },
      );
    }
  }
  return text;
}

function checkUrl(value: unknown, field: string, context: RecordContext): string {
  if (typeof value === 'string' && isHttpUrl(value)) return value;
  throw invalid(context, field, 'an absolute http(s) URL', value);
}

function checkTime(value: unknown, field: string, context: RecordContext): string {
  if (typeof value !== 'string' || !(isDate(value) || isDateTime(value))) {
    throw invalid(context, field, 'a date (2026-04-17) or an RFC 3339 date-time (2026-04-17T08:12:44Z)', value);
  }
  return value;
}

function checkVersion(value: unknown, context: RecordContext): number {
  if (value === undefined) return 1;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) {
    throw invalid(context, 'version', 'a whole number from 1', value);
  }
  return value;
}

function checkData(definition: RegisterDefinition, value: unknown, context: RecordContext): RegisterRecord['data'] {
  if (!absent(value) && !isObject(value)) throw invalid(context, 'data', 'an object', value);
  const given = value ?? {};
  const data: Record<string, JsonValue> = {};
  for (const field of definition.fields) {
    const item = Object.hasOwn(given, field.name) ? given[field.name] : undefined;
    data[field.name] = absent(item) ? null : checkFieldValue(field, item, context);
  }
  return data;
}

function checkFieldValue(field: Field, value: unknown, context: RecordContext): JsonValue {
  const name = `data.${field.name}`;
  switch (field.type) {
    case 'text':
      if (typeof value === 'string') return value;
      throw invalid(context, name, 'text', value);
    case 'number':
      if (typeof value === 'number') return value;
      throw invalid(context, name, 'a number', value);
    case 'decimal': {
      const decimal = decimalOf(value);
      if (decimal !== null) return decimal;
      throw invalid(context, name, EXPECTED_DECIMAL, value);
    }
    case 'integer':
      if (typeof value === 'number' && Number.isSafeInteger(value)) return noMinusZero(value);
      if (typeof value === 'bigint') return toInteger(String(value));
      if (typeof value === 'string' && /^-?(?:0|[1-9]\d*)$/.test(value)) return toInteger(value);
      throw invalid(context, name, 'a whole number, as text of digits beyond 9007199254740991', value);
    case 'boolean':
      if (typeof value === 'boolean') return value;
      throw invalid(context, name, 'true or false', value);
    case 'date':
      if (typeof value === 'string' && isDate(value)) return value;
      throw invalid(context, name, 'a date such as 2026-04-17', value);
    case 'datetime':
      return checkTime(value, name, context);
    case 'url':
      return checkUrl(value, name, context);
    case 'json':
      return checkJson(value, name, context);
  }
}

/** Digits in the canonical form of an integer: a number while it is safe, otherwise text. */
function toInteger(digits: string): number | string {
  const number = noMinusZero(Number(digits));
  return Number.isSafeInteger(number) ? number : digits;
}

/** Integers have only one zero. */
function noMinusZero(number: number): number {
  return number === 0 ? 0 : number;
}

/** A copy of a JSON value, so that later changes by the caller do not change the record. */
function checkJson(value: unknown, name: string, context: RecordContext): JsonValue {
  try {
    return JSON.parse(canonicalJson(value as JsonValue)) as JsonValue;
  } catch (cause) {
    throw new GazetteError('invalid_record', `${context.where}: ${name} must be a JSON value`, {
      cause,
      details: { where: context.where, field: name },
    });
  }
}

function required(value: unknown, field: string, context: RecordContext): string {
  if (typeof value !== 'string' || value === '') throw invalid(context, field, 'text that is not empty', value);
  return value;
}

function absent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

function invalid(context: RecordContext, field: string, expected: string, got: unknown): GazetteError {
  const shown = got === undefined ? 'nothing' : typeof got === 'bigint' ? `${got}` : quote(got);
  return new GazetteError('invalid_record', `${context.where}: ${field} must be ${expected}, got ${shown}`, {
    details: { where: context.where, field },
  });
}
