// How soon a record is proved in a large log, and what a log takes in a store: fills a SQLite store and a PostgreSQL server
// from npm, signs the log, and asks the service for proofs of records anywhere in it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { createApiKey, newKeyEntry } from '../../src/access/api-key.ts';
import { readLogKeys } from '../../src/wings/proofs/operate/log-key.ts';
import { LogSigner } from '../../src/wings/proofs/operate/signer.ts';
import type { SignedHead } from '../../src/wings/proofs/operate/state.ts';
import { createGazette } from '../../src/service/create-gazette.ts';
import { PROOFS } from '../../src/wings/proofs/stores/plugin.ts';
import type { ServiceStore } from '../../src/stores/contract/accounts.ts';
import { PostgresStore } from '../../src/stores/postgres/store.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { startPostgres } from '../../test/stores/postgres/server.ts';
import { Random } from '../random.ts';
import type { CheckResult } from '../result.ts';
import { fillRegister } from '../http/registers.ts';
import { benchRecord } from '../data.ts';

/** What to measure. */
export interface ProofsOptions {
  /** Records in the register, which has an entry in its log for each. */
  readonly size: number;
  readonly onProgress: (text: string) => void;
}

/** Within how many milliseconds a record is proved. */
const PROOF_MS = 5;

/** How many bytes tiles and salts may take for each entry. */
const ENTRY_BYTES = 110;

/** Proofs before those that count, and those that count. */
const ASKED = { warmUp: 300, counted: 3000 } as const;

/** What was seen of one engine. */
interface Seen {
  readonly engine: string;
  /** Of each proof, in rising order. */
  readonly ms: readonly number[];
  readonly bytesAnEntry: number;
}

/** @throws Error when a proof is refused */
export async function runProofs({ size, onProgress }: ProofsOptions): Promise<CheckResult> {
  const folder = mkdtempSync(join(tmpdir(), 'gazette-bench-'));
  const seen: Seen[] = [];
  try {
    onProgress(`proofs: ${size} entries in SQLite`);
    const path = join(folder, 'store.db');
    const store = SqliteStore.open(path, { bulk: true });
    const ms = await proofTimes(store, size).finally(() => store.close());
    seen.push({ engine: 'SQLite', ms, bytesAnEntry: bytesInSqlite(path) / size });
    onProgress(`proofs: ${size} entries in PostgreSQL`);
    seen.push(await onPostgres(size));
  } finally {
    rmSync(folder, { recursive: true });
    onProgress('');
  }
  return {
    id: 'proofs',
    title: `Proofs of records in a log of ${size.toLocaleString('en')} entries, signed, answered by the service without the network`,
    checks: seen.flatMap(checksOf),
  };
}

async function onPostgres(size: number): Promise<Seen> {
  const server = await startPostgres();
  const pool = new pg.Pool({ connectionString: server.url });
  try {
    // As `gazette serve` opens it.
    const ms = await proofTimes(await PostgresStore.open(pool, { answersFromMemory: true }), size);
    const { rows } = await pool.query<{ bytes: string }>(`SELECT pg_total_relation_size('gazette.log_tiles') +
      (SELECT sum(pg_column_size(salt)) FROM gazette.versions) AS bytes`);
    return { engine: 'PostgreSQL', ms, bytesAnEntry: Number(rows[0]!.bytes) / size };
  } finally {
    await pool.end();
    await server.stop();
  }
}

/** A value takes its bytes, and one for its type (SQLite's record format, 2.1). */
function bytesInSqlite(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const { bytes } = database
      .prepare(
        `SELECT (SELECT sum(pgsize) FROM dbstat WHERE name = 'log_tiles') +
          (SELECT sum(length(salt) + 1) FROM versions) AS bytes`,
      )
      .get() as { bytes: number };
    return bytes;
  } finally {
    database.close();
  }
}

/** Fills and signs the register of a store, and proves records of it for who has a key. */
async function proofTimes(store: ServiceStore, size: number): Promise<number[]> {
  await fillRegister(store, size);
  await sign(store);
  const fetch = await serviceWithKey(store);
  const random = new Random(size);
  const ms: number[] = [];
  for (let nth = 0; nth < ASKED.warmUp + ASKED.counted; nth++) {
    const { id } = benchRecord(1 + random.below(size));
    const startedAt = performance.now();
    const answer = await fetch(`/api/v1/records/${encodeURIComponent(id)}/proof`);
    const proof = await answer.text();
    if (nth >= ASKED.warmUp) ms.push(performance.now() - startedAt);
    if (answer.status !== 200) throw new Error(`a proof was refused: ${answer.status} ${proof}`);
  }
  return ms.toSorted((a, b) => a - b);
}

async function sign(store: ServiceStore): Promise<void> {
  const { logs } = store.part(PROOFS);
  const signed = new Map<string, SignedHead>();
  const signer = new LogSigner(logs, {
    keys: readLogKeys('07'.repeat(32)),
    place: 'permits.example.org',
    state: {
      last: (uuid) => signed.get(uuid) ?? null,
      remember: (uuid, head) => Promise.resolve(void signed.set(uuid, head)),
    },
    onError: (error) => {
      throw error;
    },
  });
  await signer.signAll();
  await signer.close();
}

async function serviceWithKey(store: ServiceStore): Promise<(path: string) => Promise<Response>> {
  const key = createApiKey();
  const createdAt = new Date().toISOString();
  await store.accounts.createAccount({ id: 'bench', accessUntil: '2100-01-01T00:00:00Z', createdAt });
  await store.accounts.createKey(newKeyEntry(key, { accountId: 'bench', product: 'bench', createdAt }));
  const limits = { perKey: { limit: 1_000_000, windowSeconds: 1 } };
  const baseUrl = 'https://permits.example.org';
  const { fetch } = createGazette({ store, product: 'bench', baseUrl, limits });
  const headers = { Authorization: `Bearer ${key}` };
  return async (path) => fetch(new Request(baseUrl + path, { headers }));
}

function checksOf({ engine, ms, bytesAnEntry }: Seen): CheckResult['checks'] {
  const at = (part: number): number => ms[Math.floor((ms.length - 1) * part)]!;
  return [
    {
      label: `${engine}: a proof within ${PROOF_MS} ms, seen ${at(0.5).toFixed(2)} ms (99 of 100 within ${at(0.99).toFixed(2)})`,
      met: at(0.5) <= PROOF_MS,
    },
    {
      label: `${engine}: tiles and salts of at most ${ENTRY_BYTES} bytes an entry, seen ${bytesAnEntry.toFixed(1)}`,
      met: bytesAnEntry <= ENTRY_BYTES,
    },
  ];
}
