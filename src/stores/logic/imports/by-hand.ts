// What was set by hand, and what its source says that was known when it was set: so that the same file says nothing new.
import { createHmac } from 'node:crypto';
import { canonicalJson, type JsonValue } from '../../../register/canonical-json.ts';
import { showValue, statedValue, statementNames } from '../../../register/declared-values.ts';
import { STATED_FIELDS } from '../../../register/fields.ts';
import type { Field } from '../../../register/record.ts';
import type { ByHandStore, HandFate, RecordAsStated, SourceSays } from '../../contract/imports/by-hand.ts';
import type { ImportEntry } from '../../contract/imports/log.ts';
import type { UnderLease } from '../../contract/leases.ts';
import type { PreparedRecord, PublishedRecord, RecordComparison } from '../../contract/prepared-record.ts';
import { CONTENT_AT, CONTENT_COLUMNS, type SqlRow, STATES, storedContentOf } from '../../rows/columns.ts';
import { statedIn } from '../../rows/prepare.ts';
import { definitionOf, feedIdOf, REGISTER, unknownFeed } from '../../rows/register.ts';
import { asNumber, asText, asTextOrNull, EACH_TEXT, FOR_UPDATE, Fragment, fragment, IS_PRESENT, numberIn, type Shape, shape, table, withoutNul } from '../../rows/sql.ts'; // prettier-ignore
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
 * that which the record had when it was kept: it holds while that is one of {@link lineOf}.
 */
const KEPT = new Table(
  'kept_by_hand',
  { slot: whole(1), said: bytes(32, 32), version: small(1) },
  { key: ['slot', 'said', 'version'], isKeyed: true },
);

/** The table. */
export const HAND_TABLES: readonly Table[] = [KEPT];

const ROWS = keyedTable(KEPT, (row: SqlRow) => row);

const NUMBER = numberIn('number');
const SECRET = REGISTERS.shape({ secret: 'row_secret' }) as Shape<{ secret: Uint8Array }>;
const SAID = shape(['said', 'slot', 'version'], ([said, slot, version]) => {
  return [Buffer.from(said as Uint8Array).toString('hex'), `${asNumber(slot)} ${asNumber(version)}`] as const;
});
const PLACE = shape(['id', 'slot', 'version'], ([id, slot, version]) => {
  return { id: asText(id), slot: asNumber(slot), version: asNumber(version) };
});

const contentOf = (row: SqlRow, from: number): PublishedRecord | null =>
  row[from + CONTENT_AT.data] === null ? null : storedContentOf(feedIdOf(asText(row[0])), row, 0, from).statement;

/** A version on which a record stands: the kind of the import that made it, null for none, and that of the import that it took back. */
interface Standing {
  readonly id: string;
  readonly slot: number;
  readonly version: number;
  readonly kind: ImportEntry['kind'] | 'keys' | null;
  readonly undone: ImportEntry['kind'] | null;
}

const STANDING = shape(['id', 'slot', 'version', 'kind', 'undone'], ([id, slot, version, kind, undone]): Standing => {
  return {
    ...{ id: asText(id), slot: asNumber(slot), version: asNumber(version) },
    ...{ kind: asTextOrNull(kind) as Standing['kind'], undone: asTextOrNull(undone) as Standing['undone'] },
  };
});

const STATED = shape(
  ['id', 'state', 'version', ...CONTENT_COLUMNS],
  (row): readonly [string, Omit<RecordAsStated, 'byHand'>] => [
    asText(row[0]),
    { state: STATES[asNumber(row[1]) as 0 | 1 | 2], version: asNumber(row[2]), statement: contentOf(row, 3) },
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
  const found = yield* sql.all(STATED)`SELECT t.id, 0, t.version, ${CONTENT}
      FROM ${EACH_TEXT}(${ids}) e JOIN ${RECORDS} t ON t.id = e.value
    UNION ALL SELECT t.id, 1 + t.is_redacted, t.version, ${CONTENT}
      FROM ${EACH_TEXT}(${ids}) e JOIN ${WITHDRAWN} t ON t.id = e.value`;
  const hand = (yield* lineOf(sql, ids)).filter(({ kind }) => kind === 'hand').sort((a, b) => b.version - a.version);
  const byHand = Map.groupBy(hand, ({ id }) => id);
  return new Map(
    found.map(([id, stated]) => [id, { ...stated, byHand: (byHand.get(id) ?? []).map(({ version }) => version) }]),
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

/**
 * The versions on which what is known of some records stands: from the last back to one that a file made, or no import. What an undo
 * took back is not among them, nor what came between: the record is again what it was before. Of an undo that was taken in from another
 * store, what it undid is there, under a number that an import here may have.
 */
function* lineOf(sql: Sql, ids: string): Rule<readonly Standing[]> {
  return yield* sql.all(STANDING)`WITH RECURSIVE line AS (
      SELECT r.id, r.slot, r.version FROM ${EACH_TEXT}(${ids}) e JOIN ${RECORDS} r ON r.id = e.value
      UNION ALL SELECT w.id, w.slot, w.version FROM ${EACH_TEXT}(${ids}) e JOIN ${WITHDRAWN} w ON w.id = e.value
      UNION ALL SELECT l.id, l.slot, CASE WHEN i.kind = 'undo' AND v.cause <> 'renumbered'
          THEN (SELECT max(n.version) FROM ${VERSIONS} n
            WHERE n.slot = l.slot AND n.import = i.undoes AND n.version < l.version)
          ELSE l.version END - 1
        FROM line l JOIN ${VERSIONS} v ON v.slot = l.slot AND v.version = l.version
          JOIN ${IMPORTS} i ON i.number = v.import WHERE i.kind <> 'file')
    SELECT l.id, l.slot, l.version, CASE WHEN v.cause = 'renumbered' THEN 'keys' ELSE i.kind END AS kind, u.kind AS undone
    FROM line l JOIN ${VERSIONS} v ON v.slot = l.slot AND v.version = l.version
      LEFT JOIN ${IMPORTS} i ON i.number = v.import LEFT JOIN ${IMPORTS} u ON u.number = i.undoes AND u.number < i.number AND u.register = i.register`;
}

/** What is remembered of some records. */
function* answersTo(sql: Sql, feedId: string, ids: readonly string[]): Rule<Answers> {
  const head = yield* sql.one(REGISTER)`SELECT ${REGISTER} FROM ${REGISTERS} WHERE id = ${withoutNul(feedId)}`;
  if (head === null) throw unknownFeed(feedId);
  const { secret } = (yield* sql.one(SECRET)`SELECT ${SECRET} FROM ${REGISTERS} WHERE number = ${head.number}`)!;
  const list = JSON.stringify(ids);
  const line = yield* lineOf(sql, list);
  const kept = yield* sql.all(SAID)`SELECT ${SAID} FROM ${KEPT} k WHERE k.slot IN
    (SELECT r.slot FROM ${EACH_TEXT}(${list}) e JOIN ${RECORDS} r ON r.id = e.value
      UNION ALL SELECT w.slot FROM ${EACH_TEXT}(${list}) e JOIN ${WITHDRAWN} w ON w.id = e.value)`;
  const idOf = new Map(line.map(({ id, slot, version }) => [`${slot} ${version}`, id]));
  const found = kept.flatMap(([said, place]) => (idOf.has(place) ? [[idOf.get(place)!, said] as const] : []));
  // An undo of work by hand gives back all that was before; what another took back no file does again unasked.
  const byHand = line.filter(({ kind, undone }) => kind === 'hand' || (kind === 'undo' && undone !== 'hand'));
  return new Answers(new Set(byHand.map(({ id }) => id)), found, { secret, fields: definitionOf(head).fields });
}

/** How what a source says is compared with what it said. */
interface Comparing {
  readonly secret: Uint8Array;
  readonly fields: readonly Field[];
}

/** What was kept although sources said it. */
class Answers {
  readonly #byHand: ReadonlySet<string>;
  readonly #said: ReadonlySet<string>;
  readonly #how: Comparing;

  /** @param byHand the ids of the records that are as somebody set them */
  constructor(byHand: ReadonlySet<string>, said: readonly (readonly string[])[], how: Comparing) {
    this.#byHand = byHand;
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
    if (!this.#byHand.has(id) || this.#has(id, stored)) return null;
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
