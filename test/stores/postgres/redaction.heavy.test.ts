// Redaction with a purge in PostgreSQL: nothing in the folder of its data helps to confirm a guess, but for the
// write-ahead log. The database is one of its own: a snapshot of another test would hold up no purge here, but its
// content would be found.
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { guessContract } from '../../contracts/guess-contract.ts';
import { at, permits, say } from '../../contracts/store-register.ts';

const data = inject('postgresData');
let databases = 0;

/** A new database, which goes with the server. */
async function ownDatabase(): Promise<{ readonly pool: pg.Pool; readonly folder: string }> {
  const url = new URL(inject('postgresUrl'));
  const admin = new pg.Pool({ connectionString: url.href, max: 1 });
  const name = `purged_${++databases}`;
  await admin.query(`CREATE DATABASE ${name}`);
  url.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: url.href });
  onTestFinished(async () => {
    await pool.end();
    await admin.end();
  });
  const { rows } = await pool.query<{ oid: string }>(
    'SELECT oid::text FROM pg_database WHERE datname = current_database()',
  );
  return { pool, folder: join(data, 'base', rows[0]!.oid) };
}

async function filesIn(folder: string): Promise<Buffer[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(files.map((file) => readFile(join(file.parentPath, file.name))));
}

const HOLDERS = {
  // Sees the rows of before, without a lock on any table.
  'a transaction that sees the rows of before': 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1',
  // Sees what is committed at each of its statements, and has a lock.
  'a transaction that has read a table': 'BEGIN; SELECT count(*) FROM gazette.records',
};

describe('a PostgreSQL database', () => {
  guessContract(async () => {
    const { pool, folder } = await ownDatabase();
    const store = await PostgresStore.open(pool, { lockTimeoutMs: 200 });
    let isHeld = false;
    return {
      store,
      erase: async (id) => {
        // The statistics then hold frequent values.
        await pool.query('ANALYZE');
        await store.redact(id, { recordedAt: at(9), purge: true });
        // Other tests write to other databases of the server, and a short transaction of theirs holds it up, too.
        if (!isHeld) await store.purges.run({ waitMs: 20_000 });
      },
      bytes: async () => {
        await pool.query('CHECKPOINT');
        const { rows } = await pool.query<{ path: string }>(
          `SELECT pg_relation_filepath(oid) AS path FROM pg_class
            WHERE relnamespace = 'gazette'::regnamespace AND pg_relation_filepath(oid) IS NOT NULL`,
        );
        const keys = await Promise.all(rows.map(({ path }) => readFile(join(data, path))));
        const shared = await Promise.all(
          ['global', 'pg_xact', 'pg_multixact', 'pg_stat'].map((name) => filesIn(join(data, name))),
        );
        return { all: [...(await filesIn(folder)), ...shared.flat()], keys };
      },
      log: async () =>
        (await pool.query<{ uuid: string }>('SELECT uuid FROM gazette.logs WHERE register > 0')).rows[0]!.uuid,
      hash: async (text) => {
        const { rows } = await pool.query<{ hash: string }>('SELECT hashtextextended($1, 0) AS hash', [text]);
        const bytes = Buffer.alloc(8);
        bytes.writeBigInt64LE(BigInt(rows[0]!.hash));
        return bytes;
      },
      hold: async (holder) => {
        isHeld = true;
        const client = await pool.connect();
        await client.query(HOLDERS[holder as keyof typeof HOLDERS]);
        return async () => {
          await client.query('ROLLBACK');
          client.release();
        };
      },
    };
  }, Object.keys(HOLDERS));
});

it('sees who holds up a purge, and says what remains, where it does not own the database', async () => {
  const { pool } = await ownDatabase();
  const [role, password] = ['plain', randomUUID()];
  await pool.query(
    `CREATE ROLE ${role} LOGIN PASSWORD '${password}'; GRANT CREATE ON DATABASE purged_${databases} TO ${role}`,
  );
  const url = new URL(inject('postgresUrl'));
  Object.assign(url, { username: role, password, pathname: `/purged_${databases}` });
  const plain = new pg.Pool({ connectionString: url.href });
  onTestFinished(() => plain.end());
  const store = await PostgresStore.open(plain, { lockTimeoutMs: 100 });
  await store.createRegister(permits());
  await store.apply('permits', [say('a')], { recordedAt: at(0) });
  const owner = await pool.connect();
  // Also where something fails: else the pool waits for it.
  onTestFinished(() => {
    owner.release(true);
  });
  await owner.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
  await store.redact('permits:a', { recordedAt: at(1), purge: true });
  const tables = ['records', 'withdrawn', 'contents', 'versions', 'imports', 'proposals', 'proposed_records'];
  expect((await store.purges.pending())?.parts).toEqual(expect.arrayContaining([...tables, 'pg_statistic']));
  await owner.query('ROLLBACK');
  expect(await store.purges.run({ waitMs: 20_000 })).toBeNull();
  const statistics = expect.stringContaining('VACUUM FULL pg_catalog.pg_statistic') as unknown;
  expect(await store.purges.beyond({ isPurged: true })).toContainEqual(statistics);
  const asOwner = await PostgresStore.open(pool);
  expect(await asOwner.purges.beyond({ isPurged: true })).not.toContainEqual(statistics);
});
