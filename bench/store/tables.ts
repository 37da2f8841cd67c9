// The tables of `npm run bench -- store` and what is to be reached in each.
import type { Contestant, Goal } from '../harness.ts';
import {
  type Engine,
  exports,
  imports,
  NOT_SEARCHED,
  PAGE_KINDS,
  pageReads,
  PSQL_CSV,
  SQLITE3,
  SQLITE3_CSV,
  type Stage,
} from './contestants.ts';

/** One comparison. */
export interface StoreTable {
  readonly id: string;
  readonly title: string;
  /** Names of the contestants. */
  readonly names: readonly string[];
  readonly shape: 'whole' | 'pages';
  readonly goals: readonly Goal[];
  /** All of them, of which only the one of this name is going to run. */
  contestants(stage: Stage, name: string): readonly Contestant[] | Promise<readonly Contestant[]>;
}

/** The id of the table of imports. */
export const STORE_IMPORT = 'store-import';

const pageTable = (engine: Engine): StoreTable => ({
  id: `store-pages-${engine.toLowerCase()}`,
  title: `Pages of a store on ${engine}`,
  names: Object.values(PAGE_KINDS).flatMap((what) => [`${what}, offset 0`, `${what}, at depth`]),
  shape: 'pages',
  goals: Object.values(PAGE_KINDS).map((what) => ({
    label: `<= 1.3 × the time at offset 0, ${what}`,
    atMost: 1.3,
    against: [`${what}, offset 0`],
    of: `${what}, at depth`,
  })),
  contestants: (stage) => pageReads(engine, stage),
});

/** All tables of the store. */
export const STORE_TABLES: readonly StoreTable[] = [
  {
    id: STORE_IMPORT,
    title: 'Import of a file into an empty store',
    names: ['into SQLite', NOT_SEARCHED, 'into PostgreSQL', SQLITE3],
    shape: 'whole',
    goals: [{ label: `>= 0.25 × ${SQLITE3}, ${NOT_SEARCHED}`, atLeast: 0.25, against: [SQLITE3], of: NOT_SEARCHED }],
    contestants: (stage) => imports(stage),
  },
  {
    id: 'store-csv',
    title: 'A whole register of a store as CSV',
    names: ['from SQLite', 'from PostgreSQL', 'the format alone', SQLITE3_CSV, PSQL_CSV],
    shape: 'whole',
    goals: [
      { label: `>= 1 × ${SQLITE3_CSV}, from SQLite`, atLeast: 1, against: [SQLITE3_CSV], of: 'from SQLite' },
      { label: `>= 1 × ${PSQL_CSV}, from PostgreSQL`, atLeast: 1, against: [PSQL_CSV], of: 'from PostgreSQL' },
    ],
    contestants: (stage, name) => exports(stage, name),
  },
  pageTable('SQLite'),
  pageTable('PostgreSQL'),
];
