// The frame of every table of servers: each in a process of its own, asked in turns from this one. A time is that of one
// answer while others are being made: the inverse of answers per second.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServerOptions, ServerRunner } from './server-runner.ts';
import { DEFINITION } from '../data.ts';
import { type Goal, judge, measure } from '../harness.ts';
import type { TableResult } from '../result.ts';
import { allFields } from '../../src/register/fields.ts';

/** What a suite of such tables is told. */
export interface ServerTableOptions {
  readonly rounds: number;
  /** Ids of tables; others than the suite's are passed over. */
  readonly only: readonly string[];
  readonly onProgress: (text: string) => void;
  readonly onTable: (table: TableResult) => void;
}

/** One table. */
export interface ServerTable {
  readonly id: string;
  readonly title: string;
  /** Records in an answer. */
  readonly records: number;
  readonly goals: readonly Goal[];
  readonly servers: readonly ServerOptions[];
}

const WARM_UPS = 3;

/** A timed run lasts about this long. */
const MIN_RUN_MS = 700;

/**
 * Measures tables over the files that `fill` makes, and removes these.
 *
 * @throws Error when a server ends, or answers what it should not.
 */
export async function measureServerTables(
  { rounds, onProgress, onTable }: ServerTableOptions,
  fill: (folder: string) => Promise<readonly ServerTable[]>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gazette-bench-'));
  try {
    for (const table of await fill(folder)) onTable(await measureTable(table, rounds, onProgress));
  } finally {
    rmSync(folder, { recursive: true });
    onProgress('');
  }
}

async function measureTable(
  { id, title, records, goals, servers }: ServerTable,
  rounds: number,
  onProgress: (text: string) => void,
): Promise<TableResult> {
  const runners: ServerRunner[] = [];
  try {
    for (const server of servers) {
      onProgress(`${id}: starting ${server.name}`);
      runners.push(await ServerRunner.start(server));
    }
    const timings = await measure(runners, {
      rounds,
      warmUps: WARM_UPS,
      minRunMs: MIN_RUN_MS,
      onRun: ({ name }, round) => {
        onProgress(`${id}: round ${round + 1}/${rounds}, ${name}`);
      },
    });
    const columns = allFields(DEFINITION).length;
    return { id, title, records, columns, pages: true, timings, left: [], goals: judge(goals, timings) };
  } finally {
    for (const runner of runners) runner.stop();
  }
}
