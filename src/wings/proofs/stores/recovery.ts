// The rules for putting back what a store lacks of a register: the records in the missing changes become what the other store has
// of them, and everything that follows from records is changed with them.
import { GazetteError, quote } from '../../../errors.ts';
import { sameHash } from '../tlog/hashes.ts';
import { hashesOf, tilesOf } from '../tlog/tree.ts';
import type { LogRecovery, MissingChanges, RecoveredTable, SignedTree } from './contract/recovery.ts';
import { CONTENT_COLUMNS, RECORD_COLUMNS, SLOT_SPAN, slotOf, type SqlRow } from '../../../stores/rows/columns.ts';
import { definitionOf, REGISTER, type RegisterRow, unknownFeed } from '../../../stores/rows/register.ts';
import {
  asNumber,
  asText,
  FOR_UPDATE,
  Fragment,
  IS_PRESENT,
  numberIn,
  type Shape,
  shape,
  table,
  withoutNul,
  GREATEST,
} from '../../../stores/rows/sql.ts';
import { AFTER_CONFIGURATION } from '../../../stores/logic/nodes/configuration.ts';
import { beginTermChanges, writeTerms } from '../../../stores/logic/finding/term-postings.ts';
import { renewTerms } from '../../../stores/logic/finding/term-state.ts';
import { eraseImportDigests } from '../../../stores/logic/imports/log.ts';
import { checkNoMirror } from '../../../stores/logic/mirrors/mirrored.ts';
import { endMirror } from '../../../stores/logic/mirrors/mirrors.ts';
import { askForPurge } from '../../../stores/logic/purges.ts';
import type { Engine, KeyedTable, Rule, Sql, SqlParameter, SqlValues } from '../../../stores/logic/rule.ts';
import { TALLIED_COLUMNS } from '../../../stores/logic/value-tally.ts';
import { beginTally, endTally, renewCounts } from '../../../stores/logic/values.ts';
import { closeDeliveries } from '../../../stores/logic/webhooks/deliveries.ts';
import { committed } from '../../../stores/logic/plugins/joined.ts';
import { ERASED } from './entries.ts';
import { SIGNED } from './log-of-logs.ts';
import { storedTiles } from './log-tree.ts';

const REGISTERS = table('registers');
const LOGS = table('logs');
const REMOVED = table('removed_registers');
const VERSIONS = table('versions');
const RECORDS = table('records');
const WITHDRAWN = table('withdrawn');
const CONTENTS = table('contents');

const NUMBER = numberIn('number');
const LOG = shape(['number', 'uuid'], ([number, uuid]) => [asNumber(number), asText(uuid)] as const);

/** A table of records with all its columns, of which the first says the register. */
interface RowsOf extends KeyedTable<SqlRow> {
  readonly shape: Shape<SqlRow>;
  /** Where the columns are that contain the register's number. */
  readonly numbered: readonly number[];
}

const NUMBERS = new Set(['version', 'content_version', 'observed_is_stated', 'is_redacted', 'log']);
const BYTES = new Set(['salt', 'commitment', 'hmac']);

function rowsOf(name: RecoveredTable, key: readonly string[], others: readonly string[]): RowsOf {
  const columns = [...key, ...others];
  const typeOf = (column: string): 'bigint' | 'bytea' | 'text' =>
    BYTES.has(column) ? 'bytea' : NUMBERS.has(column) || column === 'slot' ? 'bigint' : 'text';
  const numbered = columns.flatMap((column, at) => (column === 'slot' || column === 'entry' ? [at] : []));
  const whole = new Set(
    columns.flatMap((column, at) => (typeOf(column) === 'bigint' || key.includes(column) ? [at] : [])),
  );
  const read = (row: SqlRow): SqlRow =>
    row.map((value, at) => (value !== null && whole.has(at) ? Number(value) : value));
  return {
    ...{ name, numbered, read },
    key: Object.fromEntries(key.map((column) => [column, 'bigint' as const])),
    values: Object.fromEntries(others.map((column) => [column, typeOf(column)])),
    shape: shape(columns, read),
  };
}

const OF_RECORD = ['id', 'version', 'content_version', 'updated_at', ...CONTENT_COLUMNS];

const ROWS: Readonly<Record<RecoveredTable, RowsOf>> = {
  versions: rowsOf(
    'versions',
    ['entry'],
    [...['slot', 'version', 'content_version', 'cause', 'recorded_at', 'changed', 'salt', 'commitment'], 'log'],
  ),
  records: rowsOf('records', ['slot'], OF_RECORD),
  withdrawn: rowsOf('withdrawn', ['slot'], [...OF_RECORD, 'is_redacted']),
  contents: rowsOf('contents', ['slot', 'version'], CONTENT_COLUMNS),
  erased_records: rowsOf('erased_records', ['slot', 'last_version'], ['hmac']),
};

const VERSION = ROWS.versions.shape;
const CONTENT = ROWS.contents.shape;
const LIVE = ROWS.records.shape;
const GONE = ROWS.withdrawn.shape;
const ERASED_RECORD = ROWS.erased_records.shape;

/** Where rows have what is looked at. */
const [SLOT_AT, CAUSE_AT] = [1, 4];
const LOG_AT = VERSION.columns.indexOf('log');
const ID_AT = 1;

const INDEXED = RECORD_COLUMNS.map((name) => LIVE.columns.indexOf(name));
const TALLIED = TALLIED_COLUMNS.split(', ').map((name) => LIVE.columns.indexOf(name));

/** The slots of the records in changes above one. */
const OF_CHANGES = new Fragment((dialect) => `slot IN (SELECT d.slot FROM ${VERSIONS.in(dialect)} d WHERE d.entry`);

/** The recovery of a store. @param parts what of the database is to be rewritten once something is erased */
export function recoveryOn(engine: Engine, parts: readonly string[]): LogRecovery {
  return {
    missing: (feedId, since) => engine.read(missingChanges, feedId, since),
    putBack: (feedId, missing, signed) => engine.write(putBack, feedId, { missing, signed, parts }),
    promote: (feedId, signed) => engine.write(promoteSigned, feedId, signed),
  };
}

function* missingChanges(sql: Sql, feedId: string, since: number): Rule<MissingChanges> {
  const head = yield* sql.one(REGISTER)`SELECT ${REGISTER} FROM ${REGISTERS}
    WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT}`;
  if (head === null) throw unknownFeed(feedId);
  const { number, change, definition, definitionVersion, top, live, lastChange, lastModified } = head;
  const [after, to] = [slotOf(number, since), slotOf(number, change)];
  const logs = yield* sql.all(LOG)`SELECT ${LOG} FROM ${LOGS} WHERE register = ${number}`;
  return {
    ...{ number, since, change, definition, definitionVersion, top, live, lastChange, lastModified },
    logs: new Map(logs),
    rows: {
      versions: yield* sql.all(VERSION)`SELECT ${VERSION} FROM ${VERSIONS}
        WHERE ${OF_CHANGES} > ${after} AND d.entry <= ${to}) ORDER BY entry`,
      records: yield* sql.all(LIVE)`SELECT ${LIVE} FROM ${RECORDS}
        WHERE ${OF_CHANGES} > ${after} AND d.entry <= ${to})`,
      withdrawn: yield* sql.all(GONE)`SELECT ${GONE} FROM ${WITHDRAWN}
        WHERE ${OF_CHANGES} > ${after} AND d.entry <= ${to})`,
      contents: yield* sql.all(CONTENT)`SELECT ${CONTENT} FROM ${CONTENTS}
        WHERE ${OF_CHANGES} > ${after} AND d.entry <= ${to})`,
      erased_records: yield* sql.all(ERASED_RECORD)`SELECT ${ERASED_RECORD} FROM ${ERASED}
        WHERE ${OF_CHANGES} > ${after} AND d.entry <= ${to})`,
    },
  };
}

interface PutBack {
  readonly missing: MissingChanges;
  readonly signed: SignedTree;
  readonly parts: readonly string[];
}

function* putBack(sql: Sql, feedId: string, { missing, signed, parts }: PutBack): Rule<void> {
  const head = yield* sql.one(REGISTER)`SELECT ${REGISTER} FROM ${REGISTERS}
    WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT} ${FOR_UPDATE}`;
  if (head === null) throw unknownFeed(feedId);
  yield* checkNoMirror(sql, feedId);
  const { number } = head;
  if (head.change !== missing.since)
    throw new GazetteError('store_busy', `register ${quote(feedId)} was written meanwhile: stop what writes it`);
  const logs = yield* withLogs(sql, number, missing.logs, signed.uuid);
  const { definition, definitionVersion, lastChange } = missing;
  // A date for conditional requests that lies ahead of the clock was never sent.
  const lastModified = Math.max(head.lastModified, missing.lastModified) + 1;
  yield* sql.run`UPDATE ${REGISTERS} SET definition = ${definition}, definition_version = ${definitionVersion}
    WHERE number = ${number}`;
  const now = { ...head, definition, definitionVersion };
  if (definition !== head.definition) {
    yield* renewTerms(sql, number, definitionOf(now), head.top);
    yield* renewCounts(sql, number, definitionOf(now));
  }
  yield* replaceRows(sql, now, missing, (table, row) => {
    const own = row.map((value, at) =>
      ROWS[table].numbered.includes(at) ? slotOf(number, Number(value) % SLOT_SPAN) : value,
    );
    if (table === 'versions' && own[LOG_AT] !== null) own[LOG_AT] = logs.get(missing.logs.get(Number(own[LOG_AT]))!)!;
    return own as SqlParameter[];
  });
  yield* committed(sql, { register: number, from: missing.since, to: missing.change });
  yield* sql.run`UPDATE ${REGISTERS} SET change = ${missing.change}, top = ${missing.top}, live = ${missing.live},
    last_change = ${lastChange}, last_modified = ${GREATEST}(${lastModified}, ${AFTER_CONFIGURATION}), log = ${signed.uuid}, is_successor = CASE
      WHEN EXISTS (SELECT 1 FROM ${REMOVED} o WHERE o.id = ${feedId})
        OR (SELECT count(*) FROM ${LOGS} l WHERE l.register = ${number}) > 1 THEN 1 ELSE 0 END
    WHERE number = ${number}`;
  yield* forgetErased(sql, missing, parts);
  if (yield* hasRoot(sql, number, signed)) return;
  throw contradicted(feedId, 'is not the one that was signed with what the other store has');
}

function* promoteSigned(sql: Sql, feedId: string, signed: SignedTree): Rule<void> {
  const head = yield* endMirror(sql, feedId);
  const { number, log, change } = head;
  const { uuid, size } = signed;
  if (log !== uuid || change !== size)
    throw contradicted(
      feedId,
      `has ${log === uuid ? `${change} changes, and ${size}` : 'another name than what'} were signed last`,
    );
  if (!(yield* hasRoot(sql, number, signed))) throw contradicted(feedId, 'is not the one that was signed last');
}

/** Gives a register the logs that another store has of it, the signed one as the latest. @returns their numbers here */
function* withLogs(
  sql: Sql,
  register: number,
  known: ReadonlyMap<number, string>,
  uuid: string,
): Rule<ReadonlyMap<string, number>> {
  const own = new Map<string, number>();
  for (const one of new Set([...known.values(), uuid])) {
    const found = yield* sql.one(NUMBER)`SELECT ${NUMBER} FROM ${LOGS} WHERE uuid = ${one} AND register = ${register}`;
    own.set(
      one,
      found ??
        (yield* sql.one(
          NUMBER,
        )`INSERT INTO ${LOGS} (register, uuid) VALUES (${register}, ${one}) RETURNING ${NUMBER}`)!,
    );
  }
  // Writers write to the latest one. Those behind it were begun for the older state, and nothing was written to them. No
  // index finds the versions of a log: only those of its register are read.
  yield* sql.run`DELETE FROM ${LOGS} WHERE register = ${register} AND number > ${own.get(uuid)!}
    AND NOT EXISTS (SELECT 1 FROM ${VERSIONS} v WHERE v.log = ${LOGS}.number
      AND v.entry > ${slotOf(register, 0)} AND v.entry < ${slotOf(register + 1, 0)})`;
  yield* sql.run`DELETE FROM ${SIGNED} WHERE register = ${register} AND uuid NOT IN (SELECT uuid FROM ${LOGS})`;
  return own;
}

function* replaceRows(
  sql: Sql,
  head: RegisterRow,
  { rows }: MissingChanges,
  own: (table: RecoveredTable, row: SqlRow) => SqlParameter[],
): Rule<void> {
  const moved = (Object.keys(ROWS) as RecoveredTable[]).map(
    (name) => [name, rows[name].map((row) => own(name, row))] as const,
  );
  const all = new Map(moved);
  const after = new Map(all.get('records')!.map((row) => [row[0] as number, row]));
  const terms = yield* beginTermChanges(sql, head, definitionOf(head));
  const tally = yield* beginTally(sql, head);
  for (const slot of new Set(all.get('versions')!.map((row) => row[SLOT_AT] as number))) {
    const before = yield* sql.one(LIVE)`SELECT ${LIVE} FROM ${RECORDS} WHERE slot = ${slot}`;
    const later = after.get(slot) ?? null;
    if (before !== null) tally.tally.countRow(of(before, TALLIED), -1);
    if (later !== null) tally.tally.countRow(of(later, TALLIED), 1);
    if (before !== null || later !== null) terms.change(before && of(before, INDEXED), later && of(later, INDEXED));
    yield* sql.run`DELETE FROM ${VERSIONS} WHERE slot = ${slot}`;
    yield* sql.run`DELETE FROM ${RECORDS} WHERE slot = ${slot}`;
    yield* sql.run`DELETE FROM ${WITHDRAWN} WHERE slot = ${slot}`;
    yield* sql.run`DELETE FROM ${CONTENTS} WHERE slot = ${slot}`;
    yield* sql.run`DELETE FROM ${ERASED} WHERE slot = ${slot}`;
  }
  for (const [name, values] of moved) yield* sql.put(ROWS[name], values satisfies SqlValues[]);
  yield* endTally(sql, head, tally);
  yield* writeTerms(sql, terms);
}

function of(row: SqlRow, columns: readonly number[]): SqlRow {
  return columns.map((at) => row[at]!);
}

/** What else has something of records that were erased. */
function* forgetErased(sql: Sql, { since, rows }: MissingChanges, parts: readonly string[]): Rule<void> {
  const ids = new Map(rows.withdrawn.map((row) => [row[0], row[ID_AT] as string]));
  for (const row of rows.versions) {
    if (row[CAUSE_AT] !== 'redacted' || Number(row[0]) % SLOT_SPAN <= since) continue;
    const id = ids.get(row[SLOT_AT]);
    yield* askForPurge(sql, parts, row[CAUSE_AT + 1] as string);
    if (id === undefined) continue;
    yield* eraseImportDigests(sql, id);
    yield* closeDeliveries(sql, id);
  }
}

function* hasRoot(sql: Sql, register: number, { size, root }: SignedTree): Rule<boolean> {
  const ranges = [{ from: 0, to: size }];
  const tiles = tilesOf(ranges, size);
  const stored = yield* storedTiles(sql, register, tiles);
  const hashes = new Map(stored.map((tile) => [`${tile.level}/${tile.index}`, tile.hashes]));
  const isThere = tiles.every(
    ({ level, index, width }) => (hashes.get(`${level}/${index}`)?.length ?? 0) >= width * 32,
  );
  const [made] = isThere ? hashesOf(ranges, size, ({ level, index }) => hashes.get(`${level}/${index}`)!) : [];
  return made !== undefined && sameHash(made, root);
}

function contradicted(feedId: string, how: string): GazetteError {
  return new GazetteError('log_contradicted', `the log of register ${quote(feedId)} ${how}: nothing was written`, {
    details: { feed_id: feedId },
  });
}
