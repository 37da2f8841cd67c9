// Measures what many registers cost against few: pages of `/feeds`, the start of `gazette serve`, and a snapshot's further run
// after one register changed. On SQLite and on a PostgreSQL server from npm. Processor time is that of gazette, without the
// server's; of `gazette serve` it is read from /proc, in hundredths of a second (Linux).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Accounts } from '../../src/operate/accounts.ts';
import { createGazette } from '../../src/service/create-gazette.ts';
import { SnapshotWriter } from '../../src/snapshot/run.ts';
import type { InspectedStore } from '../../src/stores/contract/inspection.ts';
import type { CheckResult } from '../result.ts';
import { ratiosOf, type Spread } from '../statistics.ts';
import { type Database, fill, idOf, onPostgres, onSqlite, publish, RECORDS } from './databases.ts';

/** What the goals hold many registers against. */
const FEW = 100;

/** Answers of each kind in a round; the quickest counts. */
const ANSWERS = 20;

/** Registers on a page of `/feeds`. */
const PAGE = 100;

/** Registers for which the goal of a further run is meant: a part of it is the same for few. */
const WHOLE = 10_000;

const PRODUCT = 'gazette';
const SITE = 'https://permits.example.org';
/** What is measured. */
export interface RegistersBenchOptions {
  /** Many registers. */
  readonly size: number;
  readonly rounds: number;
  readonly onProgress: (text: string) => void;
  /** Called with the figures of each database when they are there. */
  readonly onChecks: (result: CheckResult) => void;
}

interface Took {
  readonly ms: number;
  readonly cpuMs: number;
}

/** @throws Error when an answer is another one than expected, or a process ends */
export async function runRegisters(options: RegistersBenchOptions): Promise<void> {
  for (const start of [onSqlite, onPostgres]) {
    const database = await start();
    try {
      options.onChecks(await measure(database, options));
    } finally {
      await database.end();
      options.onProgress('');
    }
  }
}

async function measure(database: Database, { size, rounds, onProgress }: RegistersBenchOptions): Promise<CheckResult> {
  const { name } = database;
  for (const registers of [1, FEW, size]) {
    onProgress(`registers: filling a store of ${name} with ${registers} registers`);
    await fill(database, registers);
  }
  const few = await listing(database, FEW);
  const many = await listing(database, size);
  const feeds: Record<'few' | 'first' | 'last', Took[]> = { few: [], first: [], last: [] };
  const starts: Record<'one' | 'many', Took[]> = { one: [], many: [] };
  for (let round = 1; round <= rounds; round++) {
    onProgress(`registers: ${name}, round ${round}/${rounds}`);
    feeds.few.push(await few.page(0));
    feeds.first.push(await many.page(0));
    feeds.last.push(await many.page(size - PAGE));
    starts.one.push(await startOf(database.options(1)));
    starts.many.push(await startOf(database.options(size)));
  }
  await few.store.close();
  onProgress(`registers: ${name}, snapshots`);
  const snapshots = await snapshotsOf(many.store, size, rounds);
  await many.store.close();
  return {
    id: `registers-${name}`,
    title: `${size} registers of ${RECORDS} records on ${name}; medians of ${rounds} rounds, by the clock and by processor time`,
    checks: [
      judge(`\`/feeds\`, the first ${PAGE} registers, against those of a store of ${FEW}`, feeds.first, feeds.few, 2),
      judge(`\`/feeds\`, the last ${PAGE}, against the same`, feeds.last, feeds.few, 2),
      judge('`gazette serve` until it answers, against one register', starts.many, starts.one, 1.5),
      judge(
        'a further run of a snapshot after one register changed, against the first',
        snapshots.further,
        snapshots.further.map(() => snapshots.first),
        size >= WHOLE ? 0.01 : null,
      ),
    ],
  };
}

function judge(
  label: string,
  ours: readonly Took[],
  theirs: readonly Took[],
  goal: number | null,
): CheckResult['checks'][number] {
  const ratio = (of: keyof Took): Spread =>
    ratiosOf(
      ours.map((took) => took[of]),
      theirs.map((took) => took[of]),
    );
  const [clock, processor] = [ratio('ms'), ratio('cpuMs')];
  const shown = ({ median: middle, min, max }: Spread): string =>
    [middle, min, max].map((value) => value.toPrecision(2)).join(' / ');
  const best = `${Math.min(...ours.map(({ ms }) => ms)).toFixed(1)} ms at best`;
  return {
    label: `${label}: ${shown(clock)} × by the clock, ${shown(processor)} × by processor time (median / lowest / highest), ${best}; ${goal === null ? 'for information' : `wanted <= ${goal} ×`}`,
    met: goal === null || clock.median <= goal,
  };
}

/** Pages of `/feeds`, each read and written again. */
async function listing(
  database: Database,
  registers: number,
): Promise<{ readonly store: InspectedStore; readonly page: (offset: number) => Promise<Took> }> {
  const store = await database.open(registers);
  const accounts = new Accounts(store, { product: PRODUCT });
  await accounts.add('bench', '2999-01-01T00:00:00Z');
  const { key } = await accounts.createKey('bench');
  const gazette = createGazette({ store, product: PRODUCT, baseUrl: SITE, limits: null, cacheBytes: 0 });
  const headers = { authorization: `Bearer ${key}` };
  const answer = async (offset: number): Promise<Took> => {
    const request = new Request(`${SITE}/api/v1/feeds?limit=${PAGE}&offset=${offset}`, { headers });
    const took = timer();
    const response = await gazette.fetch(request);
    const { feeds } = (await response.json()) as { readonly feeds?: readonly unknown[] };
    if (feeds?.length !== PAGE) throw new Error(`expected ${PAGE} registers, got ${response.status}`);
    return took();
  };
  return {
    store,
    page: async (offset) => {
      const answers: Took[] = [];
      while (answers.length < ANSWERS) answers.push(await answer(offset));
      return {
        ms: Math.min(...answers.map(({ ms }) => ms)),
        cpuMs: answers.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / ANSWERS,
      };
    },
  };
}

function timer(): () => Took {
  const [processor, start] = [process.cpuUsage(), performance.now()];
  return () => {
    const ms = performance.now() - start;
    const { user, system } = process.cpuUsage(processor);
    return { ms, cpuMs: (user + system) / 1000 };
  };
}

/** Starts `gazette serve`, until it says where it is and answers. */
async function startOf(options: readonly string[]): Promise<Took> {
  const program = join(import.meta.dirname, '../../src/cli/gazette.ts');
  const flags = ['--disable-warning=ExperimentalWarning', program, 'serve', ...options, '--port', '0'];
  const start = performance.now();
  const child = spawn(process.execPath, flags, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  let said = '';
  const address = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (text: Buffer) => {
      said += text.toString();
      const found = /serving .* on (http:[^\s,]+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => {
      reject(new Error(`gazette serve ended with ${code}: ${said}`));
    });
  });
  await (await fetch(new URL('/readyz', address))).text();
  const ms = performance.now() - start;
  const cpuMs = processorMs(child.pid!);
  child.kill('SIGTERM');
  await ended;
  return { ms, cpuMs };
}

/** The processor time of a process; NaN where the system has no /proc. */
function processorMs(pid: number): number {
  try {
    // After the name of the program, which may have spaces: state, and the 14th and 15th fields of the line (proc_pid_stat(5)).
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return Number.NaN;
  }
}

/** One first run, and so many further ones, each by a writer that is opened for it, as the command does. */
async function snapshotsOf(
  store: InspectedStore,
  registers: number,
  rounds: number,
): Promise<{ readonly first: Took; readonly further: readonly Took[] }> {
  const out = mkdtempSync(join(tmpdir(), 'gazette-bench-'));
  const run = async (): Promise<Took> => {
    const took = timer();
    const writer = await SnapshotWriter.open({ store, out, baseUrl: SITE, tier: 'pro' });
    await writer.write();
    await writer.close();
    return took();
  };
  try {
    const first = await run();
    const further: Took[] = [];
    while (further.length < rounds) {
      const day = String(further.length + 1).padStart(2, '0');
      await publish(store, idOf((further.length * 997) % registers), `2026-02-${day}T00:00:00Z`);
      further.push(await run());
    }
    return { first, further };
  } finally {
    rmSync(out, { recursive: true });
  }
}
