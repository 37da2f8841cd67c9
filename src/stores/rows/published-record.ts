// A record as the publisher stated it, without what the register adds (position, version, its own times). Its canonical
// JSON (RFC 8785) is what every version commits to (commitment.ts), and decides whether anything changed.
import { GazetteError, quote } from '../../errors.ts';
import { canonicalJson, type JsonValue } from '../../register/canonical-json.ts';
import { isSameNumber } from '../../register/decimal.ts';
import { CORE_AT, CORE_FIELDS, coreField, STATED_FIELDS } from '../../register/fields.ts';
import { recordKey } from '../../register/identity.ts';
import { type CoreValue, coreValues, type Field, recordOfValues, type RegisterRecord } from '../../register/record.ts';
import { showValue, statementNames } from '../../register/declared-values.ts';
import type { PublishedRecord } from '../contract/prepared-record.ts';

/**
 * The statement of a checked record.
 *
 * @param observedAtIsStated whether `observed_at` is the publisher's; false when the importer used its own time.
 * @param data all own values as the publisher gave them; by default those of the record.
 * @example toPublishedRecord(toRecord(definition, input, context), input.observed_at !== undefined)
 */
export function toPublishedRecord(
  record: RegisterRecord,
  observedAtIsStated: boolean,
  data: PublishedRecord['data'] = record.data,
): PublishedRecord {
  const values: (CoreValue | undefined)[] = coreValues(record);
  for (const at of ADDED_AT) values[at] = undefined;
  // Nearly always the id is written as the key is, which is found out at once.
  const { id, feed_id, key } = record;
  const isOwn = id.length === feed_id.length + 1 + key.length && id.endsWith(key) && !key.includes('~');
  if (!isOwn && key !== recordKey(id)) values[CORE_AT.key] = key;
  if (!observedAtIsStated) values[CORE_AT.observed_at] = null;
  return recordOfValues(values, data);
}

/**
 * The places of the fields that the register adds. A statement has them as undefined members: an object of the shape of
 * records is made in a tenth of the time.
 */
const ADDED_AT = CORE_FIELDS.filter(({ name, column }) => column === null && name !== 'id' && name !== 'feed_id').map(
  ({ name }) => CORE_AT[name],
);

/**
 * The statement's canonical JSON: `id`, `key` where it is another than that of the id, the stated fields and `data`. Members that
 * are null are left out (absent and null mean the same), and so is `feed_id`, which the id contains.
 */
export function canonicalStatement(statement: PublishedRecord): string {
  return canonicalText(statedValues(statement), canonicalData(statement.data));
}

/**
 * The same, of a statement whose own values are already canonical JSON.
 *
 * @param values as {@link statedValues} has them
 */
export function canonicalText(values: readonly unknown[], data: string): string {
  // canonicalJson() of the members, written in their order, which takes half the time.
  let text = '';
  for (const { at, begin } of MEMBERS) {
    const value = at === null ? data : values[at];
    if (value != null) text += (text === '' ? '{' : ',') + begin + (at === null ? data : JSON.stringify(value));
  }
  return `${text}}`;
}

/** The values of a statement, in the order of the table of core fields. */
export function statedValues(statement: PublishedRecord): readonly (string | null)[] {
  return coreValues(statement as RegisterRecord) as readonly (string | null)[];
}

/** The members of a statement in the order of their canonical JSON, each with the text before its value. */
const MEMBERS = (['id', 'key', ...STATED_FIELDS, 'data'] as const)
  .toSorted((a, b) => (a < b ? -1 : 1))
  .map((name) => ({ at: name === 'data' ? null : CORE_AT[name], begin: `"${name}":` }));

/** The stated fields that may contain any text, and where the values have them. */
const TEXTS = STATED_FIELDS.map(coreField)
  .filter(({ type, values }) => type !== 'datetime' && values === undefined)
  .map(({ name }) => ({ name, at: CORE_AT[name] }));

/** An escape that JSON.stringify writes for lone surrogates alone, behind whole escapes of backslashes. */
const LONE_SURROGATE = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

/**
 * Checks that a statement has a canonical JSON.
 *
 * @param where names it in messages
 * @returns the canonical JSON of its own values
 * @throws GazetteError `invalid_record` for a value that JSON cannot represent, and for a lone surrogate, which RFC 8785
 *   has no form for.
 */
export function checkStatement(statement: PublishedRecord, where = `record ${quote(statement.id)}`): string {
  const values = statedValues(statement);
  for (const { name, at } of TEXTS) if (values[at]?.isWellFormed() === false) throw loneSurrogate(where, name);
  const data = canonicalData(statement.data);
  // Members that are null are not in the text, but their names are stored.
  const names = Object.keys(statement.data);
  if (data.includes('\\ud') || !names.every((name) => name.isWellFormed())) checkData(statement.data, where);
  return data;
}

function checkData(data: PublishedRecord['data'], where: string): void {
  for (const [name, value] of Object.entries(data)) {
    const isSound = name.isWellFormed() && !LONE_SURROGATE.test(canonicalJson(value ?? null));
    if (!isSound) throw loneSurrogate(where, `data.${name}`);
  }
}

function loneSurrogate(where: string, field: string): GazetteError {
  // quote() escapes what a field's name may contain.
  const name = quote(field).slice(1, -1);
  return new GazetteError('invalid_record', `${where}: ${name} must be Unicode text, got a lone surrogate in it`, {
    details: { where, field },
  });
}

function canonicalData(data: PublishedRecord['data']): string {
  let text = '';
  for (const [name, member] of membersOf(data)) {
    const value = data[name] ?? null;
    if (value !== null) text += `${text === '' ? '' : ','}${member}${canonicalJson(value)}`;
  }
  return `{${text}}`;
}

/** The names of the last data, and, sorted, each with how its member begins: most records of a file have the same. */
let lastNames: readonly string[] = [];
let lastMembers: readonly (readonly [name: string, member: string])[] = [];

function membersOf(data: PublishedRecord['data']): typeof lastMembers {
  const names = Object.keys(data);
  if (names.length !== lastNames.length || names.some((name, at) => name !== lastNames[at])) {
    lastNames = names;
    lastMembers = names.toSorted().map((name) => [name, `${JSON.stringify(name)}:`]);
  }
  return lastMembers;
}

/**
 * The fields in which two statements differ: names of core fields, `key` among them, and `data.x` for own values, sorted. What the formats
 * of files write differently is the same, so that a file in another format changes nothing: a value and its text, an
 * absent value and an empty text, `TRUE` and `true` of a boolean, `12.50` and `12.5` of a number. But not where a field
 * shows JSON as it is, and two texts of a decimal must have the same zeros.
 *
 * @param fields the definition's.
 */
export function changedFields(
  older: PublishedRecord,
  newer: PublishedRecord,
  fields: readonly Field[],
): readonly string[] {
  const changed: string[] = STATED_FIELDS.filter((name) =>
    isAbsent(older[name]) ? !isAbsent(newer[name]) : older[name] !== newer[name],
  );
  if ((older.key ?? null) !== (newer.key ?? null)) changed.push('key');
  const others = new Set([...Object.keys(older.data), ...Object.keys(newer.data)]);
  for (const field of fields) {
    if (field.source_names !== undefined && !isHeldAlike(field, older.data, newer.data))
      changed.push(`data.${field.name}`);
    // The names of a renamed field are one.
    if (field.source_names !== undefined) for (const name of statementNames(field)) others.delete(name);
  }
  for (const name of others) {
    const [before, now] = [memberOf(older.data, name), memberOf(newer.data, name)];
    if (before === now) continue;
    const field = fields.find((declared) => declared.name === name);
    if (!isSame(before, now, field)) changed.push(`data.${name}`);
  }
  return changed.sort();
}

/** Whether two statements hold the same values for a field, under whichever of its names. */
function isHeldAlike(field: Field, older: PublishedRecord['data'], newer: PublishedRecord['data']): boolean {
  const [before, now] = [older, newer].map((data) => {
    return statementNames(field)
      .map((name) => memberOf(data, name))
      .filter((value) => !isAbsent(value));
  });
  return before!.length === now!.length && before!.every((value, index) => isSame(value, now![index]!, field));
}

function memberOf(data: PublishedRecord['data'], name: string): JsonValue {
  return (Object.hasOwn(data, name) ? data[name] : null) ?? null;
}

function isSame(a: JsonValue, b: JsonValue, field: Field | undefined): boolean {
  if (canonicalJson(a) === canonicalJson(b)) return true;
  if (field?.type === 'json') return false;
  if (isAbsent(a) || isAbsent(b)) return isAbsent(a) && isAbsent(b);
  const areTexts = typeof a === 'string' && typeof b === 'string';
  if (field === undefined) {
    const isTextOfOther = !areTexts && (typeof a === 'string' || typeof b === 'string');
    return isTextOfOther && isSameJson(jsonIn(a), jsonIn(b));
  }
  // Lists and objects fit no other type.
  if (typeof a === 'object' || typeof b === 'object') return false;
  const [one, other] = [showValue(field, a), showValue(field, b)];
  const isNumber = field.type === 'number' || field.type === 'integer' || (field.type === 'decimal' && !areTexts);
  // A number that a double does not hold shows the same as others.
  return isNumber && one !== undefined && other !== undefined
    ? isSameNumber(String(a), String(b))
    : isSameJson(one, other);
}

function isSameJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b);
}

/** Tables write an absent value and an empty text alike. */
function isAbsent(value: JsonValue): boolean {
  return value === null || value === '';
}

/** The JSON value that a text states; another value itself. */
function jsonIn(value: JsonValue): JsonValue | undefined {
  try {
    return typeof value === 'string' ? (JSON.parse(value) as JsonValue) : value;
  } catch {
    return undefined;
  }
}
