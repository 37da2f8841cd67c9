// Measures the store's tables: prepares files, a SQLite store and a PostgreSQL server from npm, then lets the contestants
// of each table take turns, each in a process of its own; then the memory of imports.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { FORMATS, formatsFor } from '../../src/formats/index.ts';
import { PAGE_SIZE } from '../../src/register/page.ts';
import { allFields } from '../../src/register/fields.ts';
import { PostgresStore } from '../../src/stores/postgres/store.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { startPostgres } from '../../test/stores/postgres/server.ts';
import { judge } from '../harness.ts';
import { settle } from '../settle.ts';
import type { MemorySample } from '../memory.ts';
import { EXPORT_FLAGS, IMPORT_FLAGS, measureRemotely } from '../remote-runner.ts';
import { hasProgram } from '../peers.ts';
import type { MemoryPeak, MemoryResult, MemoryRow, TableResult } from '../result.ts';
import { median } from '../statistics.ts';
import { type Engine, fill, PSQL_CSV, SQLITE3, SQLITE3_CSV, type Stage } from './contestants.ts';
import { STORE_DEFINITION, writeNdjson, writeRows } from './data.ts';
import { STORE_IMPORT, STORE_TABLES, type StoreTable } from './tables.ts';

const execute = promisify(execFile);

/** What to measure. */
export interface StoreBenchOptions {
  /** Records in the register. */
  readonly size: number;
  readonly rounds: number;
  /** Ids of tables, and `store-memory`. */
  readonly only: readonly string[];
  readonly onProgress: (text: string) => void;
  readonly onTable: (table: TableResult) => void;
  readonly onMemory: (memory: MemoryResult) => void;
}

/** The id of the table of memory. */
export const STORE_MEMORY = 'store-memory';

/** The ids of all tables of the store. */
export const STORE_TABLE_IDS: readonly string[] = [...STORE_TABLES.map(({ id }) => id), STORE_MEMORY];

/** Rounds before those that count. An import is long enough to be compiled in its first seconds. */
const WARM_UPS = { whole: 1, pages: 5 } as const;

/** Records of the small register whose memory the large one is held against. */
const FEW = 10_000;

/** How much higher the peak of the large one may be, in MiB. A workbook has a table of its links. */
const LIMITS_MIB = { import: 96, export: 32, workbook: 64 } as const;

/** Processes of each: the operating system's figure varies by a few MiB. */
const MEMORY_RUNS = 3;

/** What runs in a contestant's process. */
const SCRIPT = join(import.meta.dirname, 'run-contestant.ts');

/** @throws Error when a contestant's process ends. */
export async function runStore(options: StoreBenchOptions): Promise<void> {
  const { size, only, onProgress } = options;
  const folder = mkdtempSync(join(tmpdir(), 'gazette-bench-'));
  onProgress('store: starting PostgreSQL');
  const server = await startPostgres();
  try {
    const stage: Stage = {
      folder,
      size,
      ndjson: join(folder, 'records.ndjson'),
      rows: join(folder, 'rows.csv'),
      sqlite: join(folder, 'store.db'),
      postgres: server.url,
    };
    onProgress(`store: writing files of ${size} records`);
    await writeNdjson(stage.ndjson, size);
    await writeRows(stage.rows, size);
    onProgress(`store: filling stores with ${size} records`);
    await fill('SQLite', stage.sqlite, stage.ndjson);
    await fill('PostgreSQL', stage.postgres, stage.ndjson);
    await settle(stage.postgres);
    for (const table of STORE_TABLES.filter(({ id }) => only.includes(id))) {
      options.onTable(await measureTable(table, stage, options));
    }
    if (only.includes(STORE_MEMORY)) options.onMemory(await measureMemory(stage, onProgress));
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
    onProgress('');
  }
}

async function measureTable(
  { id, title, names, shape, goals }: StoreTable,
  stage: Stage,
  { size, rounds, onProgress }: StoreBenchOptions,
): Promise<TableResult> {
  const present = names.filter((name) => !Object.hasOwn(PROGRAMS, name) || hasProgram(PROGRAMS[name]!));
  const timings = await measureRemotely({
    ...{ id, names: present, shape, script: SCRIPT, stage, flags: id === STORE_IMPORT ? IMPORT_FLAGS : EXPORT_FLAGS },
    ...{ warmUps: WARM_UPS, rounds, onProgress },
  });
  return {
    id,
    title: shape === 'pages' ? `${title}, ${size} records` : title,
    records: shape === 'pages' ? PAGE_SIZE : size,
    columns: allFields(STORE_DEFINITION).length,
    pages: shape === 'pages',
    timings,
    left: names.filter((name) => !present.includes(name)),
    goals: judge(
      goals.filter(({ against }) => against.some((name) => present.includes(name))),
      timings,
    ),
  };
}

/** The programs that contestants run, which Debian has and npm has not. */
const PROGRAMS: Readonly<Record<string, string>> = {
  [SQLITE3]: 'sqlite3',
  [SQLITE3_CSV]: 'sqlite3',
  [PSQL_CSV]: 'psql',
};

async function measureMemory(stage: Stage, onProgress: (text: string) => void): Promise<MemoryResult> {
  const few: Stage = {
    ...stage,
    size: FEW,
    ndjson: join(stage.folder, 'few.ndjson'),
    sqlite: join(stage.folder, 'few.db'),
  };
  await writeNdjson(few.ndjson, FEW);
  await fill('SQLite', few.sqlite, few.ndjson);
  const rowOf = async (
    name: string,
    limitMiB: number,
    sample: (of: Stage) => Promise<MemorySample>,
  ): Promise<MemoryRow> => {
    const peakOf = async (of: Stage): Promise<MemoryPeak> => {
      const samples: MemorySample[] = [];
      for (let run = 1; run <= MEMORY_RUNS; run++) {
        onProgress(`${STORE_MEMORY}: ${name}, ${of.size} records, run ${run}/${MEMORY_RUNS}`);
        samples.push(await sample(of));
      }
      return {
        records: of.size,
        bytes: null,
        residentMiB: median(samples.map(({ residentMiB }) => residentMiB)),
        heapMiB: median(samples.map(({ heapMiB }) => heapMiB)),
        runs: MEMORY_RUNS,
      };
    };
    const [small, large] = [await peakOf(few), await peakOf(stage)];
    const growthMiB = large.residentMiB - small.residentMiB;
    return { name, small, large, growthMiB, limitMiB, met: growthMiB <= limitMiB };
  };
  const rows: MemoryRow[] = [];
  for (const engine of ['SQLite', 'PostgreSQL'] as const) {
    rows.push(await rowOf(`NDJSON into ${engine}`, LIMITS_MIB.import, (of) => sampleOf(engine, of)));
  }
  for (const { name: format } of formatsFor(Object.values(FORMATS), STORE_DEFINITION)) {
    const limit = format === 'xlsx' ? LIMITS_MIB.workbook : LIMITS_MIB.export;
    const args = [
      'export',
      STORE_DEFINITION.id,
      '--format',
      format,
      '--output',
      join(stage.folder, `document.${format}`),
    ];
    rows.push(
      await rowOf(`${format} from SQLite`, limit, ({ sqlite }) => run(EXPORT_FLAGS, [...args, '--store', sqlite])),
    );
  }
  return { id: STORE_MEMORY, title: 'Peak memory of an import, and of an export, by the command line', rows };
}

/** Runs a command; answers its peak. */
async function run(flags: readonly string[], args: readonly string[]): Promise<MemorySample> {
  const script = join(import.meta.dirname, 'run-command.ts');
  const { stderr } = await execute(process.execPath, [
    ...flags,
    '--disable-warning=ExperimentalWarning',
    script,
    ...args,
  ]);
  return JSON.parse(stderr.trim().split('\n').at(-1)!) as MemorySample;
}

/** The peak of one import into an empty store. */
async function sampleOf(engine: Engine, { folder, ndjson, postgres }: Stage): Promise<MemorySample> {
  const runImport = (place: string): Promise<MemorySample> =>
    run(IMPORT_FLAGS, ['import', STORE_DEFINITION.id, ndjson, '--store', place, '--order', 'newest-first']);
  if (engine === 'SQLite') {
    const place = mkdtempSync(join(folder, 'memory-'));
    const store = SqliteStore.open(join(place, 'store.db'));
    await store.createRegister(STORE_DEFINITION);
    await store.close();
    const sample = await runImport(join(place, 'store.db'));
    rmSync(place, { recursive: true });
    return sample;
  }
  const admin = new pg.Client({ connectionString: postgres });
  await admin.connect();
  try {
    await admin.query('CREATE DATABASE memory');
    const url = new URL(postgres);
    url.pathname = '/memory';
    const pool = new pg.Pool({ connectionString: url.href });
    await (await PostgresStore.open(pool)).createRegister(STORE_DEFINITION);
    await pool.end();
    const sample = await runImport(url.href);
    await admin.query('DROP DATABASE memory');
    return sample;
  } finally {
    await admin.end();
  }
}
