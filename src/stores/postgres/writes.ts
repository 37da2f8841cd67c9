// The writes of a PostgresStore. Every method runs inside one transaction and takes the register's lock first, so that
// positions and change numbers are assigned in the order in which the transactions commit.
import {
  contentsNeeded,
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
import { growTree } from '../logic/proofs/log-tree.ts';
import { TALLIED_COLUMNS } from '../logic/value-tally.ts';
import {
  changedText,
  CONTENT_COLUMNS,
  RECORD_COLUMNS,
  slotOf,
  type SqlRow,
  type StoredContent,
  storedContentOf,
} from '../rows/columns.ts';
import { bytesAt, Committer, LOG, RegisterLogs } from '../rows/commitment.ts';
import { type KnownRecord, knownRecordOf, selectKnown } from '../rows/known.ts';
import type { PreparedRecord } from '../contract/prepared-record.ts';
import type { RunQuery } from './connection.ts';
import type { RunRule } from './engine.ts';
import { contentArrays, contentRows, type NewRow } from './content-arrays.ts';
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
import type { ApplyOptions, BatchResult, WithdrawResult, WriteOptions } from '../contract/registers.ts';

const CONTENT = CONTENT_COLUMNS.join(', ');
const RECORD = `slot, id, version, content_version, updated_at, ${CONTENT}`;

/** Where a row is in the bytes of all rows: arrays of bytes `pg` would write as text. */
const PLACE = 'place::integer - 1';

interface NewVersion extends Placed {
  readonly id: string;
  readonly why: Logged;
}

/** The writes of one transaction. */
export class PostgresWrites {
  readonly #query: RunQuery;
  readonly #prefix: string;
  readonly #run: RunRule;
  readonly #values: ValueWrites;

  constructor(query: RunQuery, prefix: string, run: RunRule) {
    this.#query = query;
    this.#prefix = prefix;
    this.#run = run;
    this.#values = new ValueWrites(query, prefix);
  }

  /**
   * Takes the register's lock and holds it until the transaction ends.
   *
   * @throws GazetteError `unknown_feed`
   */
  async lock(feedId: string): Promise<RegisterRow> {
    const sql = `SELECT ${REGISTER.columns.join(', ')} FROM ${this.#prefix}registers WHERE id = $1 FOR UPDATE`;
    const [row] = await this.#query(sql, [feedId]);
    if (row === undefined) throw unknownFeed(feedId);
    return REGISTER.read(row);
  }

  async apply(feedId: string, batch: readonly PreparedRecord[], options: ApplyOptions): Promise<BatchResult> {
    const head = await this.lock(feedId);
    const ids = batch.map(({ id }) => id);
    // An empty register contains no known ids: the first import need not look.
    const known = head.top === 0 ? new Map<string, KnownRecord>() : await this.#known(ids);
    const logs = await this.#logs(head);
    const contents = await this.#contents(feedId, head, contentsNeeded(batch, known, logs));
    const times = commitTimes(head, options.recordedAt);
    const said = { ...options, recordedAt: times.recordedAt };
    const values = await this.#values.begin(head);
    const { steps, result } = planBatch(batch, known, contents, definitionOf(head).fields, said, values.tally);
    checkRoom(feedId, { top: head.top + result.added, change: head.change + steps.length });
    if (options.dryRun !== true && steps.length > 0) {
      await this.#take(head, logs, steps, times);
      await this.#values.end(head, values);
    }
    return result;
  }

  async withdraw(feedId: string, ids: readonly string[], options: WriteOptions): Promise<WithdrawResult> {
    const head = await this.lock(feedId);
    const known = await this.#known(ids.filter((id) => id.startsWith(`${feedId}:`)));
    const missing = ids.find((id) => !known.has(id));
    if (missing !== undefined) throw unknownRecord(missing);
    const found = [...new Set(ids)].map((id) => ({ id, ...known.get(id)! }));
    const live = found.filter(({ state }) => state === 'live');
    checkRoom(feedId, { top: head.top, change: head.change + live.length });
    if (options.dryRun !== true && live.length > 0) {
      const times = commitTimes(head, options.recordedAt);
      const values = await this.#values.begin(head);
      const terms = await this.#run(beginTermChanges, head, definitionOf(head));
      for (const row of await this.#rows(head, live, terms)) terms.change(row, null);
      await this.#run(writeTerms, terms);
      for (const row of await this.#move('records', 'withdrawn', head, live)) values.tally.countRow(row, -1);
      await this.#values.end(head, values);
      await this.#touch('withdrawn', head, live, times);
      const counters = { top: head.top, live: head.live - live.length };
      const versions = live.map((record) => ({ ...record, why: WITHDRAWAL }));
      await this.#log(head, await this.#logs(head), counters, times, versions);
    }
    return { withdrawn: live.length, unchanged: ids.length - live.length };
  }

  async #known(ids: readonly string[]): Promise<Map<string, KnownRecord>> {
    const known = (table: 'records' | 'withdrawn'): string => {
      return `${selectKnown(this.#prefix, table, true)} WHERE r.id = ANY ($1)`;
    };
    const rows = await this.#query(`${known('records')} UNION ALL ${known('withdrawn')}`, [ids]);
    return new Map(rows.map((row) => [row.at(-1) as string, knownRecordOf(row)]));
  }

  async #logs({ number }: RegisterRow): Promise<RegisterLogs> {
    const sql = `SELECT ${LOG.columns.join(', ')} FROM ${this.#prefix}logs WHERE register = $1 ORDER BY number`;
    return new RegisterLogs((await this.#query(sql, [number])).map(LOG.read));
  }

  async #contents(
    feedId: string,
    head: RegisterRow,
    needed: ReadonlyMap<string, KnownRecord>,
  ): Promise<Map<string, StoredContent>> {
    if (needed.size === 0) return new Map();
    const slots = [...needed.values()].map(({ position }) => slotOf(head.number, position));
    // An erased content has no title.
    const sql = `SELECT id, ${CONTENT} FROM ${this.#prefix}records WHERE slot = ANY ($1)
      UNION ALL SELECT id, ${CONTENT} FROM ${this.#prefix}withdrawn WHERE slot = ANY ($1) AND title IS NOT NULL`;
    const rows = await this.#query(sql, [slots]);
    return new Map(rows.map((row) => [row[0] as string, storedContentOf(feedId, row, 0, 1)]));
  }

  /** Those records that the index has, as `recordOf()` reads them. */
  async #rows(
    head: RegisterRow,
    records: readonly { readonly position: number }[],
    terms: TermChanges,
  ): Promise<SqlRow[]> {
    const slots = records
      .filter(({ position }) => terms.covers(position))
      .map(({ position }) => slotOf(head.number, position));
    if (slots.length === 0) return [];
    return this.#query(`SELECT ${RECORD_COLUMNS.join(', ')} FROM ${this.#prefix}records WHERE slot = ANY ($1)`, [
      slots,
    ]);
  }

  async #take(head: RegisterRow, logs: RegisterLogs, steps: readonly Step[], times: CommitTimes): Promise<void> {
    let { top, live } = head;
    const added: NewRow[] = [];
    const replaced: NewRow[] = [];
    const restored: KnownRecord[] = [];
    const touched: KnownRecord[] = [];
    const changed: KnownRecord[] = [];
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
      } else changed.push(known);
      if (content === null) touched.push(known);
      else replaced.push({ ...known, content });
      return { ...placedWith(known, content), id, why: step };
    });
    const terms = await this.#run(beginTermChanges, head, definitionOf(head));
    const before = new Map((await this.#rows(head, changed, terms)).map((row) => [Number(row[0]), row]));
    await this.#move('withdrawn', 'records', head, restored);
    await this.#touch('records', head, touched, times);
    await this.#add(head, added, times);
    await this.#replace(head, replaced, times);
    for (const { position, version, content } of [...added, ...replaced]) {
      const slot = slotOf(head.number, position);
      terms.change(before.get(slot) ?? null, [slot, content.id, version + 1, times.recordedAt, ...content.values]);
    }
    for (const row of await this.#rows(head, touched, terms)) terms.change(null, row);
    await this.#run(writeTerms, terms);
    await this.#log(head, logs, { top, live }, times, versions);
  }

  async #add(head: RegisterRow, added: readonly NewRow[], { recordedAt }: CommitTimes): Promise<void> {
    if (added.length === 0) return;
    const sql = `INSERT INTO ${this.#prefix}records (${RECORD})
      SELECT slot, id, 1, 1, $1, ${CONTENT} FROM ${contentRows(['bigint', 'text'], 2)}
      AS n (slot, id, ${CONTENT})`;
    const values = contentArrays(added, ({ position, content }) => {
      return [slotOf(head.number, position), content.id];
    });
    await this.#query(sql, [recordedAt, ...values]);
  }

  async #replace(head: RegisterRow, replaced: readonly NewRow[], { recordedAt }: CommitTimes): Promise<void> {
    if (replaced.length === 0) return;
    const slots = replaced.map(({ position }) => slotOf(head.number, position));
    const keep = `INSERT INTO ${this.#prefix}contents (slot, version, ${CONTENT})
      SELECT slot, content_version, ${CONTENT} FROM ${this.#prefix}records WHERE slot = ANY ($1)`;
    await this.#query(keep, [slots]);
    const assignments = CONTENT_COLUMNS.map((name) => `${name} = n.${name}`).join(', ');
    const sql = `UPDATE ${this.#prefix}records r
      SET version = n.version, content_version = n.version, updated_at = $1, ${assignments}
      FROM ${contentRows(['bigint', 'integer'], 2)} AS n (slot, version, ${CONTENT})
      WHERE r.slot = n.slot`;
    const values = contentArrays(replaced, ({ position, version }) => [slotOf(head.number, position), version + 1]);
    await this.#query(sql, [recordedAt, ...values]);
  }

  /** Sets only the number and time of the records' next version. */
  async #touch(
    table: 'records' | 'withdrawn',
    head: RegisterRow,
    records: readonly KnownRecord[],
    { recordedAt }: CommitTimes,
  ): Promise<void> {
    if (records.length === 0) return;
    const sql = `UPDATE ${this.#prefix}${table} SET version = version + 1, updated_at = $1 WHERE slot = ANY ($2)`;
    await this.#query(sql, [recordedAt, records.map(({ position }) => slotOf(head.number, position))]);
  }

  /** @returns {@link TALLIED_COLUMNS} of each record */
  async #move(
    from: string,
    to: string,
    head: RegisterRow,
    records: readonly KnownRecord[],
  ): Promise<readonly SqlRow[]> {
    if (records.length === 0) return [];
    const sql = `WITH moved AS (DELETE FROM ${this.#prefix}${from} WHERE slot = ANY ($1) RETURNING ${RECORD})
      INSERT INTO ${this.#prefix}${to} (${RECORD}) SELECT ${RECORD} FROM moved RETURNING ${TALLIED_COLUMNS}`;
    return this.#query(sql, [records.map(({ position }) => slotOf(head.number, position))]);
  }

  /** Adds the versions to the log and updates the register's counters. */
  async #log(
    { number, change }: RegisterRow,
    { current }: RegisterLogs,
    { top, live }: Pick<RegisterRow, 'top' | 'live'>,
    { recordedAt, lastModified }: CommitTimes,
    rows: readonly NewVersion[],
  ): Promise<void> {
    const committer = new Committer(current, rows.length);
    for (const { id, version, why } of rows) committer.add(id, version + 1, statementOf(why));
    const { salts, commitments } = committer.last(rows.length);
    const sql = `INSERT INTO ${this.#prefix}versions
        (entry, slot, version, content_version, cause, recorded_at, changed, salt, commitment, log)
      SELECT entry, slot, version, content_version, cause, $1, changed,
        ${bytesAt('$9::bytea', PLACE)}, ${bytesAt('$10::bytea', PLACE)}, $2
      FROM unnest($3::bigint[], $4::bigint[], $5::integer[], $6::integer[], $7::text[], $8::text[])
      WITH ORDINALITY AS n (entry, slot, version, content_version, cause, changed, place)`;
    await this.#query(sql, [
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
    ]);
    const added = { ids: rows.map(({ id }) => id), top: top - rows.length, recordedAt, salts, commitments };
    const isFirst = rows.every(({ version }) => version === 0);
    await this.#run(growTree, number, change, change + rows.length, isFirst ? added : null);
    const counters = `UPDATE ${this.#prefix}registers SET top = $1, change = $2, live = $3, last_change = $4,
      last_modified = greatest($5, (SELECT since + 1 FROM ${this.#prefix}configuration FOR SHARE)) WHERE number = $6`;
    await this.#query(counters, [top, change + rows.length, live, recordedAt, lastModified, number]);
  }
}
