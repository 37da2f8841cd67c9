// What the index of terms holds of each register. A register of a store of before, and one whose definition or rule makes
// other terms, is indexed again from its newest record down, under another generation; those who write keep the rows of the
// records that they touch right meanwhile.
import { GazetteError, quote } from '../../../errors.ts';
import type { RecordFilter } from '../../../register/finding/filter.ts';
import { type IndexedAs, termSignature, termsOf } from '../../../register/finding/terms.ts';
import type { RegisterDefinition } from '../../../register/record.ts';
import { recordOf, type ShownAs, type SqlRow } from '../../rows/columns.ts';
import { asNumber, asText, IS_PRESENT, type Shape, shape, table } from '../../rows/sql.ts';
import { storedJson } from '../../rows/stored-json.ts';
import type { FindingStore, IndexProgress } from '../../contract/finding.ts';
import type { Engine, Rule, Sql } from '../rule.ts';
import { COUNT_STATE, isCounted } from '../value-tally.ts';

const STATES = table('register_terms');
const REGISTERS = table('registers');
const COUNTS = table('register_counts');

/** How many records {@link FindingStore.build} indexes at once: others wait for less than a tenth of a second. */
const BUILD_RECORDS = 500;

/** The index of a register. */
export interface TermState {
  /** {@link termSignature} of the terms that it holds. */
  readonly signature: string;
  /** Raised when all terms are made again. */
  readonly generation: number;
  /** The highest position whose record may be missing in it; 0: none is. */
  readonly next: number;
}

/** Its columns, of a row `t` or alone. */
export const TERM_STATE: Shape<TermState> = shape(
  ['signature', 'generation', 'next_position'],
  ([signature, generation, next]) => ({
    signature: asText(signature),
    generation: asNumber(generation),
    next: asNumber(next),
  }),
);

/**
 * The migration that makes the tables.
 *
 * @param schema the prefix of the tables' names
 * @param types the types of a text and of a slot
 * @param options what follows the columns
 */
export function termTablesSql(
  schema: string,
  types: { readonly text: string; readonly slot: string },
  options = '',
): string {
  return `
CREATE TABLE ${schema}record_terms (
  slot ${types.slot} PRIMARY KEY,
  generation integer NOT NULL,
  terms ${types.text} NOT NULL
)${options};
CREATE TABLE ${schema}register_terms (
  register integer PRIMARY KEY,
  signature ${types.text} NOT NULL,
  generation integer NOT NULL,
  next_position ${types.slot} NOT NULL
)${options};
INSERT INTO ${schema}register_terms (register, signature, generation, next_position)
  SELECT number, '', 1, top FROM ${schema}registers;`;
}

/** How the records of a register are indexed. */
export function indexedAs({ fields, search }: Pick<RegisterDefinition, 'fields' | 'search'>): IndexedAs {
  return { fields, hasSearch: search !== false };
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

/** The terms of a record as a row has them, separated by spaces. @param row as `recordOf()` reads it */
export function termTextOf(definition: RegisterDefinition, row: SqlRow): string {
  return termsOf(recordOf(definition, row), indexedAs(definition)).join(' ');
}

/** The state of an index before its next batch: of other terms, it begins again. */
export function stateBefore(state: TermState, definition: RegisterDefinition, top: number): TermState {
  const signature = termSignature(indexedAs(definition));
  return state.signature === signature ? state : { signature, generation: state.generation + 1, next: top };
}

/** The index of a new register: it lacks nothing. */
export function* beginTerms(sql: Sql, register: number, definition: RegisterDefinition): Rule<void> {
  yield* sql.run`INSERT INTO ${STATES} (register, signature, generation, next_position)
    VALUES (${register}, ${termSignature(indexedAs(definition))}, 1, 0)`;
}

/** The index of a register that has another definition now. */
export function* renewTerms(sql: Sql, register: number, definition: RegisterDefinition, top: number): Rule<void> {
  const before = yield* sql.one(TERM_STATE)`SELECT ${TERM_STATE} FROM ${STATES} WHERE register = ${register}`;
  const { signature, generation, next } = stateBefore(before!, definition, top);
  if (generation === before!.generation) return;
  yield* sql.run`UPDATE ${STATES} SET signature = ${signature}, generation = ${generation}, next_position = ${next}
    WHERE register = ${register}`;
}

/** What is done of both. */
export function leastOf(terms: IndexProgress, counts: IndexProgress): IndexProgress {
  return terms.done < counts.done ? terms : counts;
}

/** What each database does in its own way. */
export interface FindingHooks {
  /** Whether the store was not closed. */
  isOpen(): boolean;
  /** Indexes at most so many records. */
  build(feedId: string, limit: number): Promise<IndexProgress>;
}

/** The indexes of a store. */
export function findingOn(engine: Engine, hooks: FindingHooks): FindingStore {
  return {
    // A service looks at intervals, and may be left alone by those who close its store.
    incomplete: async () => (hooks.isOpen() ? engine.read(incomplete) : []),
    build: (feedId) => hooks.build(feedId, BUILD_RECORDS),
  };
}

const TERM_COLUMNS = TERM_STATE.columns.map((name) => `t.${name}`);

const INDEXED = shape(
  ['g.definition', ...TERM_COLUMNS, ...COUNT_STATE.columns.map((name) => `c.${name}`)],
  ([definition, ...state]) => ({
    definition: storedJson(definition as string) as RegisterDefinition,
    terms: TERM_STATE.read(state),
    counts: COUNT_STATE.read(state.slice(TERM_COLUMNS.length)),
  }),
);

function* incomplete(sql: Sql): Rule<readonly string[]> {
  const all = yield* sql.all(INDEXED)`SELECT ${INDEXED} FROM ${REGISTERS} g JOIN ${STATES} t ON t.register = g.number
    JOIN ${COUNTS} c ON c.register = g.number WHERE ${IS_PRESENT} ORDER BY g.id`;
  return all
    .filter(({ definition, terms, counts }) => !isComplete(terms, definition) || !isCounted(counts, definition))
    .map(({ definition }) => definition.id);
}
