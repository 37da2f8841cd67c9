// The terms of records as a PostgresStore keeps them, in the transaction that changes the records.
import type { IndexProgress } from '../../contract/finding.ts';
import { stateBefore, TERM_STATE, type TermState, termTextOf } from '../../logic/finding/term-state.ts';
import { RECORD_COLUMNS, SLOT_SPAN, slotOf, type SqlRow } from '../../rows/columns.ts';
import { definitionOf, type RegisterRow } from '../../rows/register.ts';
import type { RunQuery } from '../connection.ts';
import { placeTerms } from './term-index.ts';

const RECORD = RECORD_COLUMNS.join(', ');

/** The terms of one store, in a transaction that holds the lock of the register. */
export class TermWrites {
  readonly #query: RunQuery;
  readonly #prefix: string;

  constructor(query: RunQuery, prefix: string) {
    this.#query = query;
    this.#prefix = prefix;
  }

  /**
   * Indexes live records.
   *
   * @param rows those whose content is known here, as `recordOf()` reads them
   * @param slots those of others, which are read
   */
  async keep(head: RegisterRow, rows: readonly SqlRow[], slots: readonly number[]): Promise<void> {
    if (rows.length + slots.length === 0) return;
    const { generation } = await this.#state(head);
    const read = `SELECT ${RECORD} FROM ${this.#prefix}records WHERE slot = ANY ($1)`;
    await this.#put(head, generation, [...rows, ...(slots.length === 0 ? [] : await this.#query(read, [slots]))]);
  }

  /** Takes records that are no longer live out. */
  async drop(slots: readonly number[]): Promise<void> {
    await this.#query(`DELETE FROM ${this.#prefix}record_terms WHERE slot = ANY ($1)`, [slots]);
  }

  /**
   * Indexes the next records that the index may lack, newest first.
   *
   */
  async build(head: RegisterRow, limit: number): Promise<IndexProgress> {
    const stored = await this.#state(head);
    const state = stateBefore(stored, definitionOf(head), head.top);
    const all = head.top;
    if (state.next === 0 && state === stored) return { done: all, all };
    const rows = await this.#query(
      `SELECT ${RECORD} FROM ${this.#prefix}records WHERE slot > $1 AND slot <= $2 ORDER BY slot DESC LIMIT ${limit}`,
      [slotOf(head.number, 0), slotOf(head.number, state.next)],
    );
    if (rows.length > 0) await this.#put(head, state.generation, rows);
    const next = rows.length < limit ? 0 : (Number(rows.at(-1)![0]) % SLOT_SPAN) - 1;
    await this.#query(
      `UPDATE ${this.#prefix}register_terms SET signature = $2, generation = $3, next_position = $4 WHERE register = $1`,
      [head.number, state.signature, state.generation, next],
    );
    return { done: all - next, all };
  }

  async #state({ number }: RegisterRow): Promise<TermState> {
    const sql = `SELECT ${TERM_STATE.columns.join(', ')} FROM ${this.#prefix}register_terms WHERE register = $1`;
    return TERM_STATE.read((await this.#query(sql, [number]))[0]!);
  }

  async #put(head: RegisterRow, generation: number, rows: readonly SqlRow[]): Promise<void> {
    const definition = definitionOf(head);
    const put = `INSERT INTO ${this.#prefix}record_terms (slot, generation, terms)
      SELECT slot, $1, terms FROM unnest($2::bigint[], $3::text[]) AS n (slot, terms)
      ON CONFLICT (slot) DO UPDATE SET generation = excluded.generation, terms = excluded.terms`;
    await this.#query(put, [generation, rows.map(([slot]) => slot), rows.map((row) => termTextOf(definition, row))]);
    await placeTerms(this.#query, this.#prefix);
  }
}
