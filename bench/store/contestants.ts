// Who takes part in the tables of the store: imports, whole-register exports, pages at the top and at depth. Each runs in
// a process of its own, on what run-store.ts has prepared.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, rmSync, statSync } from 'node:fs';
import pg from 'pg';
import { exportRegister } from '../../src/export/register.ts';
import { csv } from '../../src/formats/csv.ts';
import { importRecords } from '../../src/import/importer.ts';
import { ndjsonReader } from '../../src/import/readers/ndjson.ts';
import { type Page, PAGE_SIZE, type PageQuery } from '../../src/register/page.ts';
import { CORE_FIELDS } from '../../src/register/fields.ts';
import type { RegisterDefinition } from '../../src/register/record.ts';
import { pages, type RegisterSource } from '../../src/register/sources/source.ts';
import { PostgresStore } from '../../src/stores/postgres/store.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import type { RegisterStore } from '../../src/stores/contract/registers.ts';
import type { Contestant, Destination } from '../harness.ts';
import { FILLED_AT, RARE_TYPE, ROW_COLUMNS, STORE_DEFINITION } from './data.ts';

/** Where everything lies that the contestants work on. */
export interface Stage {
  readonly folder: string;
  readonly size: number;
  /** The publisher's file, from new to old. */
  readonly ndjson: string;
  /** The same as rows for sqlite3. */
  readonly rows: string;
  /** A filled store. */
  readonly sqlite: string;
  /** A database with a filled store. */
  readonly postgres: string;
}

/** The engines a store runs on. */
export type Engine = 'SQLite' | 'PostgreSQL';

/** The name of the program that is measured against. */
export const SQLITE3 = 'sqlite3 .import';

/** The names of the programs that whole registers are measured against. */
export const SQLITE3_CSV = 'sqlite3 -csv';
export const PSQL_CSV = 'psql \\copy csv';

/** The name of an import that is held against it. */
export const NOT_SEARCHED = 'into SQLite, not searched';

/** Opens an engine's store for as long as `use` takes. */
async function withStore<T>(
  engine: Engine,
  place: string,
  use: (store: RegisterStore) => Promise<T>,
  schema?: string,
): Promise<T> {
  if (engine === 'SQLite') {
    // As the command line opens it for imports.
    const store = SqliteStore.open(place, { bulk: true });
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  }
  const pool = new pg.Pool({ connectionString: place });
  try {
    return await use(await PostgresStore.open(pool, schema === undefined ? {} : { schema }));
  } finally {
    await pool.end();
  }
}

/** Takes the publisher's file into a new register of a store, as `gazette import` does. */
export async function fill(
  engine: Engine,
  place: string,
  ndjson: string,
  schema?: string,
  definition: RegisterDefinition = STORE_DEFINITION,
): Promise<void> {
  await withStore(
    engine,
    place,
    async (store) => {
      await store.createRegister(definition);
      const reader = ndjsonReader({ name: ndjson, open: () => createReadStream(ndjson) });
      await importRecords(store, definition.id, reader, {
        now: () => Date.parse(FILLED_AT),
        order: 'newest-first',
      });
    },
    schema,
  );
}

/** The imports: each into an empty store. */
export function imports({ folder, ndjson, rows, postgres }: Stage): readonly Contestant[] {
  const { size } = statSync(ndjson);
  const intoSqlite = (name: string, note: string, definition: RegisterDefinition): Contestant => ({
    ...{ name, role: 'native', version: null, note },
    async run(out) {
      const place = `${folder}/import-${process.pid}.db`;
      removeDatabase(place);
      await fill('SQLite', place, ndjson, undefined, definition);
      out.bytes = size;
      removeDatabase(place);
    },
  });
  return [
    intoSqlite('into SQLite', 'NDJSON, checked and staged, with versions and digests', STORE_DEFINITION),
    intoSqlite(NOT_SEARCHED, 'the same, into a register whose words are not indexed', {
      ...STORE_DEFINITION,
      search: false,
    }),
    {
      name: 'into PostgreSQL',
      role: 'native',
      version: null,
      note: 'the same; cpu without the server’s',
      async run(out) {
        await fill('PostgreSQL', postgres, ndjson, 'import');
        out.bytes = size;
        const client = new pg.Client({ connectionString: postgres });
        await client.connect();
        await client.query('DROP SCHEMA import CASCADE');
        await client.end();
      },
    },
    {
      name: SQLITE3,
      role: 'peer',
      version: null,
      note: 'the rows as CSV into a table with the same indexes',
      async run(out) {
        const place = `${folder}/import-${process.pid}.db`;
        removeDatabase(place);
        out.bytes = statSync(rows).size;
        out.childrenMs = await sqlite3(place, [tableOf(), `.import --csv "${rows}" records`]);
        removeDatabase(place);
      },
    },
  ];
}

/** The store's own table of records with its indexes, without the types that CSV, which has texts alone, cannot keep. */
function tableOf(): string {
  const columns = ROW_COLUMNS.map((name) => (name === 'slot' ? 'slot INTEGER PRIMARY KEY' : `${name} ${typeOf(name)}`));
  return `CREATE TABLE records (${columns.join(', ')});
CREATE UNIQUE INDEX records_id ON records (id);
CREATE INDEX records_type ON records (document_type) WHERE document_type IS NOT NULL;
CREATE INDEX records_facility ON records (facility_id) WHERE facility_id IS NOT NULL;`;
}

function typeOf(column: string): string {
  return ['version', 'content_version', 'observed_is_stated'].includes(column) ? 'INTEGER' : 'TEXT';
}

/** As {@link timed}, the sqlite3 shell. */
async function sqlite3(place: string, commands: readonly string[]): Promise<number> {
  return timed('sqlite3 -bail', place, commands);
}

/** Runs a program over a database; answers its processor time in milliseconds: by `times`, which every POSIX shell has. */
async function timed(program: string, place: string, commands: readonly string[]): Promise<number> {
  const child = spawn('sh', ['-c', `${program} "$0" && times`, place], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(`${commands.join('\n')}\n`);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
  // The second line is that of the shell's children: `0m1.23s 0m0.45s`.
  const times = [
    ...output
      .trim()
      .split('\n')
      .at(-1)!
      .matchAll(/(\d+)m([\d.]+)s/g),
  ];
  return times.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1000, 0);
}

/** Removes a SQLite store. */
export function removeDatabase(place: string): void {
  for (const ending of ['', '-wal', '-shm', '-journal']) rmSync(`${place}${ending}`, { force: true });
}

/** Whole registers as CSV: from each store, and by the format alone from memory. */
export async function exports({ folder, sqlite, postgres }: Stage, name: string): Promise<readonly Contestant[]> {
  const document = (
    name: string,
    role: Contestant['role'],
    source: () => Promise<Parameters<typeof exportRegister>[0]>,
  ) => ({
    name,
    role,
    version: null,
    async run(out: Destination) {
      for await (const chunk of exportRegister(await source(), csv)) out.write(chunk);
    },
  });
  const fromSqlite = await openSource('SQLite', sqlite);
  const fromPostgres = await openSource('PostgreSQL', postgres);
  const kept: Page[] = [];
  if (name === 'the format alone') for await (const page of pages(fromSqlite)) kept.push(page);
  const memory = {
    definition: STORE_DEFINITION,
    async *pages() {
      yield* kept;
    },
  };
  return [
    document('from SQLite', 'native', async () => fromSqlite),
    document('from PostgreSQL', 'native', async () => fromPostgres),
    document('the format alone', 'bare loop', async () => memory),
    {
      name: SQLITE3_CSV,
      role: 'peer',
      version: null,
      note: 'the same columns by one SELECT; cpu with its start',
      async run(out) {
        const result = `${folder}/sqlite3-${process.pid}.csv`;
        const select = `${selectCsv('records', (field) => `data->>'$.${field}'`)};`;
        out.childrenMs = await sqlite3(sqlite, ['.mode csv', '.headers on', `.output "${result}"`, select]);
        out.bytes = statSync(result).size;
        rmSync(result);
      },
    },
    {
      name: PSQL_CSV,
      role: 'peer',
      version: null,
      note: 'the same columns by one SELECT; cpu with its start, without the server’s',
      async run(out) {
        const result = `${folder}/psql-${process.pid}.csv`;
        const select = selectCsv('gazette.records', (field) => `data::json->>'${field}'`);
        const copy = `\\copy (${select}) TO '${result}' CSV HEADER`;
        out.childrenMs = await timed('psql --no-psqlrc --quiet -v ON_ERROR_STOP=1', postgres, [copy]);
        out.bytes = statSync(result).size;
        rmSync(result);
      },
    },
  ];
}

/** The columns of our CSV from a store's table. */
function selectCsv(table: string, own: (field: string) => string): string {
  const columns = CORE_FIELDS.map(({ name }) => {
    if (name === 'feed_id') return `'${STORE_DEFINITION.id}' AS ${name}`;
    if (name === 'key') return `coalesce(key, substr(id, ${STORE_DEFINITION.id.length + 2})) AS key`;
    return name === 'position' ? 'slot & 4294967295 AS position' : name;
  });
  const fields = STORE_DEFINITION.fields.map(({ name }) => `${own(name)} AS ${name}`);
  return `SELECT ${[...columns, ...fields].join(', ')} FROM ${table} ORDER BY slot DESC`;
}

/** The source of a filled store that stays open until the process ends. */
export async function openSource(engine: Engine, place: string): Promise<RegisterSource> {
  const store =
    engine === 'SQLite' ? SqliteStore.open(place) : await PostgresStore.open(new pg.Pool({ connectionString: place }));
  return store.source(STORE_DEFINITION.id);
}

/** What is read at the top and at depth. */
export const PAGE_KINDS = {
  plain: 'a page',
  filtered: 'a page of the rare type',
  match: 'the next of the rare type',
} as const;

/** Pages of one engine at the top and at depth, plain and by the rare type. */
export async function pageReads(engine: Engine, { size, sqlite, postgres }: Stage): Promise<readonly Contestant[]> {
  const source = await openSource(engine, engine === 'SQLite' ? sqlite : postgres);
  const read = (name: string, role: Contestant['role'], query: PageQuery): Contestant => ({
    name,
    role,
    version: null,
    async run() {
      const { records } = await source.page(query);
      // The rare type has the oldest record of all: every page has something to read.
      if (records.length === 0) throw new Error(`${name}: the page is empty`);
    },
  });
  const filter = { document_type: RARE_TYPE };
  return Object.entries({
    plain: { limit: PAGE_SIZE },
    filtered: { limit: PAGE_SIZE, filter },
    match: { limit: 1, filter },
  }).flatMap(([kind, query]) => {
    const what = PAGE_KINDS[kind as keyof typeof PAGE_KINDS];
    return [
      read(`${what}, offset 0`, 'bare loop', { ...query, offset: 0 }),
      read(`${what}, at depth`, 'native', { ...query, offset: size - PAGE_SIZE }),
    ];
  });
}
