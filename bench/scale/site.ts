// What the simulation is fed from and checked on: a PostgreSQL server from npm with many registers, and `gazette serve` in a
// process of its own. What both take is read from the operating system (Linux).
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createApiKey, newKeyEntry } from '../../src/access/api-key.ts';
import { defineRegister } from '../../src/register/definition.ts';
import type { RegisterDefinition } from '../../src/register/record.ts';
import { BATCH_SIZE } from '../../src/stores/contract/registers.ts';
import type { PublishedRecord } from '../../src/stores/contract/prepared-record.ts';
import { PostgresStore } from '../../src/stores/postgres/store.ts';
import { toPublishedRecord } from '../../src/stores/rows/published-record.ts';
import { freePort } from '../../test/docs/free-port.ts';
import { benchRecord, DEFINITION } from '../data.ts';

const FILLED_AT = '2026-01-01T00:00:00Z';

/** Registers that are filled at the same time: one is made while the server writes another. */
const FILLING = 2;

/** How many clock ticks of processor time a second has (`getconf CLK_TCK`): 100 on every Linux. */
const TICKS = 100;

/** A connection that has nothing to do tells what it counted after ten seconds at the latest (pgstat.c, PGSTAT_IDLE_INTERVAL). */
const COUNTED_MS = 11_000;

/** What a store takes, of each record. */
export interface StoreSize {
  readonly records: number;
  /** Bytes of tables and of indexes. */
  readonly tables: number;
  readonly indexes: number;
}

/** The register of a number, from 0. */
export function registerOf(number: number): RegisterDefinition {
  return defineRegister({ ...DEFINITION, id: `permits-${number}`, title: `Permits of district ${number}` });
}

/** The id of a register's record. */
export function idOf({ id }: RegisterDefinition, position: number): string {
  return `${id}:${String(position).padStart(7, '0')}`;
}

/** Records of a register, those at the positions from `from` on. */
export function recordsOf(register: RegisterDefinition, from: number, count: number): PublishedRecord[] {
  return Array.from({ length: count }, (_, index) => {
    const record = { ...benchRecord(from + index, register), id: idOf(register, from + index), feed_id: register.id };
    return toPublishedRecord(record, true);
  });
}

/** Fills an empty database with registers of equal size. @returns bytes of write-ahead log for each record */
export async function fillRegisters(
  url: string,
  registers: number,
  records: number,
  onProgress: (text: string) => void,
): Promise<number> {
  const pool = new pg.Pool({ connectionString: url });
  try {
    const store = await PostgresStore.open(pool);
    const before = await walPosition(pool);
    const each = Math.floor(records / registers);
    let next = 0;
    const fill = async (): Promise<void> => {
      while (next < registers) {
        const register = registerOf(next++);
        await store.createRegister(register);
        for (let from = 1; from <= each; from += BATCH_SIZE) {
          const batch = recordsOf(register, from, Math.min(BATCH_SIZE, each - from + 1));
          await store.apply(register.id, batch, { recordedAt: FILLED_AT });
        }
        onProgress(`scale: ${next} of ${registers} registers filled`);
      }
    };
    await Promise.all(Array.from({ length: FILLING }, fill));
    const written = ((await walPosition(pool)) - before) / (each * registers);
    await pool.query('VACUUM ANALYZE');
    await pool.query('CHECKPOINT');
    return written;
  } finally {
    await pool.end();
  }
}

async function walPosition(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(`SELECT pg_current_wal_lsn() - '0/0' AS bytes`);
  return Number(rows[0]!.bytes);
}

/** What the tables of a filled store take. */
export async function storeSize(pool: pg.Pool): Promise<StoreSize> {
  const { rows } = await pool.query<{ records: string; tables: string; indexes: string }>(
    `SELECT (SELECT count(*) FROM gazette.records) AS records, sum(pg_table_size(c.oid)) AS tables, sum(pg_indexes_size(c.oid)) AS indexes
      FROM pg_class c WHERE c.relnamespace = 'gazette'::regnamespace AND c.relkind = 'r'`,
  );
  const { records, tables, indexes } = rows[0]!;
  return { records: Number(records), tables: Number(tables), indexes: Number(indexes) };
}

/** A key that opens everything. */
export async function makeKey(store: PostgresStore): Promise<string> {
  const key = createApiKey();
  const createdAt = new Date().toISOString();
  const accountId = `scale-${process.pid}`;
  await store.accounts.createAccount({ id: accountId, accessUntil: '2100-01-01T00:00:00Z', createdAt });
  await store.accounts.createKey(newKeyEntry(key, { accountId, product: 'gazette', createdAt }));
  return key;
}

/** `gazette serve`, of one process. */
export interface ServedNode {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts it. Nobody is refused, and nobody counted. @throws Error when it ends before it answers */
export async function startNode(url: string): Promise<ServedNode> {
  const port = await freePort();
  const options = ['--store', url, '--port', String(port), '--limit-key', 'none', '--limit-address', 'none'];
  const node = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      join(import.meta.dirname, '../../src/cli/gazette.ts'),
      'serve',
      ...options,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  node.stderr.on('data', (text: Buffer) => (said += text.toString()));
  for (;;) {
    if (node.exitCode !== null) throw new Error(`gazette serve ended with ${node.exitCode}: ${said}`);
    const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) break;
    await sleep(50);
  }
  return { port, pid: node.pid!, stop: () => ended(node) };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

/** What happened while something was done: processor time in seconds, and transactions of all databases. */
export interface Spent {
  readonly seconds: number;
  readonly node: number;
  readonly postgres: number;
  readonly transactions: number;
}

/** Reads the meters of a node and of its PostgreSQL. */
export class MeterReader {
  readonly #pool: pg.Pool;
  readonly #node: number;
  readonly #postmaster: number;
  #last: Spent | null = null;
  #asked = 0;

  private constructor(pool: pg.Pool, node: number, postmaster: number) {
    this.#pool = pool;
    this.#node = node;
    this.#postmaster = postmaster;
  }

  static async open(pool: pg.Pool, { pid }: ServedNode): Promise<MeterReader> {
    const { rows } = await pool.query<{ data_directory: string }>('SHOW data_directory');
    const file = readFileSync(join(rows[0]!.data_directory, 'postmaster.pid'), 'utf8');
    return new MeterReader(pool, pid, Number(file.split('\n')[0]));
  }

  /** What `act` spends, with the time until PostgreSQL has counted it. */
  async spent(act: () => Promise<unknown>): Promise<Spent> {
    // The last reading will do if nothing was done since.
    const isRecent = this.#last !== null && now() - this.#last.seconds < 0.1;
    const before = isRecent ? this.#last! : await this.#read();
    await act();
    const after = await this.#read();
    this.#last = after;
    return {
      seconds: after.seconds - before.seconds,
      node: after.node - before.node,
      postgres: after.postgres - before.postgres,
      transactions: after.transactions - before.transactions,
    };
  }

  async #read(): Promise<Spent> {
    await sleep(COUNTED_MS);
    const { rows } = await this.#pool.query<{ transactions: string }>(
      'SELECT sum(xact_commit + xact_rollback) AS transactions FROM pg_stat_database',
    );
    // Asking is a transaction too.
    const transactions = Number(rows[0]!.transactions) - this.#asked++;
    const all = processes();
    const postgres = all
      .filter(({ pid, parent }) => pid === this.#postmaster || parent === this.#postmaster)
      .reduce((sum, { pid, own, children }) => sum + own + (pid === this.#postmaster ? children : 0), 0);
    const node = all.find(({ pid }) => pid === this.#node)!.own;
    return { seconds: now(), node, postgres, transactions };
  }

  /** The node's resident memory, in bytes. */
  residentBytes(): number {
    const [, kib] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${this.#node}/status`, 'utf8'))!;
    return Number(kib) * 1024;
  }
}

function now(): number {
  return performance.now() / 1000;
}

interface ProcessTimes {
  readonly pid: number;
  readonly parent: number;
  /** Seconds of its own, and of its children that have ended. */
  readonly own: number;
  readonly children: number;
}

/** Every process, as proc(5) tells of it. */
function processes(): ProcessTimes[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    let stat: string;
    try {
      stat = readFileSync(`/proc/${name}/stat`, 'utf8');
    } catch {
      // It has ended meanwhile.
      return [];
    }
    // The name of the program stands in brackets, and may have spaces.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent, user, system, childUser, childSystem] = [1, 11, 12, 13, 14].map((at) => fields[at]!) as [
      number,
      number,
      number,
      number,
      number,
    ];
    return [{ pid: Number(name), parent, own: (user + system) / TICKS, children: (childUser + childSystem) / TICKS }];
  });
}
