// What the index of terms holds of each register. A register whose definition or rule makes other terms is indexed again from
// its newest segment down; those who write keep what is built right meanwhile.
import { GazetteError, isGazetteError, quote } from '../../../errors.ts';
import type { RecordFilter } from '../../../register/finding/filter.ts';
import { type IndexedAs, termSignature } from '../../../register/finding/terms.ts';
import type { RegisterDefinition } from '../../../register/record.ts';
import type { ShownAs } from '../../rows/columns.ts';
import { asText, IS_PRESENT, type Shape, shape, table } from '../../rows/sql.ts';
import { matching, small, Table, whole } from '../../rows/table.ts';
import { storedJson } from '../../rows/stored-json.ts';
import type { IndexProgress } from '../../contract/finding.ts';
import type { Rule, Sql } from '../rule.ts';
import { COUNT_STATE, isCounted } from '../value-tally.ts';
import { POSTING_TABLE, SEGMENT } from './postings.ts';
import { COLUMN_TABLE } from './value-columns.ts';

const STATES = new Table(
  'register_terms',
  {
    register: small(1),
    signature: matching(/^(?:\[[^]*\])?$/, 'a JSON array, or nothing'),
    next_position: whole(0),
  },
  { key: ['register'] },
);

/** The tables of the index. */
export const TERM_TABLES: readonly Table[] = [STATES, POSTING_TABLE, COLUMN_TABLE];
const REGISTERS = table('registers');
const COUNTS = table('register_counts');

/** The index of a register. */
export interface TermState {
  /** {@link termSignature} of the terms that it holds. */
  readonly signature: string;
  /** The highest position that it does not cover, and it covers none below; 0: it is complete. */
  readonly next: number;
}

/** Its columns, of a row `t` or alone. */
export const TERM_STATE: Shape<TermState> = STATES.shape({ signature: 'signature', next: 'next_position' });

/** How the records of a register are indexed. */
export function indexedAs({ fields, search, prices }: Omit<ShownAs, 'id'>): IndexedAs {
  return { fields, hasSearch: search !== false, isSold: prices !== undefined };
}

/** Whether an index finds every record that is shown so. */
export function isComplete({ signature, next }: TermState, shown: ShownAs): boolean {
  return next === 0 && signature === termSignature(indexedAs(shown));
}

/**
 * Checks that words can be looked for.
 *
 * @throws GazetteError `invalid_parameter` for words in a register that is not searched, `index_building`
 */
export function checkSearch({ words }: RecordFilter, { id, search }: ShownAs, isIndexed: boolean): void {
  if (words === null) return;
  const details = { parameter: 'q', feed_id: id };
  if (search === false) {
    throw new GazetteError(
      'invalid_parameter',
      `q must be absent: the words of register ${quote(id)} are not searched`,
      {
        details,
      },
    );
  }
  if (isIndexed) return;
  throw new GazetteError('index_building', `the words of register ${quote(id)} are being indexed; try again later`, {
    details,
  });
}

/** The state of an index before its next part: of other terms, it begins again, with the whole segment of the top. */
export function stateBefore(state: TermState, definition: RegisterDefinition, top: number): TermState {
  const signature = termSignature(indexedAs(definition));
  if (state.signature === signature) return state;
  return { signature, next: top === 0 ? 0 : Math.floor(top / SEGMENT) * SEGMENT + SEGMENT - 1 };
}

/** The index of a new register: it lacks nothing. */
export function* beginTerms(sql: Sql, register: number, definition: RegisterDefinition): Rule<void> {
  yield* sql.run`INSERT INTO ${STATES} (register, signature, next_position)
    VALUES (${register}, ${termSignature(indexedAs(definition))}, 0)`;
}

/** The index of a register that has another definition now. */
export function* renewTerms(sql: Sql, register: number, definition: RegisterDefinition, top: number): Rule<void> {
  const before = yield* termStateOf(sql, register);
  const state = stateBefore(before, definition, top);
  if (state !== before) yield* setTermState(sql, register, state);
}

/** What is done of both. */
export function leastOf(terms: IndexProgress, counts: IndexProgress): IndexProgress {
  return terms.done < counts.done ? terms : counts;
}

/** The state of a register's index. */
export function* termStateOf(sql: Sql, register: number): Rule<TermState> {
  return (yield* sql.one(TERM_STATE)`SELECT ${TERM_STATE} FROM ${STATES} WHERE register = ${register}`)!;
}

/** Sets it. Pages may end elsewhere where it is complete: they are of another state, and get other entity tags. */
export function* setTermState(sql: Sql, register: number, { signature, next }: TermState): Rule<void> {
  yield* sql.run`UPDATE ${STATES} SET signature = ${signature}, next_position = ${next} WHERE register = ${register}`;
  if (next === 0) yield* sql.run`UPDATE ${REGISTERS} SET building = building & 2 WHERE number = ${register}`;
  else yield* sql.run`UPDATE ${REGISTERS} SET building = building | 1 WHERE number = ${register}`;
}

const TERM_COLUMNS = TERM_STATE.columns.map((name) => `t.${name}`);

const INDEXED = shape(
  ['g.definition', ...TERM_COLUMNS, ...COUNT_STATE.columns.map((name) => `c.${name}`)],
  ([definition, ...state]) => ({
    text: asText(definition),
    terms: TERM_STATE.read(state),
    counts: COUNT_STATE.read(state.slice(TERM_COLUMNS.length)),
  }),
);

/** The ids of the registers whose index is not complete. */
export function* incompleteTerms(sql: Sql): Rule<readonly string[]> {
  const all = yield* sql.all(INDEXED)`SELECT ${INDEXED} FROM ${REGISTERS} g JOIN ${STATES} t ON t.register = g.number
    JOIN ${COUNTS} c ON c.register = g.number WHERE ${IS_PRESENT} ORDER BY g.id`;
  return all.flatMap(({ text, terms, counts }) => {
    const definition = definitionIn(text);
    if (definition === null) return [];
    return isComplete(terms, definition) && isCounted(counts, definition) ? [] : [definition.id];
  });
}

/** Null for a damaged one: its register stops no other. */
function definitionIn(text: string): RegisterDefinition | null {
  try {
    return storedJson(text) as RegisterDefinition;
  } catch (error) {
    if (isGazetteError(error, 'invalid_store')) return null;
    throw error;
  }
}
