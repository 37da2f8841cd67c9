// The terms of records as a SqliteStore keeps them, in the transaction that changes the records.
import type { RegisterDefinition } from '../../../register/record.ts';
import type { PreparedParts } from '../../contract/prepared-record.ts';
import type { IndexProgress } from '../../contract/finding.ts';
import { stateBefore, TERM_STATE, type TermState, termTextOf } from '../../logic/finding/term-state.ts';
import { RECORD_COLUMNS, SLOT_SPAN, slotOf, type SqlRow } from '../../rows/columns.ts';
import { definitionOf, type RegisterRow } from '../../rows/register.ts';
import type { SqliteConnection } from '../connection.ts';
import type { SqliteStatement } from '../statement.ts';

const RECORD = RECORD_COLUMNS.join(', ');

/** How records are indexed. */
export interface Indexing {
  readonly definition: RegisterDefinition;
  readonly generation: number;
}

/** The prepared writes of terms of one connection. */
export class TermWrites {
  readonly #state: SqliteStatement;
  readonly #setState: SqliteStatement;
  readonly #put: SqliteStatement;
  readonly #drop: SqliteStatement;
  readonly #record: SqliteStatement;
  readonly #below: SqliteStatement;

  constructor(connection: SqliteConnection) {
    this.#state = connection.prepare(`SELECT ${TERM_STATE.columns.join(', ')} FROM register_terms WHERE register = ?`);
    this.#setState = connection.prepare(
      'UPDATE register_terms SET signature = ?, generation = ?, next_position = ? WHERE register = ?',
    );
    this.#put = connection.prepare(
      `INSERT INTO record_terms (slot, generation, terms) VALUES (?, ?, ?)
       ON CONFLICT (slot) DO UPDATE SET generation = excluded.generation, terms = excluded.terms`,
    );
    this.#drop = connection.prepare('DELETE FROM record_terms WHERE slot = ?');
    this.#record = connection.prepare(`SELECT ${RECORD} FROM records WHERE slot = ?`);
    this.#below = connection.prepare(
      `SELECT ${RECORD} FROM records WHERE slot > ? AND slot <= ? ORDER BY slot DESC LIMIT ?`,
    );
  }

  /** How the live records of a register are indexed in this transaction. */
  indexing(head: RegisterRow, definition: RegisterDefinition): Indexing {
    return { definition, generation: this.#stateOf(head).generation };
  }

  /** Indexes a live record. @param content the one that it has from now on; null: it is read */
  keepContent(indexing: Indexing, slot: number, id: string, updatedAt: string, content: PreparedParts | null): void {
    // No term is made of the version.
    this.#keep(indexing, content === null ? this.#record.get(slot)! : [slot, id, 1, updatedAt, ...content.values]);
  }

  /** Takes a record out that was live before. */
  drop(slot: number): void {
    this.#drop.run(slot);
  }

  /** Indexes the next records that the index may lack, newest first. */
  build(head: RegisterRow, limit: number): IndexProgress {
    const stored = this.#stateOf(head);
    const definition = definitionOf(head);
    const all = head.top;
    const state = stateBefore(stored, definition, all);
    if (state.next === 0 && state === stored) return { done: all, all };
    const rows = this.#below.all(slotOf(head.number, 0), slotOf(head.number, state.next), limit);
    for (const row of rows) this.#keep({ definition, generation: state.generation }, row);
    const next = rows.length < limit ? 0 : ((rows.at(-1)![0] as number) % SLOT_SPAN) - 1;
    this.#setState.run(state.signature, state.generation, next, head.number);
    return { done: all - next, all };
  }

  #keep({ definition, generation }: Indexing, row: SqlRow): void {
    this.#put.run(row[0] as number, generation, termTextOf(definition, row));
  }

  #stateOf({ number }: RegisterRow): TermState {
    return TERM_STATE.read(this.#state.get(number)!);
  }
}
