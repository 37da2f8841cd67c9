// Measures the HTTP tables: each server in a process of its own, asked in turns from this one. A time is that of one
// answer while others are being made: the inverse of answers per second.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LoadGenerator } from './load.ts';
import { fillStore, fillTable } from './registers.ts';
import type { ServerOrder, ServerReady } from './run-server.ts';
import { HTTP_TABLES, type HttpTable, type Server } from './tables.ts';
import { DEFINITION } from '../data.ts';
import { nextMessage } from '../next-message.ts';
import { judge, measure, type Run, type Runner } from '../harness.ts';
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

/** Requests in work at once: enough to keep one process busy, whatever it waits for. */
const CONNECTIONS = 8;

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
      runners.push(await ServerRunner.start(server, table, order));
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

/** A server in a process of its own, and the connections to it. */
class ServerRunner implements Runner {
  readonly name: Server;
  readonly role: Runner['role'];
  readonly version: string | null = null;
  readonly #child: ChildProcess;
  readonly #load: LoadGenerator;
  readonly #requests: readonly string[];
  readonly #status: number;

  private constructor(name: Server, table: HttpTable, child: ChildProcess, { port, requests }: ServerReady) {
    this.name = name;
    this.role = name === 'gazette' ? 'native' : name === 'bare Hono' ? 'bare loop' : 'peer';
    this.#child = child;
    this.#load = new LoadGenerator(port);
    this.#requests = requests;
    this.#status = table.kind === 'not-modified' ? 304 : 200;
  }

  static async start(
    server: Server,
    table: HttpTable,
    order: Omit<ServerOrder, 'table' | 'server'>,
  ): Promise<ServerRunner> {
    const child = fork(
      join(import.meta.dirname, 'run-server.ts'),
      [JSON.stringify({ ...order, table: table.id, server })],
      {
        execArgv: ['--disable-warning=ExperimentalWarning'],
      },
    );
    return new ServerRunner(server, table, child, await nextMessage<ServerReady>(child, server));
  }

  async run(repeats: number): Promise<Run> {
    const before = await this.#cpu();
    const startedAt = performance.now();
    const { statuses, bytes, firstByteMs } = await this.#load.run(this.#requests, repeats, CONNECTIONS);
    const ms = performance.now() - startedAt;
    const after = await this.#cpu();
    if (statuses.get(this.#status) !== repeats) {
      throw new Error(`${this.name} answered ${JSON.stringify([...statuses])}, not ${this.#status} alone`);
    }
    const cpuMs = (after.user + after.system - before.user - before.system) / 1000;
    return { ms: ms / repeats, cpuMs: cpuMs / repeats, firstByteMs, bytes: Math.round(bytes / repeats) };
  }

  stop(): void {
    this.#load.close();
    this.#child.kill();
  }

  async #cpu(): Promise<NodeJS.CpuUsage> {
    this.#child.send('cpu');
    return nextMessage<NodeJS.CpuUsage>(this.#child, this.name);
  }
}
