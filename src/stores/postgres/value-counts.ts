// The counters of values as a PostgresStore changes them: all of a batch in one statement.
import type { IndexProgress } from '../contract/finding.ts';
import {
  clearedState,
  COUNT_STATE,
  countSignature,
  type CountState,
  isCounted,
  type Tallied,
  totalsAfter,
  ValueTally,
} from '../logic/value-tally.ts';
import type { Rule } from '../logic/rule.ts';
import { SLOT_SPAN, slotOf } from '../rows/columns.ts';
import { definitionOf, type RegisterRow } from '../rows/register.ts';
import { query } from './engine.ts';

/** The counters of one store, in a transaction that holds the lock of the register. */
export class ValueWrites {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Begins to tally what a transaction changes. */
  *begin(head: RegisterRow): Rule<Tallied> {
    const sql = `SELECT ${COUNT_STATE.columns.join(', ')} FROM ${this.#prefix}register_counts WHERE register = $1`;
    const state = COUNT_STATE.read((yield* query(sql, [head.number]))[0]!);
    return { state, tally: new ValueTally(state, definitionOf(head)) };
  }

  /** Changes the counters by what was tallied. */
  *end({ number }: RegisterRow, { tally, state }: Tallied): Rule<void> {
    const totals = yield* this.#change(number, tally, state);
    if (totals !== state.totals) yield* this.#keep(number, { ...state, totals });
  }

  /** Counts the own values of the next records that may be missing among them, newest first. */
  *build(head: RegisterRow, limit: number): Rule<IndexProgress> {
    const definition = definitionOf(head);
    const { number, top: all } = head;
    let { state } = yield* this.begin(head);
    if (isCounted(state, definition)) return { done: all, all };
    if (state.signature !== countSignature(definition)) {
      const isClear = (yield* this.#dropOwn(number, limit)) < limit;
      state = clearedState(state, definition, all, isClear);
      if (!isClear) {
        yield* this.#keep(number, state);
        return { done: 0, all };
      }
    }
    const tally = new ValueTally(state, definition);
    const below = `SELECT slot, data FROM ${this.#prefix}records WHERE slot > $1 AND slot <= $2
      ORDER BY slot DESC LIMIT $3`;
    const rows = yield* query(below, [slotOf(number, 0), slotOf(number, state.next), limit]);
    for (const [, data] of rows) tally.countMissing(data as string);
    const next = rows.length < limit ? 0 : (Number(rows.at(-1)![0]) % SLOT_SPAN) - 1;
    yield* this.#keep(number, { ...state, next, totals: yield* this.#change(number, tally, state) });
    // Facets are counted otherwise from now on: they get other entity tags and dates.
    const complete = `UPDATE ${this.#prefix}registers
      SET building = building & 1, last_modified = greatest(last_modified + 1, (SELECT since + 1 FROM ${this.#prefix}configuration FOR SHARE))
      WHERE number = $1 AND last_modified > 0`;
    const incomplete = `UPDATE ${this.#prefix}registers SET building = building | 2 WHERE number = $1`;
    yield* query(next === 0 ? complete : incomplete, [number]);
    return { done: all - next, all };
  }

  *#dropOwn(register: number, limit: number): Rule<number> {
    const counts = `${this.#prefix}value_counts`;
    const drop = `DELETE FROM ${counts} WHERE register = $1 AND (field, value) IN
      (SELECT field, value FROM ${counts} WHERE register = $1 AND field >= 'data.' AND field < 'data/' LIMIT $2)
      RETURNING 1`;
    return (yield* query(drop, [register, limit])).length;
  }

  *#keep(register: number, { signature, next, totals }: CountState): Rule<void> {
    const sql = `UPDATE ${this.#prefix}register_counts SET signature = $2, next_position = $3, totals = $4 WHERE register = $1`;
    yield* query(sql, [register, signature, next, JSON.stringify(totals)]);
  }

  /** @returns the totals after it, the same object if they stay */
  *#change(register: number, tally: ValueTally, { totals }: CountState): Rule<CountState['totals']> {
    const changes = tally.changes();
    if (changes.length === 0) return totals;
    const [fields, values] = [changes.map(({ field }) => field), changes.map(({ value }) => value)];
    const count = `WITH n AS (SELECT * FROM unnest($2::text[], $3::text[], $4::bigint[]) AS n (field, value, change)),
      counted AS (INSERT INTO ${this.#prefix}value_counts AS c (register, field, value, records)
        SELECT $1, field, value, change FROM n
        ON CONFLICT (register, field, value) DO UPDATE SET records = c.records + excluded.records
        RETURNING field, value, records)
      SELECT field, count(*) FROM n JOIN counted USING (field, value) WHERE records = change GROUP BY field`;
    const added = yield* query(count, [register, fields, values, changes.map(({ by }) => by)]);
    const changed = added.map(([field, total]): [string, number] => [field as string, Number(total)]);
    if (changes.some(({ by }) => by < 0)) {
      const drop = `WITH dropped AS (DELETE FROM ${this.#prefix}value_counts c
          USING unnest($2::text[], $3::text[]) AS n (field, value)
          WHERE c.register = $1 AND c.field = n.field AND c.value = n.value AND c.records = 0 RETURNING c.field)
        SELECT field, count(*) FROM dropped GROUP BY field`;
      const dropped = yield* query(drop, [register, fields, values]);
      changed.push(...dropped.map(([field, total]): [string, number] => [field as string, -Number(total)]));
    }
    return changed.length === 0 ? totals : totalsAfter(totals, changed);
  }
}
