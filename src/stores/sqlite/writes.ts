// The writes of a SqliteStore. Every method runs inside one transaction of SqliteConnection.write(), synchronously.
import {
  compareBatch,
  contentsNeeded,
  FIRST_CAUSE,
  type Logged,
  type NewContent,
  type Placed,
  placedWith,
  planBatch,
  type ReadContent,
  statementOf,
  type Step,
  type StoredBatch,
  WITHDRAWAL,
} from '../logic/batch.ts';
import { beginTermChanges, writeTerms } from '../logic/finding/term-postings.ts';
import { markRenumbered } from '../logic/record-keys.ts';
import { committed } from '../logic/plugins/joined.ts';
import type { Rule, Sql } from '../logic/rule.ts';
import { TALLIED_COLUMNS, type ValueTally } from '../logic/value-tally.ts';
import { changedText, CONTENT_COLUMNS, RECORD_COLUMNS, slotOf, type SqlRow } from '../rows/columns.ts';
import type { KnownRecord } from '../rows/known.ts';
import { bytesAt, Committer, type RegisterLogs } from '../rows/commitment.ts';
import type { IndexProgress } from '../contract/finding.ts';
import type { CompareOptions, PreparedRecord, RecordComparison } from '../contract/prepared-record.ts';
import {
  checkRoom,
  type CommitTimes,
  commitTimes,
  definitionOf,
  type RegisterRow,
  unknownRecord,
} from '../rows/register.ts';
import type { SqliteConnection } from './connection.ts';
import { ValueWrites } from './finding/value-writes.ts';
import type { SqliteReads } from './reads.ts';
import type { SqliteStatement } from './statement.ts';
import type { StoreWrites } from '../hooks.ts';
import type { ApplyOptions, BatchResult, WithdrawResult, WriteOptions } from '../contract/registers.ts';

const CONTENT = CONTENT_COLUMNS.join(', ');
const RECORD = `slot, id, version, content_version, updated_at, ${CONTENT}`;

/** The log's next number and the counters, while a transaction runs. */
interface Tally extends CommitTimes {
  readonly register: number;
  top: number;
  change: number;
  live: number;
  readonly committer: Committer;
  /** The import that writes. */
  readonly by: number | null;
  /** How many of the last added records are not in the log yet. */
  unlogged: number;
}

/** The prepared writes of one connection. */
export class SqliteWrites implements StoreWrites {
  readonly #values: ValueWrites;
  readonly #reads: SqliteReads;
  readonly #statements: ReturnType<typeof prepareWrites>;

  constructor(connection: SqliteConnection, reads: SqliteReads) {
    this.#reads = reads;
    this.#statements = prepareWrites(connection);
    this.#values = new ValueWrites(connection);
  }

  // eslint-disable-next-line require-yield -- Its statements run at once.
  *compare(
    _: Sql,
    feedId: string,
    batch: readonly PreparedRecord[],
    { fields, ...how }: CompareOptions,
  ): Rule<readonly RecordComparison[]> {
    const head = this.#reads.head(feedId);
    const stored = this.#stored(head, batch, this.#reads.logs(head.number));
    return compareBatch(batch, stored, fields ?? definitionOf(head).fields, how);
  }

  *apply(sql: Sql, feedId: string, batch: readonly PreparedRecord[], options: ApplyOptions): Rule<BatchResult> {
    const head = this.#reads.head(feedId);
    const logs = this.#reads.logs(head.number);
    const stored = this.#stored(head, batch, options.import === undefined ? logs : null);
    const times = commitTimes(head, options.recordedAt);
    const said = { ...options, recordedAt: times.recordedAt };
    const definition = definitionOf(head);
    const values = this.#values.begin(head, definition);
    const terms = yield* beginTermChanges(sql, head, definition);
    const { steps, result } = planBatch(batch, stored, head, said, { values: values.tally, terms });
    checkRoom(feedId, { top: head.top + result.added, change: head.change + steps.length });
    if (steps.length === 0) return result;
    const tally = tallyOf(head, times, new Committer(logs.current, steps.length), options.import);
    for (const step of steps) this.#take(tally, step);
    yield* writeTerms(sql, terms);
    this.#logAdded(tally);
    const isFirst = steps.every(({ kind }) => kind === 'add');
    const added = { ids: steps.map(({ id }) => id), top: head.top, recordedAt: times.recordedAt };
    const first = isFirst ? { ...added, ...tally.committer.last(steps.length) } : null;
    yield* committed(sql, { register: head.number, from: head.change, to: tally.change, first });
    this.#setHead(tally);
    yield* markRenumbered(sql, head, steps);
    this.#values.end(head, values);
    return result;
  }

  *withdraw(sql: Sql, feedId: string, ids: readonly string[], options: WriteOptions): Rule<WithdrawResult> {
    const head = this.#reads.head(feedId);
    const known = this.#reads.known(ids.filter((id) => id.startsWith(`${feedId}:`)));
    const missing = ids.find((id) => !known.has(id));
    if (missing !== undefined) throw unknownRecord(missing);
    const found = [...new Set(ids)].map((id) => ({ id, ...known.get(id)! }));
    const live = found.filter(({ state }) => state === 'live');
    checkRoom(feedId, { top: head.top, change: head.change + live.length });
    if (live.length > 0) {
      const { current } = this.#reads.logs(head.number);
      const times = commitTimes(head, options.recordedAt);
      const tally = tallyOf(head, times, new Committer(current, live.length), options.import);
      const values = this.#values.begin(head, definitionOf(head));
      const terms = yield* beginTermChanges(sql, head, definitionOf(head));
      for (const record of live) {
        if (terms.covers(record.position)) terms.change(this.#row(tally, record), null);
        this.#moveAside(tally, record, values.tally);
        this.#touch(tally, 'touchWithdrawn', record);
        this.#log(tally, record.id, record, WITHDRAWAL);
      }
      yield* writeTerms(sql, terms);
      yield* committed(sql, { register: head.number, from: head.change, to: tally.change });
      this.#setHead(tally);
      this.#values.end(head, values);
    }
    return { withdrawn: live.length, unchanged: ids.length - live.length };
  }

  /** As {@link ValueWrites.build}. */
  // eslint-disable-next-line require-yield -- Its statements run at once.
  *buildCounts(_: Sql, feedId: string, limit: number): Rule<IndexProgress> {
    return this.#values.build(this.#reads.head(feedId), limit);
  }

  #stored(head: RegisterRow, batch: readonly PreparedRecord[], logs: RegisterLogs | null): StoredBatch {
    // An empty register contains no known ids: the first import need not look.
    const known = this.#reads.known(head.top === 0 ? [] : batch.map(({ id }) => id));
    const needed = contentsNeeded(batch, known, logs);
    // Read one at a time: thousands may be long.
    const get = (id: string): ReadContent | undefined => {
      const record = needed.get(id);
      return record === undefined ? undefined : this.#reads.content(head.number, record);
    };
    return { known, contents: { get } };
  }

  #take(tally: Tally, step: Step): void {
    if (step.kind === 'add') {
      this.#add(tally, step);
      return;
    }
    this.#logAdded(tally);
    const { known, content } = step;
    if (step.kind === 'restore') this.#moveBack(tally, known);
    if (content === null) this.#touch(tally, 'touch', known);
    else this.#replace(tally, known, content);
    this.#log(tally, step.id, placedWith(known, content), step);
  }

  /** A live record, as `recordOf()` reads it. */
  #row({ register }: Tally, { position }: Pick<KnownRecord, 'position'>): SqlRow {
    return this.#statements.row.get(slotOf(register, position))!;
  }

  #add(tally: Tally, step: Step & { readonly kind: 'add' }): void {
    const { id, values } = step.content;
    this.#statements.add.run(slotOf(tally.register, ++tally.top), id, tally.recordedAt, ...values);
    tally.live++;
    tally.committer.add(id, 1, statementOf(step));
    tally.unlogged++;
  }

  /** Writes the added records to the log, all by one statement: there may be thousands. */
  #logAdded(tally: Tally): void {
    const { register, recordedAt, committer, by, unlogged, top, change } = tally;
    if (unlogged === 0) return;
    const { salts, commitments } = committer.last(unlogged);
    const below = slotOf(register, top - unlogged);
    const toEntry = slotOf(register, change) - below;
    const bytes = [salts, below, commitments, below] as const;
    this.#statements.logAdded.run(
      toEntry,
      FIRST_CAUSE,
      recordedAt,
      ...bytes,
      committer.log,
      by,
      below,
      slotOf(register, top),
    );
    tally.change += unlogged;
    tally.unlogged = 0;
  }

  #replace(tally: Tally, known: KnownRecord, content: NewContent): void {
    const slot = slotOf(tally.register, known.position);
    this.#statements.keep.run(slot);
    const version = known.version + 1;
    this.#statements.replace.run(version, version, tally.recordedAt, ...content.values, slot);
  }

  #touch(tally: Tally, statement: 'touch' | 'touchWithdrawn', known: KnownRecord): void {
    this.#statements[statement].run(known.version + 1, tally.recordedAt, slotOf(tally.register, known.position));
  }

  #moveAside(tally: Tally, known: KnownRecord, values: ValueTally): void {
    const slot = slotOf(tally.register, known.position);
    this.#statements.moveAside.run(slot);
    tally.live--;
    values.countRow(this.#statements.drop.get(slot)!, -1);
  }

  #moveBack(tally: Tally, known: KnownRecord): void {
    const slot = slotOf(tally.register, known.position);
    this.#statements.moveBack.run(slot);
    this.#statements.dropWithdrawn.run(slot);
    tally.live++;
  }

  #log(tally: Tally, id: string, { position, version: before, contentVersion }: Placed, logged: Logged): void {
    const { register, recordedAt, committer, by } = tally;
    const version = before + 1;
    const { salt, commitment, log } = committer.commit(id, version, statementOf(logged));
    const entry = slotOf(register, ++tally.change);
    const slot = slotOf(register, position);
    const head = [entry, slot, version, contentVersion, logged.cause, recordedAt, changedText(logged.changed)] as const;
    this.#statements.log.run(...head, salt, commitment, log, by);
  }

  #setHead({ register, top, change, live, recordedAt, lastModified }: Tally): void {
    this.#statements.setHead.run(top, change, live, recordedAt, lastModified, register);
  }
}

function tallyOf(
  { number, top, change, live }: RegisterRow,
  times: CommitTimes,
  committer: Committer,
  by: number | null = null,
): Tally {
  return { register: number, ...times, top, change, live, committer, by, unlogged: 0 };
}

// All statements, each named by what it does. SqliteWrites takes its type from here.
function prepareWrites(connection: SqliteConnection) {
  const prepare = (sql: string): SqliteStatement => connection.prepare(sql);
  const marks = CONTENT_COLUMNS.map(() => '?').join(', ');
  const assignments = CONTENT_COLUMNS.map((name) => `${name} = ?`).join(', ');
  return {
    setHead: prepare(
      `UPDATE registers SET top = ?, change = ?, live = ?, last_change = ?,
        last_modified = max(?, (SELECT since + 1 FROM configuration)) WHERE number = ?`,
    ),
    add: prepare(`INSERT INTO records (${RECORD}) VALUES (?, ?, 1, 1, ?, ${marks})`),
    log: prepare(
      `INSERT INTO versions (entry, slot, version, content_version, cause, recorded_at, changed, salt, commitment, log, import)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    logAdded: prepare(
      `INSERT INTO versions (entry, slot, version, content_version, cause, recorded_at, salt, commitment, log, import)
       SELECT slot + ?, slot, 1, 1, ?, ?, ${bytesAt('?', 'slot - ? - 1')}, ${bytesAt('?', 'slot - ? - 1')}, ?, ?
       FROM records WHERE slot > ? AND slot <= ? ORDER BY slot`,
    ),
    keep: prepare(
      `INSERT INTO contents (slot, version, ${CONTENT}) SELECT slot, content_version, ${CONTENT} FROM records WHERE slot = ?`,
    ),
    replace: prepare(
      `UPDATE records SET version = ?, content_version = ?, updated_at = ?, ${assignments} WHERE slot = ?`,
    ),
    row: prepare(`SELECT ${RECORD_COLUMNS.join(', ')} FROM records WHERE slot = ?`),
    touch: prepare('UPDATE records SET version = ?, updated_at = ? WHERE slot = ?'),
    touchWithdrawn: prepare('UPDATE withdrawn SET version = ?, updated_at = ? WHERE slot = ?'),
    moveAside: prepare(`INSERT INTO withdrawn (${RECORD}) SELECT ${RECORD} FROM records WHERE slot = ?`),
    drop: prepare(`DELETE FROM records WHERE slot = ? RETURNING ${TALLIED_COLUMNS}`),
    moveBack: prepare(`INSERT INTO records (${RECORD}) SELECT ${RECORD} FROM withdrawn WHERE slot = ?`),
    dropWithdrawn: prepare('DELETE FROM withdrawn WHERE slot = ?'),
  };
}
