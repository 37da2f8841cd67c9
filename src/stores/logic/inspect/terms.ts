// Checks the index of terms against the live records: makes the terms of each again, and compares.
import type { Finding } from '../../contract/inspection.ts';
import { PAGE_COLUMNS, recordOf, SLOT_SPAN, slotOf, type SqlRow } from '../../rows/columns.ts';
import { Fragment, type Shape, shape, table } from '../../rows/sql.ts';
import { termsOf } from '../../../register/finding/terms.ts';
import type { RegisterDefinition } from '../../../register/record.ts';
import { indexedAs, isComplete, TERM_STATE, type TermState } from '../finding/term-state.ts';
import type { Rule, Sql } from '../rule.ts';
import { findingAt, jsonIn, mustBe } from './forms.ts';
import type { FoundRegister } from './version-rules.ts';

const REGISTERS = table('registers');
const STATES = table('register_terms');

/** How many records are read at once. */
const ROWS = 200;

const STATE = shape(
  ['g.definition', 't.signature', 'CAST(t.generation AS text)', 'CAST(t.next_position AS text)'],
  ([definition, ...state]) => ({ definition: jsonIn(definition!), state: TERM_STATE.read(state) }),
);

/** A live record and its row in the table of terms. Integers are texts: a driver refuses those that a double does not hold. */
const INDEXED: Shape<SqlRow> = shape([], (row) => row);

const SELECTED = new Fragment((dialect) => {
  const schema = dialect.table('');
  const record = PAGE_COLUMNS.map((name) => {
    return name === 'slot' || name === 'version' ? `CAST(r.${name} AS text)` : `r.${name}`;
  });
  return `${record.join(', ')}, CAST(t.generation AS text), t.terms
    FROM ${schema}records r LEFT JOIN ${schema}record_terms t ON t.slot = r.slot`;
});

/** The result of {@link checkTerms}. */
export interface CheckedTerms {
  readonly findings: readonly Finding[];
  /** The position of the last record; null after the last part. */
  readonly last: number | null;
}

/** Checks the terms of some records of a register, those above a position. */
export function* checkTerms(sql: Sql, { number, id }: FoundRegister, after: number): Rule<CheckedTerms> {
  const found = yield* sql.one(STATE)`SELECT ${STATE} FROM ${REGISTERS} g JOIN ${STATES} t ON t.register = g.number
    WHERE g.number = ${number}`;
  const rows = yield* sql.all(INDEXED)`SELECT ${SELECTED}
    WHERE r.slot > ${slotOf(number, after)} AND r.slot < ${slotOf(number + 1, 0)} ORDER BY r.slot LIMIT ${ROWS}`;
  const findings: Finding[] = [];
  const definition = found?.definition as RegisterDefinition | undefined;
  if (found === null && rows.length > 0) {
    findings.push(
      findingAt(
        { table: 'register_terms', row: null, feedId: id },
        `the state of the index of register ${id} is missing`,
      ),
    );
  }
  // A definition that is none is found by the rules of registers.
  if (found === null || definition === undefined) return { findings, last: null };
  for (const row of rows) {
    const place = { table: 'record_terms', row: `slot ${String(row[0])}`, feedId: id, recordId: row[1] as string };
    const problem = problemIn(row, definition, found.state);
    if (problem !== null) findings.push(findingAt(place, problem));
  }
  return { findings, last: rows.length < ROWS ? null : Number(rows.at(-1)![0]) % SLOT_SPAN };
}

function problemIn(row: SqlRow, definition: RegisterDefinition, state: TermState): string | null {
  const [generation, terms] = row.slice(PAGE_COLUMNS.length) as (string | null)[];
  const isCurrent = generation === String(state.generation);
  // What is not indexed yet may be missing, or of another generation.
  const isCovered = Number(row[0]) % SLOT_SPAN > state.next;
  if (!isCurrent) return isCovered ? mustBe('generation', String(state.generation), generation ?? null) : null;
  if (!isComplete({ ...state, next: 0 }, definition)) return null;
  const made = termsIn(row, definition);
  return made === null || made === terms ? null : mustBe('terms', 'those of the record');
}

/** Null for a record that cannot be read: the rules of versions find it. */
function termsIn(row: SqlRow, definition: RegisterDefinition): string | null {
  try {
    return termsOf(recordOf(definition, row), indexedAs(definition)).join(' ');
  } catch {
    return null;
  }
}
