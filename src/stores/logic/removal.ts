// Where the rows of a register are. Each database removes them in its own way.
import { slotOf } from '../rows/columns.ts';
import { segmentOf } from './finding/postings.ts';
import type { StorePlugin } from './plugins/plugin.ts';

/** A table with rows of registers. */
export interface RegisterRows {
  readonly table: string;
  /** The column that says the register. */
  readonly column: string;
  /** What a row is found by in SQLite. */
  readonly key: string;
  /** The value of the column at which the rows of a register begin; those of the next one end them. */
  readonly from: (register: number) => number;
}

const bySlot = (table: string, column: string): RegisterRows => {
  return { table, column, key: 'rowid', from: (register) => slotOf(register, 0) };
};
const bySegment = (table: string, key: string): RegisterRows => {
  return { table, column: 'segment', key, from: (register) => segmentOf(slotOf(register, 0)) };
};
const byRegister = (table: string, key = 'rowid'): RegisterRows => {
  return { table, column: 'register', key, from: (register) => register };
};

/** All tables but that of the registers, the longest first. */
export function registerRows(plugins: readonly StorePlugin[]): readonly RegisterRows[] {
  const own = plugins
    .flatMap(({ tables, isLasting }) => (isLasting === true ? [] : tables))
    .flatMap(({ name, columns, options: { key, isKeyed } }) => {
      const by = 'slot' in columns ? bySlot(name, 'slot') : 'register' in columns ? byRegister(name) : null;
      return by === null ? [] : [isKeyed === true ? { ...by, key: key.join(', ') } : by];
    });
  return [...own, ...STORE_ROWS];
}

const STORE_ROWS: readonly RegisterRows[] = [
  ...['records', 'withdrawn', 'contents'].map((table) => bySlot(table, 'slot')),
  bySlot('versions', 'entry'),
  { ...bySlot('kept_by_hand', 'slot'), key: 'slot, said, version' },
  { ...bySlot('erased_keys', 'slot'), key: 'said, slot' },
  byRegister('proposed_records'),
  bySegment('term_postings', 'segment, term'),
  bySegment('value_columns', 'segment, field'),
  byRegister('value_counts', 'register, field, value'),
  ...['register_terms', 'register_counts', 'leases', 'proposals', 'imports', 'logs', 'mirrors'].map((table) =>
    byRegister(table),
  ),
];
