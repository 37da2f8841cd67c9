// Measures the HTTP tables: each server in a process of its own, asked in turns from this one. A time is that of one
// answer while others are being made: the inverse of answers per second.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillStore, fillTable } from './registers.ts';
import type { ServerOrder } from './run-server.ts';
import { ServerRunner } from './server-runner.ts';
import { HTTP_TABLES, type HttpTable } from './tables.ts';
import { DEFINITION } from '../data.ts';
import { judge, measure } from '../harness.ts';
import type { TableResult } from '../result.ts';
import { PAGE_SIZE } from '../../src/register/page.ts';
import { allFields } from '../../src/register/record.ts';

/** What to measure. */
export interface HttpOptions {
  /** Records in the register. */
  readonly size: number;
  readonly rounds: number;
  /** Ids of tables; others than HTTP's are passed over. */
  readonly only: readonly string[];
  readonly onProgress: (text: string) => void;
  readonly onTable: (table: TableResult) => void;
}

const WARM_UPS = 3;

/** A timed run lasts about this long. */
const MIN_RUN_MS = 700;

/** @throws Error when a server ends, or answers what it should not. */
export async function runHttp({ size, rounds, only, onProgress, onTable }: HttpOptions): Promise<void> {
  const tables = HTTP_TABLES.filter(({ id }) => only.includes(id));
  if (tables.length === 0) return;
  const folder = mkdtempSync(join(tmpdir(), 'gazette-bench-'));
  try {
    const paths = { storePath: join(folder, 'store.db'), tablePath: join(folder, 'table.db') };
    onProgress(`http: filling a store with ${size} records`);
    await fillStore(paths.storePath, size);
    onProgress(`http: filling a table with ${size} records`);
    fillTable(paths.tablePath, size);
    for (const table of tables) {
      onTable(await measureTable(table, { ...paths, size }, rounds, onProgress));
    }
  } finally {
    rmSync(folder, { recursive: true });
    onProgress('');
  }
}

async function measureTable(
  table: HttpTable,
  order: Omit<ServerOrder, 'table' | 'server'>,
  rounds: number,
  onProgress: (text: string) => void,
): Promise<TableResult> {
  const runners: ServerRunner[] = [];
  try {
    for (const server of ['gazette', table.rival] as const) {
      onProgress(`${table.id}: starting ${server}`);
      runners.push(
        await ServerRunner.start({
          name: server,
          role: server === 'gazette' ? 'native' : server === 'bare Hono' ? 'bare loop' : 'peer',
          status: table.kind === 'not-modified' ? 304 : 200,
          script: join(import.meta.dirname, 'run-server.ts'),
          order: { ...order, table: table.id, server } satisfies ServerOrder,
        }),
      );
    }
    const timings = await measure(runners, {
      rounds,
      warmUps: WARM_UPS,
      minRunMs: MIN_RUN_MS,
      onRun: ({ name }, round) => {
        onProgress(`${table.id}: round ${round + 1}/${rounds}, ${name}`);
      },
    });
    return {
      id: table.id,
      title: `${table.title}, register of ${order.size.toLocaleString('en')}`,
      records: PAGE_SIZE,
      columns: allFields(DEFINITION).length,
      pages: true,
      timings,
      left: [],
      goals: judge(table.goals, timings),
    };
  } finally {
    for (const runner of runners) runner.stop();
  }
}
