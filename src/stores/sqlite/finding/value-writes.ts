// The counters of values as a SqliteStore changes them, in the transaction that changes the records.
import type { RegisterDefinition } from '../../../register/record.ts';
import type { IndexProgress } from '../../contract/finding.ts';
import {
  clearedState,
  COUNT_STATE,
  countSignature,
  type CountState,
  isCounted,
  type Tallied,
  totalsAfter,
  ValueTally,
} from '../../logic/value-tally.ts';
import { SLOT_SPAN, slotOf } from '../../rows/columns.ts';
import { definitionOf, type RegisterRow } from '../../rows/register.ts';
import type { SqliteConnection } from '../connection.ts';
import type { SqliteStatement } from '../statement.ts';

/** The prepared writes of counters of one connection. */
export class ValueWrites {
  readonly #state: SqliteStatement;
  readonly #setState: SqliteStatement;
  readonly #read: SqliteStatement;
  readonly #put: SqliteStatement;
  readonly #drop: SqliteStatement;
  readonly #dropOwn: SqliteStatement;
  readonly #below: SqliteStatement;
  readonly #complete: SqliteStatement;
  readonly #incomplete: SqliteStatement;

  constructor(connection: SqliteConnection) {
    this.#state = connection.prepare(
      `SELECT ${COUNT_STATE.columns.join(', ')} FROM register_counts WHERE register = ?`,
    );
    this.#setState = connection.prepare(
      'UPDATE register_counts SET signature = ?, next_position = ?, totals = ? WHERE register = ?',
    );
    // Each by a statement of its own: one that also tells what is left takes twice as long.
    this.#read = connection.prepare('SELECT records FROM value_counts WHERE register = ? AND field = ? AND value = ?');
    this.#put = connection.prepare(
      `INSERT INTO value_counts (register, field, value, records) VALUES (?, ?, ?, ?)
       ON CONFLICT (register, field, value) DO UPDATE SET records = excluded.records`,
    );
    this.#drop = connection.prepare('DELETE FROM value_counts WHERE register = ? AND field = ? AND value = ?');
    this.#dropOwn = connection.prepare(
      `DELETE FROM value_counts WHERE register = ? AND (field, value) IN
       (SELECT field, value FROM value_counts WHERE register = ? AND field >= 'data.' AND field < 'data/' LIMIT ?)`,
    );
    this.#below = connection.prepare(
      'SELECT slot, data FROM records WHERE slot > ? AND slot <= ? ORDER BY slot DESC LIMIT ?',
    );
    this.#complete = connection.prepare(
      `UPDATE registers SET building = building & 1, last_modified = max(last_modified + 1, (SELECT since + 1 FROM configuration))
       WHERE number = ? AND last_modified > 0`,
    );
    this.#incomplete = connection.prepare('UPDATE registers SET building = building | 2 WHERE number = ?');
  }

  /** Begins to tally what a transaction changes. */
  begin(head: RegisterRow, definition: RegisterDefinition): Tallied {
    const state = COUNT_STATE.read(this.#state.get(head.number)!);
    return { state, tally: new ValueTally(state, definition) };
  }

  /** Changes the counters by what was tallied. */
  end({ number }: RegisterRow, { tally, state }: Tallied): void {
    const totals = this.#change(number, tally, state);
    if (totals !== state.totals) this.#keep(number, { ...state, totals });
  }

  /** Counts the own values of the next records that may be missing among them, newest first. */
  build(head: RegisterRow, limit: number): IndexProgress {
    const definition = definitionOf(head);
    const { number, top: all } = head;
    let { state } = this.begin(head, definition);
    if (isCounted(state, definition)) return { done: all, all };
    if (state.signature !== countSignature(definition)) {
      const isClear = Number(this.#dropOwn.run(number, number, limit).changes) < limit;
      state = clearedState(state, definition, all, isClear);
      if (!isClear) {
        this.#keep(number, state);
        return { done: 0, all };
      }
    }
    const tally = new ValueTally(state, definition);
    const rows = this.#below.all(slotOf(number, 0), slotOf(number, state.next), limit);
    for (const [, data] of rows) tally.countMissing(data as string);
    const next = rows.length < limit ? 0 : ((rows.at(-1)![0] as number) % SLOT_SPAN) - 1;
    this.#keep(number, { ...state, next, totals: this.#change(number, tally, state) });
    // Facets are counted otherwise from now on: they get other entity tags and dates.
    if (next === 0) this.#complete.run(number);
    else this.#incomplete.run(number);
    return { done: all - next, all };
  }

  #keep(register: number, { signature, next, totals }: CountState): void {
    this.#setState.run(signature, next, JSON.stringify(totals), register);
  }

  /** @returns the totals after it, the same object if they stay */
  #change(register: number, tally: ValueTally, { totals }: CountState): CountState['totals'] {
    const changed: [string, number][] = [];
    for (const { field, value, by } of tally.changes()) {
      const before = Number(this.#read.get(register, field, value)?.[0] ?? 0);
      const left = before + by;
      if (left === 0) this.#drop.run(register, field, value);
      else this.#put.run(register, field, value, left);
      if (before === 0 || left === 0) changed.push([field, left === 0 ? -1 : 1]);
    }
    return changed.length === 0 ? totals : totalsAfter(totals, changed);
  }
}
