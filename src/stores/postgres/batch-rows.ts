// The rows of a batch: those that it reads, and those that it writes, as the parameters of one statement.
import { contentsNeeded, type NewContent, type ReadContent, readContent, type StoredBatch } from '../logic/batch.ts';
import type { Rule, SqlParameter, SqlValues } from '../logic/rule.ts';
import { CONTENT_COLUMNS, RECORD_COLUMNS, slotOf } from '../rows/columns.ts';
import { LOG, RegisterLogs } from '../rows/commitment.ts';
import { type KnownRecord, knownRecordOf, selectKnown } from '../rows/known.ts';
import type { RegisterRow } from '../rows/register.ts';
import type { PreparedRecord } from '../contract/prepared-record.ts';
import { query } from './engine.ts';

const RECORD = RECORD_COLUMNS.join(', ');

/** What a register has of a batch. @param prefix of the tables' names */
export function* storedBatch(
  prefix: string,
  head: RegisterRow,
  batch: readonly PreparedRecord[],
  logs: RegisterLogs | null,
): Rule<StoredBatch> {
  const ids = batch.map(({ id }) => id);
  // An empty register contains no known ids: the first import need not look.
  const known = head.top === 0 ? new Map<string, KnownRecord>() : yield* knownRecords(prefix, ids);
  return { known, contents: yield* contentsOf(prefix, head, contentsNeeded(batch, known, logs)) };
}

/** What is known of those ids that are. */
export function* knownRecords(prefix: string, ids: readonly string[]): Rule<Map<string, KnownRecord>> {
  const known = (table: 'records' | 'withdrawn'): string => {
    return `${selectKnown(prefix, table, true)} WHERE r.id = ANY ($1)`;
  };
  const rows = yield* query(`${known('records')} UNION ALL ${known('withdrawn')}`, [ids]);
  return new Map(rows.map((row) => [row.at(-1) as string, knownRecordOf(row)]));
}

/** The logs of a register. */
export function* logsOf(prefix: string, { number }: RegisterRow): Rule<RegisterLogs> {
  const text = `SELECT ${LOG.columns.join(', ')} FROM ${prefix}logs WHERE register = $1 ORDER BY number`;
  return new RegisterLogs((yield* query(text, [number])).map(LOG.read));
}

function* contentsOf(
  prefix: string,
  { number }: RegisterRow,
  needed: ReadonlyMap<string, KnownRecord>,
): Rule<Map<string, ReadContent>> {
  if (needed.size === 0) return new Map();
  const slots = [...needed.values()].map(({ position }) => slotOf(number, position));
  const text = `SELECT ${RECORD} FROM ${prefix}records WHERE slot = ANY ($1)
    UNION ALL SELECT ${RECORD} FROM ${prefix}withdrawn WHERE slot = ANY ($1)`;
  const rows = yield* query(text, [slots]);
  return new Map(
    rows.flatMap((row) => {
      const content = readContent(row);
      return content === undefined ? [] : [[row[1] as string, content] as const];
    }),
  );
}

const CONTENT_TYPES = CONTENT_COLUMNS.map((name) => (name === 'observed_is_stated' ? 'smallint' : 'text'));

/** A record with its new content. */
export interface NewRow {
  readonly position: number;
  readonly version: number;
  readonly content: NewContent;
}

/** `unnest` of one array per column: first those of the given types, then the content columns. */
export function contentRows(types: readonly string[], from: number): string {
  const arrays = [...types, ...CONTENT_TYPES].map((type, index) => `$${from + index}::${type}[]`);
  return `unnest(${arrays.join(', ')})`;
}

/** The arrays that {@link contentRows} takes: the columns of each record's head and content. */
export function contentArrays(placed: readonly NewRow[], headOf: (record: NewRow) => SqlValues): SqlParameter[][] {
  const rows = placed.map((record) => [...headOf(record), ...record.content.values]);
  return rows[0]!.map((_, column) => rows.map((row) => row[column]!));
}
