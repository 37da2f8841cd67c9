// Measures the tables of MCP: each server in a process of its own, over the same store, asked in turns from this one.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { McpServerOrder } from './run-server.ts';
import { MCP_TABLES, type McpServer, type McpTable } from './tables.ts';
import { DEFINITION } from '../data.ts';
import { judge, measure } from '../harness.ts';
import { fillStore } from '../http/registers.ts';
import { ServerRunner } from '../http/server-runner.ts';
import { versionOf } from '../peers.ts';
import type { TableResult } from '../result.ts';
import { allFields } from '../../src/register/record.ts';

/** What to measure. */
export interface McpOptions {
  readonly rounds: number;
  /** Ids of tables; others than MCP's are passed over. */
  readonly only: readonly string[];
  readonly onProgress: (text: string) => void;
  readonly onTable: (table: TableResult) => void;
}

/** Records in the register: a call reads its top, however many lie below. */
const SIZE = 10_000;

/** Records in an answer. */
const RECORDS = 10;

const WARM_UPS = 3;

/** A timed run lasts about this long. */
const MIN_RUN_MS = 700;

const PACKAGES: Readonly<Record<Exclude<McpServer, 'gazette'>, string>> = {
  'official SDK, v1': '@modelcontextprotocol/sdk',
  'official packages, v2': '@modelcontextprotocol/server',
};

/** @throws Error when a server ends, or answers what it should not. */
export async function runMcp({ rounds, only, onProgress, onTable }: McpOptions): Promise<void> {
  const tables = MCP_TABLES.filter(({ id }) => only.includes(id));
  if (tables.length === 0) return;
  const folder = mkdtempSync(join(tmpdir(), 'gazette-bench-'));
  try {
    const storePath = join(folder, 'store.db');
    onProgress(`mcp: filling a store with ${SIZE} records`);
    await fillStore(storePath, SIZE);
    for (const table of tables) onTable(await measureTable(table, storePath, rounds, onProgress));
  } finally {
    rmSync(folder, { recursive: true });
    onProgress('');
  }
}

async function measureTable(
  table: McpTable,
  storePath: string,
  rounds: number,
  onProgress: (text: string) => void,
): Promise<TableResult> {
  const runners: ServerRunner[] = [];
  try {
    for (const server of ['gazette', ...table.rivals] as const) {
      onProgress(`${table.id}: starting ${server}`);
      runners.push(
        await ServerRunner.start({
          name: server,
          role: server === 'gazette' ? 'native' : 'peer',
          ...(server === 'gazette' ? {} : { version: versionOf(PACKAGES[server]) }),
          status: 200,
          script: join(import.meta.dirname, 'run-server.ts'),
          order: { table: table.id, server, storePath } satisfies McpServerOrder,
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
      title: table.title,
      records: RECORDS,
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
