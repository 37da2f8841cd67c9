// Records in the columns of a SQL store, the same in SQLite and PostgreSQL: one column per core field, `data` as JSON
// text. Records and versions of all registers share two numberings, `slot` and `entry`.
import { CORE_AT, CORE_FIELDS, coreField, STATED_COLUMNS } from '../../register/fields.ts';
import type { JsonValue } from '../../register/canonical-json.ts';
import { recordKey } from '../../register/identity.ts';
import {
  type CoreValue,
  type RecordVersion,
  recordOfValues,
  type RegisterDefinition,
  type RegisterRecord,
  type VersionCause,
} from '../../register/record.ts';
import { showData } from '../../register/declared-values.ts';
import type { LiveId } from '../contract/record-keys.ts';
import type { StoredRecord } from '../contract/registers.ts';
import { canonicalStatement, statedValues } from './published-record.ts';
import type { PublishedRecord } from '../contract/prepared-record.ts';
import { storedJson } from './stored-json.ts';

/** The part of a definition that says what records show. */
export type ShownAs = Pick<RegisterDefinition, 'id' | 'fields' | 'search' | 'prices'>;

/** A column value as a driver returns it. */
export type SqlValue = string | number | bigint | boolean | null | Uint8Array;

/** One row, in the order of the requested columns. */
export type SqlRow = readonly SqlValue[];

/** The current content of a record. */
export interface StoredContent {
  /** As the publisher stated it: `observed_at` is null unless stated. */
  readonly statement: PublishedRecord;
  /** When the register first observed it, by the publisher's statement or its own clock. */
  readonly observedAt: string;
}

/**
 * The number of positions per register in the numbering of slots: slot = register number × 2^32 + position. Entries and
 * change numbers use the same scheme. One integer key orders a register's records, which are contiguous. 2^21 registers
 * fit into the integers of a double.
 */
export const SLOT_SPAN: number = 2 ** 32;

/** The slot of a position, or the entry of a change number. */
export function slotOf(register: number, position: number): number {
  return register * SLOT_SPAN + position;
}

/**
 * The columns of a content, in the order of {@link contentValues}: short ones first, so that a filter need not read
 * past the long texts of a row.
 */
export const CONTENT_COLUMNS: readonly string[] = [...STATED_COLUMNS, 'data', 'key', 'observed_is_stated'];

/** The indexes in {@link CONTENT_COLUMNS} of columns that are used individually. */
export const CONTENT_AT: Readonly<
  Record<'publishedAt' | 'observedAt' | 'title' | 'data' | 'key' | 'observedIsStated', number>
> = {
  publishedAt: CONTENT_COLUMNS.indexOf('published_at'),
  observedAt: CONTENT_COLUMNS.indexOf('observed_at'),
  title: CONTENT_COLUMNS.indexOf('title'),
  data: CONTENT_COLUMNS.indexOf('data'),
  key: CONTENT_COLUMNS.indexOf('key'),
  observedIsStated: CONTENT_COLUMNS.indexOf('observed_is_stated'),
};

/** The columns of a record, in the order of {@link recordOf}; content columns last. */
export const RECORD_COLUMNS: readonly string[] = ['slot', 'id', 'version', 'updated_at', ...CONTENT_COLUMNS];

/** The columns that pages need: over a million records, each column takes time. */
export const PAGE_COLUMNS: readonly string[] = RECORD_COLUMNS.filter((name) => name !== 'observed_is_stated');

/** The columns of a version of the log, in the order of {@link versionOf}; `id` follows, then those of its content. */
const VERSION_COLUMNS: readonly string[] = [
  'v.entry',
  'v.slot',
  'v.version',
  'v.cause',
  'v.recorded_at',
  'v.changed',
  'i.undoes',
];

/** Where a row of {@link selectVersions} has the version's number. */
export const VERSION_AT: number = VERSION_COLUMNS.indexOf('v.version');

/** Where a row of {@link selectVersions} has the record's id, and where its content begins. */
export const VERSION_ID_AT: number = VERSION_COLUMNS.length;
export const VERSION_CONTENT_AT: number = VERSION_COLUMNS.length + 1;

/** The states of a record, by the number that a query returns for each. */
export const STATES = ['live', 'withdrawn', 'redacted'] as const;

/**
 * The query for versions `v` with their ids and contents, in the order of {@link versionOf}, without its condition.
 *
 * @param schema the prefix of the tables' names.
 */
export function selectVersions(schema: string): string {
  const contents = CONTENT_COLUMNS.map((name) => versionContent(name));
  return `SELECT ${VERSION_COLUMNS.join(', ')}, coalesce(r.id, w.id), ${contents.join(', ')}
  ${versionTables(schema)} LEFT JOIN ${schema}imports i ON i.number = v.import`;
}

/**
 * A content column of a version, in queries over {@link versionTables}. A version's content is stored with the record
 * until it is replaced. The choice is made per row: a column that was null in the old content must not show the value
 * of the new one.
 *
 * @param contents the alias of the replaced contents
 */
export function versionContent(name: string, contents = 'c'): string {
  return `CASE WHEN ${contents}.slot IS NOT NULL THEN ${contents}.${name} WHEN r.slot IS NOT NULL THEN r.${name} ELSE w.${name} END`;
}

/** The tables of versions `v`, their replaced contents `c`, and their records, live `r` or withdrawn `w`. */
export function versionTables(schema: string): string {
  return `FROM ${schema}versions v
  LEFT JOIN ${schema}contents c ON c.slot = v.slot AND c.version = v.content_version
  LEFT JOIN ${schema}records r ON r.slot = v.slot
  LEFT JOIN ${schema}withdrawn w ON w.slot = v.slot`;
}

/** The prefix of a text that is stored as JSON text. */
const ESCAPE = '\u0001';

/**
 * A text as a column can store it. Neither engine stores lone surrogates, and PostgreSQL does not store U+0000. Such a
 * text, and one that begins with the prefix, is stored as the prefix U+0001 and JSON text. Each text has exactly one
 * stored form, so that columns can be compared.
 */
export function columnText(text: string): string {
  const isOdd = text.charCodeAt(0) === 1 || text.includes('\0') || !text.isWellFormed();
  return isOdd ? ESCAPE + JSON.stringify(text) : text;
}

/** The text that a column contains. */
export function textOf(column: SqlValue): string {
  const text = column as string;
  return text.charCodeAt(0) === 1 ? (storedJson(text.slice(1)) as string) : text;
}

/** The text that a column contains, or null. */
export function textOrNullOf(column: SqlValue): string | null {
  return column === null ? null : textOf(column);
}

/** A statement's columns, in the order of {@link CONTENT_COLUMNS}, with the known time of its observation. */
export function contentValues(statement: PublishedRecord, observedAt: string | null): (string | number | null)[] {
  const stated = statedValues(statement);
  const values: (string | number | null)[] = [];
  for (const at of STATED_AT) values.push(at === CORE_AT.observed_at ? observedAt : columnTextOrNull(stated[at]!));
  const key = columnTextOrNull(statement.key ?? null);
  values.push(JSON.stringify(statement.data), key, statement.observed_at === null ? 0 : 1);
  return values;
}

/** The position in a row of {@link RECORD_COLUMNS} or {@link PAGE_COLUMNS}. */
export function positionIn(row: SqlRow): number {
  return Number(row[0]) % SLOT_SPAN;
}

/** The id in a row of `id`, `slot` and `key`. */
export function liveIdOf(row: SqlRow): LiveId {
  return { id: row[0] as string, position: Number(row[1]) % SLOT_SPAN, key: textOrNullOf(row[2]!) };
}

/** The record in a row of {@link RECORD_COLUMNS} or {@link PAGE_COLUMNS}. */
export function recordOf(definition: ShownAs, row: SqlRow): RegisterRecord {
  return contentRecord(definition, row, 4, {
    id: row[1] as string,
    position: positionIn(row),
    version: row[2] as number,
    updatedAt: row[3] as string,
  });
}

/** The record in a row of {@link RECORD_COLUMNS} and its state (0 live, 1 withdrawn, 2 redacted). */
export function storedRecordOf(definition: ShownAs, row: SqlRow): StoredRecord {
  const state = STATES[row[RECORD_COLUMNS.length] as 0 | 1 | 2];
  return {
    id: row[1] as string,
    feedId: definition.id,
    position: positionIn(row),
    version: row[2] as number,
    state,
    record: row[4 + CONTENT_AT.title] === null ? null : recordOf(definition, row),
  };
}

/** The content in a row that has `id` at `idAt` and {@link CONTENT_COLUMNS} from `at` on. */
export function storedContentOf(feedId: string, row: SqlRow, idAt: number, at: number): StoredContent {
  return {
    statement: recordOfValues(statedValuesIn(feedId, row, idAt, at), dataIn(row, at)),
    observedAt: row[at + CONTENT_AT.observedAt] as string,
  };
}

/** Where the value of each content column is among the values of a record. */
const STATED_AT: readonly number[] = STATED_COLUMNS.map((name) => CORE_AT[name]);

/** Whether a content column may be null. A publisher need not state when a record was observed. */
const IS_NULLABLE: readonly boolean[] = STATED_COLUMNS.map(
  (name) => coreField(name).nullable || name === 'observed_at',
);

/** The text in a content column. @throws TypeError where null is not allowed */
function statedText(value: SqlValue, column: number): string | null {
  return value === null && IS_NULLABLE[column]! ? null : textOf(value);
}

/** The values of the statement in a row as {@link storedContentOf} takes it, in the order of the table of core fields. */
export function statedValuesIn(feedId: string, row: SqlRow, idAt: number, at: number): (CoreValue | undefined)[] {
  const values = contentValuesIn(feedId, row[idAt] as string, row, at);
  if (Number(row[at + CONTENT_AT.observedIsStated]) !== 1) values[CORE_AT.observed_at] = null;
  return values;
}

/**
 * The version in a row of {@link VERSION_COLUMNS}, then `id`, then {@link CONTENT_COLUMNS}. Its record is null when the
 * content was erased, which sets the title to null.
 *
 * @param withStatement whether the version carries its statement
 */
export function versionOf(definition: ShownAs, row: SqlRow, withStatement: boolean): RecordVersion {
  const [entry, slot, version, cause, recordedAt, changed, undoes, id] = row;
  const position = Number(slot) % SLOT_SPAN;
  const head = { id: id as string, position, version: version as number, updatedAt: recordedAt as string };
  const isErased = row[VERSION_CONTENT_AT + CONTENT_AT.title] === null;
  const shown: RecordVersion = {
    feed_id: definition.id,
    record_id: head.id,
    position,
    version: head.version,
    change: Number(entry) % SLOT_SPAN,
    cause: cause as VersionCause,
    recorded_at: head.updatedAt,
    changed: changed === null ? [] : (storedJson(changed as string) as string[]),
    ...(undoes === null ? {} : { undoes: Number(undoes) }),
    record: isErased ? null : contentRecord(definition, row, VERSION_CONTENT_AT, head),
  };
  if (!withStatement) return shown;
  return { ...shown, statement: isErased || cause === 'withdrawn' ? null : statementOf(definition.id, row) };
}

/** The statement of a version in a row as {@link versionOf} takes it: what it commits to, `data` in the publisher's order, as fields show it. */
function statementOf(feedId: string, row: SqlRow): Readonly<Record<string, JsonValue>> {
  const { statement } = storedContentOf(feedId, row, VERSION_ID_AT, VERSION_CONTENT_AT);
  const stated = JSON.parse(canonicalStatement({ ...statement, data: {} })) as Record<string, JsonValue>;
  return { ...stated, data: Object.fromEntries(Object.entries(statement.data).filter(([, value]) => value !== null)) };
}

/** The names of changed fields as the log stores them: JSON text, null for none. */
export function changedText(changed: readonly string[]): string | null {
  return changed.length === 0 ? null : JSON.stringify(changed);
}

/** What a content does not say of its record. */
export interface RecordHead {
  readonly id: string;
  readonly position: number;
  readonly version: number;
  readonly updatedAt: string;
}

/** The record in a row whose content begins at `at`. */
export function contentRecord(definition: ShownAs, row: SqlRow, at: number, head: RecordHead): RegisterRecord {
  const values = contentValuesIn(definition.id, head.id, row, at);
  values[CORE_AT.key] ??= recordKey(head.id);
  values[CORE_AT.updated_at] = head.updatedAt;
  values[CORE_AT.version] = head.version;
  values[CORE_AT.position] = head.position;
  return recordOfValues(values, showData(definition.fields, dataIn(row, at)));
}

/** The values of a record of which nothing is known. */
const NO_VALUES: readonly undefined[] = CORE_FIELDS.map(() => undefined);

/** The values of core fields in a row whose content begins at `at`. Those that the register adds are undefined. */
function contentValuesIn(feedId: string, id: string, row: SqlRow, at: number): (CoreValue | undefined)[] {
  const values: (CoreValue | undefined)[] = NO_VALUES.slice();
  values[CORE_AT.id] = id;
  values[CORE_AT.feed_id] = feedId;
  values[CORE_AT.key] = textOrNullOf(row[at + CONTENT_AT.key]!) ?? undefined;
  for (let column = 0; column < STATED_AT.length; column++) {
    values[STATED_AT[column]!] = statedText(row[at + column]!, column);
  }
  return values;
}

/** The own values of a content whose columns begin at `at`. */
function dataIn(row: SqlRow, at: number): PublishedRecord['data'] {
  return storedJson(row[at + CONTENT_AT.data] as string) as PublishedRecord['data'];
}

/** The same, or null. */
export function columnTextOrNull(text: string | null): string | null {
  return text === null ? null : columnText(text);
}
