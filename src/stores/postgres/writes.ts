// The writes of a PostgresStore. Every method runs inside one transaction and takes the register's lock first, so that
// positions and change numbers are assigned in the order in which the transactions commit.
import {
  compareBatch,
  FIRST,
  type Logged,
  type Placed,
  placedWith,
  planBatch,
  statementOf,
  type Step,
  WITHDRAWAL,
} from '../logic/batch.ts';
import { beginTermChanges, type TermChanges, writeTerms } from '../logic/finding/term-postings.ts';
import { markRenumbered } from '../logic/record-keys.ts';
import { committed } from '../logic/plugins/joined.ts';
import { TALLIED_COLUMNS } from '../logic/value-tally.ts';
import { changedText, CONTENT_COLUMNS, RECORD_COLUMNS, slotOf, type SqlRow } from '../rows/columns.ts';
import { bytesAt, Committer, type RegisterLogs } from '../rows/commitment.ts';
import type { KnownRecord } from '../rows/known.ts';
import type { CompareOptions, PreparedRecord, RecordComparison } from '../contract/prepared-record.ts';
import type { Rule, Sql } from '../logic/rule.ts';
import type { StoreWrites } from '../hooks.ts';
import { query } from './engine.ts';
import { contentArrays, contentRows, knownRecords, logsOf, type NewRow, storedBatch } from './batch-rows.ts';
import { ValueWrites } from './value-counts.ts';
import {
  checkRoom,
  type CommitTimes,
  commitTimes,
  definitionOf,
  REGISTER,
  type RegisterRow,
  unknownFeed,
  unknownRecord,
} from '../rows/register.ts';
import type { IndexProgress } from '../contract/finding.ts';
import type { ApplyOptions, BatchResult, WithdrawResult, WriteOptions } from '../contract/registers.ts';

const CONTENT = CONTENT_COLUMNS.join(', ');
const RECORD = `slot, id, version, content_version, updated_at, ${CONTENT}`;

/** Where a row is in the bytes of all rows: arrays of bytes `pg` would write as text. */
const PLACE = 'place::integer - 1';

/** When a batch is committed, and the import that writes it. */
interface WriteTimes extends CommitTimes {
  readonly by?: number | null | undefined;
}

interface NewVersion extends Placed {
  readonly id: string;
  readonly why: Logged;
}

/** The writes of one store. */
export class PostgresWrites implements StoreWrites {
  readonly #prefix: string;
  readonly #values: ValueWrites;

  constructor(prefix: string) {
    this.#prefix = prefix;
    this.#values = new ValueWrites(prefix);
  }

  /** As {@link ValueWrites.build}. */
  *buildCounts(_: Sql, feedId: string, limit: number): Rule<IndexProgress> {
    return yield* this.#values.build(yield* this.lock(feedId), limit);
  }

  /**
   * Takes the register's lock and holds it until the transaction ends.
   *
   * @throws GazetteError `unknown_feed`
   */
  *lock(feedId: string): Rule<RegisterRow> {
    return yield* this.#head(feedId, 'FOR UPDATE');
  }

  *compare(
    _: Sql,
    feedId: string,
    batch: readonly PreparedRecord[],
    { fields, ...how }: CompareOptions,
  ): Rule<readonly RecordComparison[]> {
    const head = yield* this.#head(feedId);
    const stored = yield* storedBatch(this.#prefix, head, batch, yield* logsOf(this.#prefix, head));
    return compareBatch(batch, stored, fields ?? definitionOf(head).fields, how);
  }

  *apply(sql: Sql, feedId: string, batch: readonly PreparedRecord[], options: ApplyOptions): Rule<BatchResult> {
    const head = yield* this.lock(feedId);
    const logs = yield* logsOf(this.#prefix, head);
    const stored = yield* storedBatch(this.#prefix, head, batch, options.import === undefined ? logs : null);
    const times = commitTimes(head, options.recordedAt);
    const said = { ...options, recordedAt: times.recordedAt };
    const values = yield* this.#values.begin(head);
    const terms = yield* beginTermChanges(sql, head, definitionOf(head));
    const { steps, result } = planBatch(batch, stored, head, said, { values: values.tally, terms });
    checkRoom(feedId, { top: head.top + result.added, change: head.change + steps.length });
    if (steps.length > 0) {
      yield* this.#take(sql, head, logs, steps, { ...times, by: options.import });
      yield* writeTerms(sql, terms);
      yield* markRenumbered(sql, head, steps);
      yield* this.#values.end(head, values);
    }
    return result;
  }

  *withdraw(sql: Sql, feedId: string, ids: readonly string[], options: WriteOptions): Rule<WithdrawResult> {
    const head = yield* this.lock(feedId);
    const known = yield* knownRecords(
      this.#prefix,
      ids.filter((id) => id.startsWith(`${feedId}:`)),
    );
    const missing = ids.find((id) => !known.has(id));
    if (missing !== undefined) throw unknownRecord(missing);
    const found = [...new Set(ids)].map((id) => ({ id, ...known.get(id)! }));
    const live = found.filter(({ state }) => state === 'live');
    checkRoom(feedId, { top: head.top, change: head.change + live.length });
    if (live.length > 0) {
      const times = commitTimes(head, options.recordedAt);
      const values = yield* this.#values.begin(head);
      const terms = yield* beginTermChanges(sql, head, definitionOf(head));
      for (const row of yield* this.#rows(head, live, terms)) terms.change(row, null);
      yield* writeTerms(sql, terms);
      for (const row of yield* this.#move('records', 'withdrawn', head, live)) values.tally.countRow(row, -1);
      yield* this.#values.end(head, values);
      yield* this.#touch('withdrawn', head, live, times);
      const counters = { top: head.top, live: head.live - live.length };
      const versions = live.map((record) => ({ ...record, why: WITHDRAWAL }));
      yield* this.#log(
        sql,
        head,
        yield* logsOf(this.#prefix, head),
        counters,
        { ...times, by: options.import },
        versions,
      );
    }
    return { withdrawn: live.length, unchanged: ids.length - live.length };
  }

  *#head(feedId: string, lock: 'FOR UPDATE' | '' = ''): Rule<RegisterRow> {
    const text = `SELECT ${REGISTER.columns.join(', ')} FROM ${this.#prefix}registers WHERE id = $1 ${lock}`;
    const [row] = yield* query(text, [feedId]);
    if (row === undefined) throw unknownFeed(feedId);
    return REGISTER.read(row);
  }

  /** Those records that the index has, as `recordOf()` reads them. */
  *#rows(
    head: RegisterRow,
    records: readonly { readonly position: number }[],
    terms: TermChanges,
  ): Rule<readonly SqlRow[]> {
    const slots = records
      .filter(({ position }) => terms.covers(position))
      .map(({ position }) => slotOf(head.number, position));
    if (slots.length === 0) return [];
    return yield* query(`SELECT ${RECORD_COLUMNS.join(', ')} FROM ${this.#prefix}records WHERE slot = ANY ($1)`, [
      slots,
    ]);
  }

  *#take(sql: Sql, head: RegisterRow, logs: RegisterLogs, steps: readonly Step[], times: WriteTimes): Rule<void> {
    let { top, live } = head;
    const added: NewRow[] = [];
    const replaced: NewRow[] = [];
    const restored: KnownRecord[] = [];
    const touched: KnownRecord[] = [];
    const versions = steps.map((step): NewVersion => {
      const { id } = step;
      if (step.kind === 'add') {
        const record = { ...FIRST, position: ++top };
        live++;
        added.push({ ...record, content: step.content });
        return { ...record, id, why: step };
      }
      const { known, content } = step;
      if (step.kind === 'restore') {
        restored.push(known);
        live++;
      }
      if (content === null) touched.push(known);
      else replaced.push({ ...known, content });
      return { ...placedWith(known, content), id, why: step };
    });
    yield* this.#move('withdrawn', 'records', head, restored);
    yield* this.#touch('records', head, touched, times);
    yield* this.#add(head, added, times);
    yield* this.#replace(head, replaced, times);
    yield* this.#log(sql, head, logs, { top, live }, times, versions);
  }

  *#add(head: RegisterRow, added: readonly NewRow[], { recordedAt }: CommitTimes): Rule<void> {
    if (added.length === 0) return;
    const text = `INSERT INTO ${this.#prefix}records (${RECORD})
      SELECT slot, id, 1, 1, $1, ${CONTENT} FROM ${contentRows(['bigint', 'text'], 2)}
      AS n (slot, id, ${CONTENT})`;
    const values = contentArrays(added, ({ position, content }) => {
      return [slotOf(head.number, position), content.id];
    });
    yield* query(text, [recordedAt, ...values]);
  }

  *#replace(head: RegisterRow, replaced: readonly NewRow[], { recordedAt }: CommitTimes): Rule<void> {
    if (replaced.length === 0) return;
    const slots = replaced.map(({ position }) => slotOf(head.number, position));
    const keep = `INSERT INTO ${this.#prefix}contents (slot, version, ${CONTENT})
      SELECT slot, content_version, ${CONTENT} FROM ${this.#prefix}records WHERE slot = ANY ($1)`;
    yield* query(keep, [slots]);
    const assignments = CONTENT_COLUMNS.map((name) => `${name} = n.${name}`).join(', ');
    const text = `UPDATE ${this.#prefix}records r
      SET version = n.version, content_version = n.version, updated_at = $1, ${assignments}
      FROM ${contentRows(['bigint', 'integer'], 2)} AS n (slot, version, ${CONTENT})
      WHERE r.slot = n.slot`;
    const values = contentArrays(replaced, ({ position, version }) => [slotOf(head.number, position), version + 1]);
    yield* query(text, [recordedAt, ...values]);
  }

  /** Sets only the number and time of the records' next version. */
  *#touch(
    table: 'records' | 'withdrawn',
    head: RegisterRow,
    records: readonly KnownRecord[],
    { recordedAt }: CommitTimes,
  ): Rule<void> {
    if (records.length === 0) return;
    const text = `UPDATE ${this.#prefix}${table} SET version = version + 1, updated_at = $1 WHERE slot = ANY ($2)`;
    yield* query(text, [recordedAt, records.map(({ position }) => slotOf(head.number, position))]);
  }

  /** @returns {@link TALLIED_COLUMNS} of each record */
  *#move(from: string, to: string, head: RegisterRow, records: readonly KnownRecord[]): Rule<readonly SqlRow[]> {
    if (records.length === 0) return [];
    const text = `WITH moved AS (DELETE FROM ${this.#prefix}${from} WHERE slot = ANY ($1) RETURNING ${RECORD})
      INSERT INTO ${this.#prefix}${to} (${RECORD}) SELECT ${RECORD} FROM moved RETURNING ${TALLIED_COLUMNS}`;
    return yield* query(text, [records.map(({ position }) => slotOf(head.number, position))]);
  }

  /** Adds the versions to the log and updates the register's counters. */
  *#log(
    sql: Sql,
    { number, change }: RegisterRow,
    { current }: RegisterLogs,
    { top, live }: Pick<RegisterRow, 'top' | 'live'>,
    { recordedAt, lastModified, by = null }: WriteTimes,
    rows: readonly NewVersion[],
  ): Rule<void> {
    const committer = new Committer(current, rows.length);
    for (const { id, version, why } of rows) committer.add(id, version + 1, statementOf(why));
    const { salts, commitments } = committer.last(rows.length);
    const text = `INSERT INTO ${this.#prefix}versions
        (entry, slot, version, content_version, cause, recorded_at, changed, salt, commitment, log, import)
      SELECT entry, slot, version, content_version, cause, $1, changed,
        ${bytesAt('$9::bytea', PLACE)}, ${bytesAt('$10::bytea', PLACE)}, $2, $11
      FROM unnest($3::bigint[], $4::bigint[], $5::integer[], $6::integer[], $7::text[], $8::text[])
      WITH ORDINALITY AS n (entry, slot, version, content_version, cause, changed, place)`;
    yield* query(text, [
      recordedAt,
      current.number,
      rows.map((_, index) => slotOf(number, change + 1 + index)),
      rows.map(({ position }) => slotOf(number, position)),
      rows.map(({ version }) => version + 1),
      rows.map(({ contentVersion }) => contentVersion),
      rows.map(({ why }) => why.cause),
      rows.map(({ why }) => changedText(why.changed)),
      salts,
      commitments,
      by,
    ]);
    const added = { ids: rows.map(({ id }) => id), top: top - rows.length, recordedAt, salts, commitments };
    const isFirst = rows.every(({ version }) => version === 0);
    const commit = { register: number, from: change, to: change + rows.length, first: isFirst ? added : null };
    yield* committed(sql, commit);
    const counters = `UPDATE ${this.#prefix}registers SET top = $1, change = $2, live = $3, last_change = $4,
      last_modified = greatest($5, (SELECT since + 1 FROM ${this.#prefix}configuration FOR SHARE)) WHERE number = $6`;
    yield* query(counters, [top, change + rows.length, live, recordedAt, lastModified, number]);
  }
}
