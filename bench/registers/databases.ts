// The databases of the measurements of many registers, and what is in them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { defineRegister } from '../../src/register/definition.ts';
import type { InspectedStore } from '../../src/stores/contract/inspection.ts';
import { PostgresStore } from '../../src/stores/postgres/store.ts';
import { toPublishedRecord } from '../../src/stores/rows/published-record.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { startPostgres } from '../../test/stores/postgres/server.ts';
import { benchRecord, DEFINITION } from '../data.ts';
import { settle } from '../settle.ts';

/** Records of each register. */
export const RECORDS = 3;

/** Registers that are made at the same time. */
const MAKING = 4;

const FILLED_AT = '2026-01-01T00:00:00Z';

/** A database that has stores, by the number of their registers. */
export interface Database {
  readonly name: string;
  readonly open: (registers: number) => Promise<InspectedStore>;
  /** What `--store` and its like say. */
  readonly options: (registers: number) => readonly string[];
  /** What the database does by itself within a minute after so much was written. */
  readonly settle: (registers: number) => Promise<void>;
  readonly end: () => Promise<void>;
}

/** Files in a folder that goes with it. */
export async function onSqlite(): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), 'gazette-bench-'));
  const path = (registers: number): string => join(folder, `${registers}.db`);
  return {
    name: 'SQLite',
    open: async (registers) => SqliteStore.open(path(registers)),
    options: (registers) => ['--store', path(registers)],
    settle: () => Promise.resolve(),
    end: async () => {
      rmSync(folder, { recursive: true });
    },
  };
}

/** Databases of a server that goes with it. */
export async function onPostgres(): Promise<Database> {
  const server = await startPostgres({ fsync: 'off' });
  const pools = new Map<string, pg.Pool>();
  const urlOf = (registers: number): string => new URL(`/registers_${registers}`, server.url).href;
  return {
    name: 'PostgreSQL',
    open: async (registers) => {
      const url = urlOf(registers);
      const known = pools.get(url);
      if (known !== undefined) return PostgresStore.open(known);
      const admin = new pg.Client({ connectionString: server.url });
      await admin.connect();
      await admin.query(`CREATE DATABASE registers_${registers}`);
      await admin.end();
      const pool = new pg.Pool({ connectionString: url });
      pools.set(url, pool);
      return PostgresStore.open(pool);
    },
    options: (registers) => ['--store', urlOf(registers)],
    settle: (registers) => settle(urlOf(registers)),
    end: async () => {
      for (const pool of pools.values()) await pool.end();
      await server.stop();
    },
  };
}

/** The id of a register, by its number from 0. */
export const idOf = (number: number): string => `permits-${String(number).padStart(6, '0')}`;

/** Makes a store of so many registers. */
export async function fill(database: Database, registers: number): Promise<void> {
  const store = await database.open(registers);
  let next = 0;
  const make = async (): Promise<void> => {
    while (next < registers) {
      const id = idOf(next++);
      const register = defineRegister({ ...DEFINITION, id, title: `Permits ${id}`, uuid: null });
      await store.createRegister(register);
      await publish(store, id, FILLED_AT);
    }
  };
  await Promise.all(Array.from({ length: MAKING }, make));
  await store.close();
  await database.settle(registers);
}

/** Publishes or corrects the records of a register. */
export async function publish(store: InspectedStore, id: string, recordedAt: string): Promise<void> {
  const batch = Array.from({ length: RECORDS }, (_, index) => {
    const record = benchRecord(index + 1);
    const title = `${record.title} (${recordedAt})`;
    return toPublishedRecord({ ...record, title, feed_id: id, id: record.id.replace(DEFINITION.id, id) }, true);
  });
  await store.apply(id, batch, { recordedAt });
}
