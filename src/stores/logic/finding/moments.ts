// A register as it was at a moment: of each record the last version that was recorded by then. Times never run backwards within a
// register, so a moment is a change number and a highest position, which two searches find. A record that was ever redacted is left
// out: nothing of it is shown, whenever it was.
import { compileFilter } from '../../../register/finding/filter.ts';
import { EXAMINED_RECORDS, offsetAfter, type Page, type PageQuery, startPosition } from '../../../register/page.ts';
import { checkOffset } from '../../../register/query.ts';
import type { RecordVersion, RegisterDefinition, RegisterRecord } from '../../../register/record.ts';
import { toEpochMs } from '../../../register/time.ts';
import { selectVersions, SLOT_SPAN, slotOf, type SqlRow, versionOf } from '../../rows/columns.ts';
import { definitionOf, feedIdOf, pageOf, REGISTER, type RegisterRow, unknownFeed } from '../../rows/register.ts';
import {
  asNumber,
  asText,
  EACH_TEXT,
  Fragment,
  IS_PRESENT,
  numberIn,
  shape,
  table,
  withoutNul,
} from '../../rows/sql.ts';
import { turnsOf } from './pace.ts';
import type { Engine, KeyedTable, Rule, Sql, SqlValues } from '../rule.ts';

const REGISTERS = table('registers');
const RECORDS = table('records');
const WITHDRAWN = table('withdrawn');
const VERSIONS = table('versions');

/** When changes were recorded. */
const RECORDED: KeyedTable<number> = {
  name: 'versions',
  key: { entry: 'bigint' },
  values: { recorded_at: 'text' },
  read: ([, recordedAt]) => toEpochMs(asText(recordedAt)),
};

/** By which changes records were first observed. */
const FIRST: KeyedTable<number> = {
  name: 'versions',
  key: { slot: 'bigint', version: 'bigint' },
  values: { entry: 'bigint' },
  read: ([, , entry]) => asNumber(entry),
};

const SELECT_VERSIONS = new Fragment((dialect) => selectVersions(dialect.table('')));
const VERSION = shape([], (row: SqlRow) => row);
const SLOT = numberIn('slot');

/** Between which versions of a record that of then is looked for, and the one that is looked at. */
interface Search {
  readonly slot: number;
  readonly low: number;
  readonly high: number;
  readonly middle: number;
}

/** The newest first: it is that of then, as a rule. */
const SEARCH = shape(Object.keys(FIRST.key), ([slot, newest]): Search => {
  const high = asNumber(newest);
  return { slot: asNumber(slot), low: 1, high, middle: high };
});

/** The same as {@link FIRST}, of many records. */
const NAMED: KeyedTable<{ readonly slot: number; readonly entry: number }> = {
  ...FIRST,
  read: ([slot, , entry]) => ({ slot: asNumber(slot), entry: asNumber(entry) }),
};

/** How many rows one step of a search reads: a step may be a way to the database and back. */
const PROBES = 64;

/** How many positions are read at once where a filter decides which records come. */
const AT_ONCE = 128;

/** A register at a moment. */
interface Then {
  /** The entry of the last change that was recorded by then; that of 0: none was. */
  readonly entry: number;
  /** The highest position that a record had. */
  readonly top: number;
}

/** The pages of a register as it was at the moment `asOf`, from the requested one on. */
export async function* pagesThen(
  engine: Engine,
  definition: RegisterDefinition,
  number: number,
  query: PageQuery & { readonly asOf: string },
): AsyncGenerator<Page, void, undefined> {
  const { asOf, limit, signal } = query;
  const filter = compileFilter(query.filter, definition.fields);
  const then = await engine.read(registerThen, definition.id, number, asOf);
  const turn = turnsOf(signal);
  for (let offset: number | null = checkOffset(query.offset); offset !== null;) {
    const found: RegisterRecord[] = [];
    const start = startPosition(then.top, offset);
    let from = start;
    const end = Math.max(from - EXAMINED_RECORDS, 0);
    while (from > end && found.length <= limit) {
      await turn();
      // Without a filter the first step finds all, unless records were withdrawn or redacted.
      const to = Math.max(from - (filter === null && from === start ? limit + 1 : AT_ONCE), end);
      for (const row of await engine.read(versionsThen, number, then.entry, from, to)) {
        const { record, cause } = versionOf(definition, row, false);
        if (record !== null && cause !== 'withdrawn' && filter?.matches(record) !== false) found.push(record);
      }
      from = to;
    }
    await engine.read(checkThere, definition.id, number);
    const page = pageOf(found.slice(0, limit + 1), query, then.top);
    offset = page.nextOffset ?? (from < 1 ? null : offsetAfter(then.top, from + 1));
    yield { ...page, nextOffset: offset, asOf };
  }
}

/** The version that a record had at a moment; null: none, or it was redacted since or before. */
export async function versionAt(engine: Engine, recordId: string, at: string): Promise<RecordVersion | null> {
  return engine.read(recordThen, withoutNul(recordId), at);
}

function* recordThen(sql: Sql, id: string, at: string): Rule<RecordVersion | null> {
  const head = yield* sql.one(REGISTER)`SELECT ${REGISTER} FROM ${REGISTERS}
    WHERE id = ${feedIdOf(id)} AND ${IS_PRESENT}`;
  const slot = yield* sql.one(SLOT)`SELECT slot FROM ${RECORDS} WHERE id = ${id}
    UNION ALL SELECT slot FROM ${WITHDRAWN} WHERE id = ${id}`;
  if (head === null || slot === null) return null;
  const { entry } = yield* registerThen(sql, feedIdOf(id), head.number, at);
  const position = slot % SLOT_SPAN;
  const [row] = yield* versionsThen(sql, head.number, entry, position, position - 1);
  return row === undefined ? null : versionOf(definitionOf(head), row, false);
}

/** @throws GazetteError `unknown_feed` once the register is removed: its rows then go, one after the other */
function* checkThere(sql: Sql, feedId: string, number: number): Rule<RegisterRow> {
  const head = yield* sql.one(
    REGISTER,
  )`SELECT ${REGISTER} FROM ${REGISTERS} WHERE number = ${number} AND ${IS_PRESENT}`;
  if (head === null) throw unknownFeed(feedId);
  return head;
}

/** @throws GazetteError `unknown_feed` */
function* registerThen(sql: Sql, feedId: string, number: number, at: string): Rule<Then> {
  const head = yield* checkThere(sql, feedId, number);
  const ms = toEpochMs(at);
  const change = yield* lastOf(
    sql,
    head.change,
    RECORDED,
    (n) => [slotOf(number, n)],
    (time) => time <= ms,
  );
  const entry = slotOf(number, change);
  const top = yield* lastOf(
    sql,
    head.top,
    FIRST,
    (n) => [slotOf(number, n), 1],
    (first) => first <= entry,
  );
  return { entry, top };
}

/** The last of the rows 1 to `most` of which something holds, as it does of all before it; 0: it holds of none. */
function* lastOf<T>(
  sql: Sql,
  most: number,
  rows: KeyedTable<T>,
  keyOf: (row: number) => SqlValues,
  holds: (row: T) => boolean,
): Rule<number> {
  let [low, high] = [0, most];
  while (low < high) {
    const step = Math.ceil((high - low) / PROBES);
    const probes = Array.from({ length: Math.floor((high - low) / step) }, (_, at) => keyOf(low + (at + 1) * step));
    low += (yield* sql.get(rows, probes)).filter(holds).length * step;
    high = Math.min(high, low + step - 1);
  }
  return low;
}

/** The versions of the records from one position down to above another, as they were; of a redacted record none. */
function* versionsThen(sql: Sql, number: number, entry: number, from: number, to: number): Rule<SqlRow[]> {
  const [above, upTo] = [slotOf(number, to), slotOf(number, from)];
  const searches = yield* sql.all(SEARCH)`SELECT ${SEARCH} FROM ${RECORDS} WHERE slot > ${above} AND slot <= ${upTo}
    UNION ALL SELECT ${SEARCH} FROM ${WITHDRAWN} WHERE slot > ${above} AND slot <= ${upTo}`;
  const entries = yield* entriesThen(sql, searches, entry);
  // What a redaction erased, it erased from the first version on.
  return yield* sql.all(VERSION)`${SELECT_VERSIONS}
    WHERE v.entry IN (SELECT CAST(p.value AS bigint) FROM ${EACH_TEXT}(${JSON.stringify(entries.map(String))}) p)
      AND (SELECT n.salt FROM ${VERSIONS} n WHERE n.slot = v.slot AND n.version = 1) IS NOT NULL
    ORDER BY v.slot DESC`;
}

/** By which changes records got the versions that they had: each is looked for in the middle of those it may be, all at once. */
function* entriesThen(sql: Sql, searches: readonly Search[], entry: number): Rule<number[]> {
  const found = new Map<number, number>();
  for (let left = searches; left.length > 0;) {
    const got = yield* sql.get(
      NAMED,
      left.map(({ slot, middle }) => [slot, middle]),
    );
    const entries = new Map(got.map((one) => [one.slot, one.entry]));
    left = left.flatMap(({ slot, low, high, middle }) => {
      const at = entries.get(slot);
      const isThen = at !== undefined && at <= entry;
      if (isThen) found.set(slot, at);
      const [from, to] = isThen ? [middle + 1, high] : [low, middle - 1];
      return from > to ? [] : [{ slot, low: from, high: to, middle: Math.ceil((from + to) / 2) }];
    });
  }
  return [...found.values()];
}
