// The queries for pages that need no index of terms: ranges of slots, of a register or of its records of one type or
// facility. Each is a part of one statement, which also says how many records the register has (reads.ts).
import { type FilterKind, INDEXED } from '../../logic/finding/filter-index.ts';
import { byteColumns, LONG_COLUMNS } from '../../logic/finding/byte-rows.ts';
import { BYTE_CELLS, IS_NUMBER } from '../../../register/sources/byte-rows.ts';
import { PAGE_COLUMNS } from '../../rows/columns.ts';
import type { Rows } from '../../rows/register-source.ts';
import { CopiedRows, type CopiedType } from '../copy/copied-rows.ts';
import type { Send } from '../replica/replica-reads.ts';

/**
 * The number of records that a walk requests at once: enough that the round trip to the database costs little in
 * comparison.
 */
const AHEAD_RECORDS = 1000;

/**
 * The length of texts after which it requests no more. It holds twice as much, because the next ones are already
 * requested.
 */
const AHEAD_BYTES = 2 ** 20;

/** Of the texts that may be long. PostgreSQL knows the length of a long text without reading it. */
const LENGTH = LONG_COLUMNS.map((name) => `coalesce(octet_length(${name}), 0)`).join(' + ');

const PAGE = PAGE_COLUMNS.join(', ');

/** The types of a page's columns, and of the register's highest position, which follows them. */
const PAGE_TYPES: readonly CopiedType[] = [...PAGE_COLUMNS.map(typeOf), 'integer'];

function typeOf(column: string): CopiedType {
  return column === 'slot' || column === 'version' ? 'integer' : 'text';
}

/** Sends a query for pages without a filter: all its values are whole numbers. */
export const sendPages: Send<Rows> = async (connection, text, values, last) =>
  connection.canCopy
    ? new CopiedRows(await connection.copy(text, values), [...PAGE_TYPES, ...last])
    : connection.query(text, values);

/** The cells of records, all as texts, so that they need no more than to be told apart. */
const CELLS = byteColumns('slot - $2::bigint', (column) => column)
  .map((column, cell) => (IS_NUMBER[cell]! ? `(${column})::text` : column))
  .join(', ');

/** Their types, and that of what follows as for pages. */
const CELL_TYPES: readonly CopiedType[] = [...BYTE_CELLS.map(() => 'text' as const), 'integer'];

/** Sends a query for cells. `memory` as {@link PostgresConnection.copy} takes it. */
export function sendCells(memory: ArrayBuffer | undefined): Send<CopiedRows> {
  return async (connection, text, values, last) =>
    new CopiedRows(await connection.copy(text, values, memory), [...CELL_TYPES, ...last]);
}

// $2 is the register's slot of position 0, $3 the view or null, $4 the offset, then the filter's values.
const TOP_SLOT = '$2::bigint + coalesce($3::bigint, g.top) - $4::bigint';

/** The condition and order of each filter; see migrations.ts on the hashes and the negated slot. */
const CONDITIONS: Readonly<Record<Exclude<FilterKind, 'terms'>, string>> = {
  none: `slot > $2::bigint AND slot <= ${TOP_SLOT} ORDER BY slot DESC`,
  type: filtered(matches(INDEXED.type, '$5')),
  facility: filtered(matches(INDEXED.facility, '$5')),
  both: filtered(`${matches(INDEXED.type, '$5')} AND ${matches(INDEXED.facility, '$6')}`),
};

/**
 * The condition and order of the records of a page, newest first. Its parameters: `$2` is the register's slot of position
 * 0, `$3` the view or null, `$4` the offset, then the filter's values; `g` is the register's row.
 */
export function pageCondition(kind: Exclude<FilterKind, 'terms'>): string {
  return CONDITIONS[kind];
}

/** The query for a page of `limit` records, and one more, which shows whether others follow. */
export function selectPage(prefix: string, condition: string, limit: number): string {
  return `SELECT ${PAGE} FROM ${prefix}records WHERE ${condition} LIMIT ${limit + 1}`;
}

/** The query for as many pages as {@link AHEAD_RECORDS} allows, fewer if they exceed {@link AHEAD_BYTES}, at least one. */
export function selectAhead(prefix: string, condition: string, limit: number): string {
  const most = Math.max(1, Math.floor(AHEAD_RECORDS / limit)) * limit + 1;
  return selectWithin(PAGE, { prefix, condition, least: limit + 1, most });
}

/** The query for the {@link BYTE_CELLS} of as many records as that allows, at least one. */
export function selectCells(prefix: string, condition: string): string {
  return selectWithin(CELLS, { prefix, condition, least: 1, most: AHEAD_RECORDS });
}

/**
 * The lengths are summed up beside the rows: a window over whole rows costs the server as much as reading them. The inner
 * limit, a constant, has the planner read in the order of the index: it takes the outer one for a tenth of all rows.
 */
function selectWithin(
  columns: string,
  {
    prefix,
    condition,
    least,
    most,
  }: Readonly<Record<'prefix' | 'condition', string> & Record<'least' | 'most', number>>,
): string {
  const from = `FROM ${prefix}records WHERE ${condition} LIMIT ${most}`;
  return `SELECT read.* FROM (SELECT ${columns} ${from}) AS read LIMIT (
    SELECT greatest(${least}, count(*) FILTER (WHERE above <= ${AHEAD_BYTES})) FROM (
      SELECT sum(length) OVER (ORDER BY slot DESC ROWS UNBOUNDED PRECEDING) AS above
      FROM (SELECT slot, ${LENGTH} AS length ${from}) AS found
    ) AS measured)`;
}

function matches(column: string, value: string): string {
  return `hashtextextended(${column}, 0) = hashtextextended(${value}::text COLLATE "C", 0) AND ${column} = ${value}`;
}

function filtered(condition: string): string {
  return `${condition} AND -slot < -($2::bigint) AND -slot >= -(${TOP_SLOT}) ORDER BY -slot`;
}
