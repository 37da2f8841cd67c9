// The tables of `npm run bench -- find`, who takes part in each, and what is to be reached.
import pg from 'pg';
import { facetNames } from '../../src/register/finding/facets.ts';
import { PAGE_SIZE } from '../../src/register/page.ts';
import { countedFacets, facetsOfSource } from '../../src/register/sources/facets.ts';
import type { Contestant, Goal } from '../harness.ts';
import { type Engine, fill, openSource, removeDatabase } from '../store/contestants.ts';
import { findDefinition, findFilters, type TextBytes } from './data.ts';

/** Where everything lies that the contestants work on. */
export interface FindStage {
  readonly folder: string;
  readonly size: number;
  /** The publisher's files, from new to old, by the bytes of text in a record. */
  readonly ndjson: Readonly<Record<TextBytes, string>>;
  /** A filled store, and a database with one. */
  readonly sqlite: string;
  readonly postgres: string;
}

/** One comparison. */
export interface FindTable {
  readonly id: string;
  readonly title: string;
  /** Names of the contestants. */
  readonly names: readonly string[];
  readonly shape: 'whole' | 'pages';
  readonly goals: readonly Goal[];
  /** Contestants of which a page is to be there within {@link PAGE_MS}. */
  readonly timed: readonly string[];
  contestants(stage: FindStage): readonly Contestant[] | Promise<readonly Contestant[]>;
}

/** Within how many milliseconds a first page is to be there. */
export const PAGE_MS = 50;

const UNFILTERED = 'an unfiltered page';
const FACETS = 'facets of all records';
const FOUND_FACETS = 'facets of a common word';

const ASKED = Object.keys(findFilters(1000));

const pageTable = (engine: Engine): FindTable => ({
  id: `find-${engine.toLowerCase()}`,
  title: `First pages of what is found on ${engine}`,
  names: [UNFILTERED, ...ASKED, FACETS, FOUND_FACETS],
  shape: 'pages',
  goals: ASKED.map((of) => ({ label: `<= 3 × ${UNFILTERED}, ${of}`, atMost: 3, against: [UNFILTERED], of })),
  timed: [...ASKED, FACETS],
  contestants: (stage) => pageReads(engine, stage),
});

const importTable = (bytes: TextBytes, atMost: number): FindTable => ({
  id: `find-import-${bytes}`,
  title: `Import with and without search, ${bytes} bytes of text a record`,
  names: ENGINES.flatMap((engine) => [importName(engine, true), importName(engine, false)]),
  shape: 'whole',
  goals: ENGINES.map((engine) => ({
    label: `<= ${atMost} × without, into ${engine}`,
    atMost,
    against: [importName(engine, false)],
    of: importName(engine, true),
  })),
  timed: [],
  contestants: (stage) => ENGINES.flatMap((engine) => [true, false].map((is) => importOf(engine, is, bytes, stage))),
});

const ENGINES = ['SQLite', 'PostgreSQL'] as const;

function importName(engine: Engine, isSearched: boolean): string {
  return `into ${engine}, ${isSearched ? 'searched' : 'not searched'}`;
}

/** All tables of finding. */
export const FIND_TABLES: readonly FindTable[] = [
  pageTable('SQLite'),
  pageTable('PostgreSQL'),
  importTable(300, 1.8),
  importTable(1000, 3),
];

async function pageReads(engine: Engine, { size, sqlite, postgres }: FindStage): Promise<readonly Contestant[]> {
  const source = await openSource(engine, engine === 'SQLite' ? sqlite : postgres);
  const { fields } = source.definition;
  const asked = (name: string, role: Contestant['role'], run: () => Promise<number>): Contestant => ({
    ...{ name, role, version: null },
    async run() {
      if ((await run()) === 0) throw new Error(`${name}: nothing was found`);
    },
  });
  const page = (name: string, role: Contestant['role'], filter?: ReturnType<typeof findFilters>[string]) =>
    asked(name, role, async () => {
      const { records } = await source.page({ offset: 0, limit: PAGE_SIZE, ...(filter && { filter }) });
      return records.length;
    });
  const filters = findFilters(size);
  return [
    page(UNFILTERED, 'bare loop'),
    ...Object.entries(filters).map(([name, filter]) => page(name, 'native', filter)),
    asked(FACETS, 'native', async () => (await countedFacets(source, facetNames(fields)))?.facets.length ?? 0),
    asked(FOUND_FACETS, 'native', async () => {
      const { facets } = await facetsOfSource(source, facetNames(fields), filters['a common word']);
      return facets.length;
    }),
  ];
}

function importOf(engine: Engine, isSearched: boolean, bytes: TextBytes, stage: FindStage): Contestant {
  const definition = findDefinition(isSearched);
  return {
    ...{ name: importName(engine, isSearched), role: isSearched ? 'native' : 'bare loop', version: null },
    async run() {
      if (engine === 'SQLite') {
        const place = `${stage.folder}/import-${process.pid}.db`;
        removeDatabase(place);
        await fill(engine, place, stage.ndjson[bytes], undefined, definition);
        removeDatabase(place);
        return;
      }
      await fill(engine, stage.postgres, stage.ndjson[bytes], 'import', definition);
      const client = new pg.Client({ connectionString: stage.postgres });
      await client.connect();
      await client.query('DROP SCHEMA import CASCADE');
      await client.end();
    },
  };
}
