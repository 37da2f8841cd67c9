// What was set by hand, and what its source says that was known when it was set: so that the same file says nothing new.
import { createHmac } from 'node:crypto';
import { canonicalJson, type JsonValue } from '../../../register/canonical-json.ts';
import { showValue, statedValue, statementNames } from '../../../register/declared-values.ts';
import { STATED_FIELDS } from '../../../register/fields.ts';
import type { Field } from '../../../register/record.ts';
import type { ByHandStore, HandFate, RecordAsStated, SourceSays } from '../../contract/imports/by-hand.ts';
import type { UnderLease } from '../../contract/leases.ts';
import type { PreparedRecord, PublishedRecord, RecordComparison } from '../../contract/prepared-record.ts';
import { CONTENT_AT, CONTENT_COLUMNS, type SqlRow, STATES, storedContentOf } from '../../rows/columns.ts';
import { statedIn } from '../../rows/prepare.ts';
import { definitionOf, feedIdOf, REGISTER, unknownFeed } from '../../rows/register.ts';
import { asNumber, asText, EACH_TEXT, FOR_UPDATE, Fragment, fragment, IS_PRESENT, numberIn, type Shape, shape, table, withoutNul } from '../../rows/sql.ts'; // prettier-ignore
import { bytes, small, Table, whole } from '../../rows/table.ts';
import { beginWrite, endWrite } from '../leases.ts';
import { type Engine, keyedTable, type Rule, type Sql } from '../rule.ts';
import { REGISTERS } from '../schema/register-tables.ts';

const RECORDS = table('records');
const WITHDRAWN = table('withdrawn');
const VERSIONS = table('versions');
const IMPORTS = table('imports');

/**
 * What the sources of records say, where something else was set by hand: HMAC-SHA-256 under the register's secret. The version is
 * that which the record had when it was kept: once a file has made a later one, it says nothing any more.
 */
const KEPT = new Table(
  'kept_by_hand',
  { slot: whole(1), said: bytes(32, 32), version: small(1) },
  { key: ['slot', 'said'], isKeyed: true },
);

/** The table. */
export const HAND_TABLES: readonly Table[] = [KEPT];

const ROWS = keyedTable(KEPT, (row: SqlRow) => row);

const NUMBER = numberIn('number');
const SECRET = REGISTERS.shape({ secret: 'row_secret' }) as Shape<{ secret: Uint8Array }>;
const FOUND = shape(['id', 'said'], ([id, said]) => [asText(id), Buffer.from(said as Uint8Array).toString('hex')]);
const PLACE = shape(['id', 'slot', 'version'], ([id, slot, version]) => {
  return { id: asText(id), slot: asNumber(slot), version: asNumber(version) };
});

const contentOf = (row: SqlRow, from: number): PublishedRecord | null =>
  row[from + CONTENT_AT.data] === null ? null : storedContentOf(feedIdOf(asText(row[0])), row, 0, from).statement;

const STATED = shape(
  ['id', 'state', 'version', 'kind', ...CONTENT_COLUMNS],
  (row): readonly [string, RecordAsStated] => [
    asText(row[0]),
    {
      state: STATES[asNumber(row[1]) as 0 | 1 | 2],
      version: asNumber(row[2]),
      statement: contentOf(row, 4),
      isByHand: row[3] !== null && row[3] !== 'file',
    },
  ],
);

/** Live records, each with what it states. */
const LIVE = shape(['id', ...CONTENT_COLUMNS], (row) => [asText(row[0]), contentOf(row, 1)!] as const);

/** The kind of the import that made the current version of `t`, or the one before it that was no renumbering. */
const KIND = fragment`(SELECT i.kind FROM ${VERSIONS} v LEFT JOIN ${IMPORTS} i ON i.number = v.import
  WHERE v.slot = t.slot AND v.cause <> 'renumbered' ORDER BY v.version DESC LIMIT 1)`;

const CONTENT = new Fragment(() => CONTENT_COLUMNS.map((name) => `t.${name}`).join(', '));

/** Work by hand, in a store. */
export function byHandOn(engine: Engine): ByHandStore {
  return {
    numbers: (feedId) => engine.read(numbersOf, feedId),
    find: (recordIds) => engine.read(findStated, recordIds),
    absent: (feedId, ids) => engine.read(absentByHand, feedId, ids),
    keep: (feedId, says, under = {}) => engine.write(keepByHand, feedId, says, under),
  };
}

function* numbersOf(sql: Sql, feedId: string): Rule<ReadonlySet<number>> {
  const register = yield* sql.one(NUMBER)`SELECT ${NUMBER} FROM ${REGISTERS}
    WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT}`;
  if (register === null) throw unknownFeed(feedId);
  return new Set(
    yield* sql.all(NUMBER)`SELECT ${NUMBER} FROM ${IMPORTS} WHERE register = ${register} AND kind IN ('hand', 'undo')`,
  );
}

function* findStated(sql: Sql, recordIds: readonly string[]): Rule<ReadonlyMap<string, RecordAsStated>> {
  const ids = JSON.stringify(recordIds.map(withoutNul));
  return new Map(
    yield* sql.all(STATED)`SELECT t.id, 0, t.version, ${KIND}, ${CONTENT}
        FROM ${EACH_TEXT}(${ids}) e JOIN ${RECORDS} t ON t.id = e.value
      UNION ALL SELECT t.id, 1 + t.is_redacted, t.version, ${KIND}, ${CONTENT}
        FROM ${EACH_TEXT}(${ids}) e JOIN ${WITHDRAWN} t ON t.id = e.value`,
  );
}

function* absentByHand(sql: Sql, feedId: string, ids: readonly string[]): Rule<ReadonlyMap<string, HandFate>> {
  const live = yield* sql.all(LIVE)`SELECT t.id, ${CONTENT}
    FROM ${EACH_TEXT}(${JSON.stringify(ids)}) e JOIN ${RECORDS} t ON t.id = e.value WHERE ${KIND} <> 'file'`;
  const fates = new Map<string, HandFate>();
  if (live.length === 0) return fates;
  const answers = yield* answersTo(sql, feedId, live.map(([id]) => id)); // prettier-ignore
  for (const [id, statement] of live) {
    const fate = answers.fate(id, statement, null);
    if (fate !== null) fates.set(id, fate);
  }
  return fates;
}

/** Says of records that would change which of them stay as they are set by hand. */
export function* settleByHand(
  sql: Sql,
  feedId: string,
  batch: readonly PreparedRecord[],
  comparisons: readonly RecordComparison[],
): Rule<readonly RecordComparison[]> {
  const ids = batch.filter((_, at) => comparisons[at]!.byHand !== null).map(({ id }) => id);
  if (ids.length === 0) return comparisons;
  const answers = yield* answersTo(sql, feedId, ids);
  return comparisons.map((comparison, at) => {
    if (comparison.byHand === null) return comparison;
    const byHand = answers.fate(batch[at]!.id, comparison.before, statedIn(batch[at]!));
    return byHand === 'kept'
      ? { ...comparison, byHand, outcome: 'unchanged', changed: [], before: null }
      : { ...comparison, byHand };
  });
}

/** Whether a version of the record that a file made, or no import, is later than what was kept. */
const IS_OVER = fragment`EXISTS (SELECT 1 FROM ${VERSIONS} v LEFT JOIN ${IMPORTS} i ON i.number = v.import
  WHERE v.slot = k.slot AND v.version > k.version AND coalesce(i.kind, 'file') = 'file')`;

/** What is remembered of some records. */
function* answersTo(sql: Sql, feedId: string, ids: readonly string[]): Rule<Answers> {
  const head = yield* sql.one(REGISTER)`SELECT ${REGISTER} FROM ${REGISTERS} WHERE id = ${withoutNul(feedId)}`;
  if (head === null) throw unknownFeed(feedId);
  const { secret } = (yield* sql.one(SECRET)`SELECT ${SECRET} FROM ${REGISTERS} WHERE number = ${head.number}`)!;
  const list = JSON.stringify(ids);
  const found = yield* sql.all(FOUND)`SELECT r.id, k.said FROM ${EACH_TEXT}(${list}) e
      JOIN ${RECORDS} r ON r.id = e.value JOIN ${KEPT} k ON k.slot = r.slot WHERE NOT ${IS_OVER}
    UNION ALL SELECT w.id, k.said FROM ${EACH_TEXT}(${list}) e
      JOIN ${WITHDRAWN} w ON w.id = e.value JOIN ${KEPT} k ON k.slot = w.slot WHERE NOT ${IS_OVER}`;
  return new Answers(found, { secret, fields: definitionOf(head).fields });
}

/** How what a source says is compared with what it said. */
interface Comparing {
  readonly secret: Uint8Array;
  readonly fields: readonly Field[];
}

/** What was kept although sources said it. */
class Answers {
  readonly #said: ReadonlySet<string>;
  readonly #how: Comparing;

  constructor(said: readonly (readonly string[])[], how: Comparing) {
    this.#said = new Set(said.map(([id, digest]) => `${digest} ${id}`));
    this.#how = how;
  }

  /**
   * What becomes of a record. Null: its source says what is stored, so that nothing of a hand would be lost.
   *
   * @param stored null: it is withdrawn
   * @param said null: the source lacks it
   */
  fate(id: string, stored: PublishedRecord | null, said: PublishedRecord | null): HandFate | null {
    if (this.#has(id, stored)) return null;
    return this.#has(id, said) ? 'kept' : 'asked';
  }

  #has(id: string, said: PublishedRecord | null): boolean {
    return this.#said.has(`${Buffer.from(digestOf(id, said, this.#how)).toString('hex')} ${id}`);
  }
}

/**
 * The digest of what a source says. What files of another format, or of another day, write differently is the same: as in
 * `changedFields()`, and whatever `observed_at` they state.
 */
function digestOf(id: string, said: PublishedRecord | null, { secret, fields }: Comparing): Uint8Array {
  const digest = createHmac('sha256', secret).update(`${id}\n`);
  if (said === null) return digest.digest();
  const declared = new Set(fields.flatMap(statementNames));
  const members: (readonly [name: string, value: JsonValue])[] = [
    ...STATED_FIELDS.filter((name) => name !== 'observed_at').map((name) => [name, said[name]] as const),
    ...fields.map((field) => {
      const value = statedValue(field, said.data);
      return [`data.${field.name}`, showValue(field, value) ?? value] as const;
    }),
    ...Object.entries(said.data)
      .filter(([name]) => !declared.has(name))
      .map(([name, value]) => [`data.${name}`, value] as const),
  ];
  const stated = members.filter(([, value]) => value !== null && value !== '');
  return digest.update(canonicalJson(Object.fromEntries(stated))).digest();
}

function* keepByHand(sql: Sql, feedId: string, says: readonly SourceSays[], under: UnderLease): Rule<void> {
  const head = yield* sql.one(REGISTER)`SELECT ${REGISTER} FROM ${REGISTERS}
    WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT} ${FOR_UPDATE}`;
  if (head === null) throw unknownFeed(feedId);
  if ((yield* beginWrite(sql, feedId, head.number, under)) !== null) return;
  const { secret } = (yield* sql.one(SECRET)`SELECT ${SECRET} FROM ${REGISTERS} WHERE number = ${head.number}`)!;
  const how = { secret, fields: definitionOf(head).fields };
  const list = JSON.stringify(says.map(({ id }) => id));
  const places = yield* sql.all(PLACE)`SELECT t.id, t.slot, t.version FROM ${EACH_TEXT}(${list}) e
      JOIN ${RECORDS} t ON t.id = e.value
    UNION ALL SELECT t.id, t.slot, t.version FROM ${EACH_TEXT}(${list}) e
      JOIN ${WITHDRAWN} t ON t.id = e.value WHERE t.is_redacted = 0`;
  const saidOf = new Map(says.map(({ id, record }) => [id, record]));
  const rows = places.map(({ id, slot, version }) => {
    const record = saidOf.get(id) ?? null;
    return [slot, digestOf(id, record === null ? null : statedIn(record), how), version];
  });
  yield* sql.put(ROWS, rows);
  yield* endWrite(sql, under, []);
}

/** Erases what is remembered of a record, before its content is erased. */
export function* eraseKept(sql: Sql, slot: number): Rule<void> {
  yield* sql.run`DELETE FROM ${KEPT} WHERE slot = ${slot}`;
}
