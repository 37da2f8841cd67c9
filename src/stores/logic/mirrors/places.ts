// Records while versions of them are taken in, and their rows.
import type { TakenVersion } from '../../contract/mirrors.ts';
import type { PreparedRecord } from '../../contract/prepared-record.ts';
import type { StoredRecord } from '../../contract/registers.ts';
import { changedText, CONTENT_AT, CONTENT_COLUMNS, slotOf, type SqlRow } from '../../rows/columns.ts';
import type { RegisterRow } from '../../rows/register.ts';
import { type KeyedTable, keyedTable, type Rule, type Sql, type SqlParameter, type SqlValues } from '../rule.ts';
import * as tables from '../schema/register-tables.ts';

/** A table whose rows are read and written as lists, keys first. */
interface Rows extends KeyedTable<SqlRow> {
  readonly columns: readonly string[];
}

function rowsOf(of: Parameters<typeof keyedTable>[0]): Rows {
  const { key, values, name } = keyedTable(of, (row) => row);
  const columns = [...Object.keys(key), ...Object.keys(values)];
  const isWhole = columns.map((column) => ({ ...key, ...values })[column] === 'bigint');
  const read = (row: SqlRow): SqlRow =>
    row.map((value, at) => (isWhole[at] === true && value !== null ? Number(value) : value));
  return { name, key, values, columns, read };
}

export const LIVE: Rows = rowsOf(tables.RECORDS);
export const GONE: Rows = rowsOf(tables.WITHDRAWN);
export const KEPT: Rows = rowsOf(tables.CONTENTS);
export const LOGGED: Rows = rowsOf(tables.VERSIONS);

/** A record while versions of it are taken in. */
export interface Place {
  readonly slot: number;
  readonly id: string;
  readonly version: number;
  readonly contentVersion: number;
  readonly updatedAt: string;
  readonly state: StoredRecord['state'];
  /** In the order of {@link CONTENT_COLUMNS}; all null once it was erased. */
  readonly content: SqlValues;
}

const NOTHING: SqlValues = CONTENT_COLUMNS.map(() => null);

/** The records of versions that are there already, by their slots. */
export function* placesOf(
  sql: Sql,
  { number, top }: RegisterRow,
  versions: readonly TakenVersion[],
): Rule<ReadonlyMap<number, Place>> {
  const slots = new Set(
    versions.filter(({ position }) => position <= top).map(({ position }) => slotOf(number, position)),
  );
  const keys = [...slots].map((slot) => [slot]);
  const found = [
    ...(yield* sql.get(LIVE, keys)).map((row) => placeIn(LIVE, row)),
    ...(yield* sql.get(GONE, keys)).map((row) => placeIn(GONE, row)),
  ];
  return new Map(found.map((place) => [place.slot, place]));
}

function placeIn({ columns }: Rows, row: SqlRow): Place {
  const of = (name: string): SqlParameter => (row[columns.indexOf(name)] ?? null) as SqlParameter;
  const content = CONTENT_COLUMNS.map(of);
  const isGone = columns.includes('is_redacted');
  return {
    slot: of('slot') as number,
    id: of('id') as string,
    version: of('version') as number,
    contentVersion: of('content_version') as number,
    updatedAt: of('updated_at') as string,
    state: !isGone ? 'live' : content[CONTENT_AT.title] === null ? 'redacted' : 'withdrawn',
    content,
  };
}

/** The columns of a content. Where the publisher does not state when it was observed, that is what its source shows. */
export function observed(
  { values }: PreparedRecord,
  place: Place | undefined,
  { observedAt, recordedAt }: TakenVersion,
): SqlValues {
  if (values[CONTENT_AT.observedAt] !== null) return values;
  const before = place?.content[CONTENT_AT.observedAt] as string | null | undefined;
  return values.with(CONTENT_AT.observedAt, observedAt ?? before ?? recordedAt);
}

export function nextPlace(
  register: number,
  place: Place | undefined,
  { position, id, version, cause, recordedAt: updatedAt }: TakenVersion,
  content: SqlValues | null,
): Place {
  const slot = slotOf(register, position);
  const same = place ?? { content: NOTHING, contentVersion: version };
  return {
    ...{ slot, id, version, updatedAt, state: cause === 'withdrawn' ? 'withdrawn' : 'live' },
    content: content ?? same.content,
    contentVersion: content === null ? same.contentVersion : version,
  };
}

export function loggedRow(
  register: number,
  { slot, contentVersion }: Pick<Place, 'slot' | 'contentVersion'>,
  { change, version, cause, recordedAt, changed, salt, commitment }: TakenVersion,
  { log, by }: { readonly log: number; readonly by: number | null },
): SqlParameter[] {
  const row: Readonly<Record<string, SqlParameter>> = {
    ...{
      entry: slotOf(register, change),
      slot,
      version,
      content_version: contentVersion,
      cause,
      recorded_at: recordedAt,
    },
    ...{ changed: changedText(changed), salt, commitment, log, import: by },
  };
  return LOGGED.columns.map((name) => row[name]!);
}

/** A row of records. */
export function recordRow({ columns }: Rows, place: Place): SqlParameter[] {
  return ofColumns(place, columns) as SqlParameter[];
}

/** The content of a record in the order of a table of contents. */
export function inOrder({ columns }: Rows, place: Place): SqlParameter[] {
  return ofColumns(
    place,
    columns.filter((name) => name !== 'slot' && name !== 'version'),
  ) as SqlParameter[];
}

export function ofColumns(place: Place, columns: readonly string[]): SqlRow {
  const own: Readonly<Record<string, SqlParameter>> = {
    ...{ slot: place.slot, id: place.id, version: place.version, content_version: place.contentVersion },
    ...{ updated_at: place.updatedAt, is_redacted: place.state === 'redacted' ? 1 : 0 },
  };
  return columns.map((name) => own[name] ?? place.content[CONTENT_COLUMNS.indexOf(name)] ?? null);
}

/** The keys of the rows of records that are live, or not, and will not be. */
export function leaving(before: ReadonlyMap<number, Place>, after: readonly Place[], isLive: boolean): SqlValues[] {
  return after.flatMap(({ slot, state }) => {
    const was = before.get(slot);
    return was !== undefined && (was.state === 'live') === isLive && (state === 'live') !== isLive ? [[slot]] : [];
  });
}
