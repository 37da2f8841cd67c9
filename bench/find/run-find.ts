// Measures finding: fills a SQLite store and a PostgreSQL server from npm, then lets the contestants of each table take
// turns, each in a process of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allFields } from '../../src/register/fields.ts';
import { PAGE_SIZE } from '../../src/register/page.ts';
import { startPostgres } from '../../test/stores/postgres/server.ts';
import { judge } from '../harness.ts';
import { measureRemotely } from '../remote-runner.ts';
import type { CheckResult, TableResult } from '../result.ts';
import { fill } from '../store/contestants.ts';
import { settle } from '../settle.ts';
import { findDefinition, type TextBytes, writeFound } from './data.ts';
import { FIND_TABLES, type FindStage, type FindTable, PAGE_MS } from './tables.ts';

/** What to measure. */
export interface FindBenchOptions {
  /** Records in the register that is asked. */
  readonly size: number;
  readonly rounds: number;
  /** Ids of tables. */
  readonly only: readonly string[];
  readonly onProgress: (text: string) => void;
  readonly onTable: (table: TableResult) => void;
  readonly onChecks: (result: CheckResult) => void;
}

/** The ids of all tables of finding. */
export const FIND_TABLE_IDS: readonly string[] = FIND_TABLES.map(({ id }) => id);

/** The most records of an import that is measured: it is repeated, and its ratios do not depend on more. */
const IMPORTED = 100_000;

/** Rounds before those that count. */
const WARM_UPS = { whole: 1, pages: 3 } as const;

const SCRIPT = join(import.meta.dirname, 'run-contestant.ts');

/** @throws Error when a contestant's process ends. */
export async function runFind(options: FindBenchOptions): Promise<void> {
  const { size, only, onProgress } = options;
  const tables = FIND_TABLES.filter(({ id }) => only.includes(id));
  if (tables.length === 0) return;
  const folder = mkdtempSync(join(tmpdir(), 'gazette-bench-'));
  onProgress('find: starting PostgreSQL');
  const server = await startPostgres();
  try {
    const file = (bytes: TextBytes): string => join(folder, `${bytes}.ndjson`);
    const stage: FindStage = {
      folder,
      size,
      ndjson: { 300: file(300), 1000: file(1000) },
      sqlite: join(folder, 'store.db'),
      postgres: server.url,
    };
    if (tables.some(({ shape }) => shape === 'pages')) {
      onProgress(`find: filling stores with ${size} records`);
      await writeFound(stage.ndjson[300], size, 300);
      await fill('SQLite', stage.sqlite, stage.ndjson[300], undefined, findDefinition(true));
      await fill('PostgreSQL', stage.postgres, stage.ndjson[300], undefined, findDefinition(true));
      await settle(stage.postgres);
    }
    for (const bytes of [300, 1000] as const) await writeFound(file(bytes), Math.min(size, IMPORTED), bytes);
    for (const table of tables) {
      const result = await measureTable(table, stage, options);
      options.onTable(result);
      if (table.timed.length > 0) options.onChecks(checksOf(table, result));
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
    onProgress('');
  }
}

async function measureTable(
  { id, title, names, shape, goals }: FindTable,
  stage: FindStage,
  { size, rounds, onProgress }: FindBenchOptions,
): Promise<TableResult> {
  const timings = await measureRemotely({
    ...{ id, names, shape, script: SCRIPT, stage },
    ...{ warmUps: WARM_UPS, rounds, onProgress },
  });
  return {
    id,
    title: shape === 'pages' ? `${title}, ${size} records` : title,
    records: shape === 'pages' ? PAGE_SIZE : Math.min(size, IMPORTED),
    columns: allFields(findDefinition(true)).length,
    pages: shape === 'pages',
    timings,
    left: [],
    goals: judge(goals, timings),
  };
}

function checksOf({ id, timed }: FindTable, { title, timings }: TableResult): CheckResult {
  const checks = timings
    .filter(({ name }) => timed.includes(name))
    .map(({ name, time }) => ({
      label: `${name}: within ${PAGE_MS} ms, seen ${time.median.toFixed(1)} ms (${time.min.toFixed(1)}–${time.max.toFixed(1)})`,
      met: time.median <= PAGE_MS,
    }));
  return { id: `${id}-time`, title: `${title}: how soon`, checks };
}
