// What is PostgreSQL's own: migrations, concurrent writers, locks, and what redaction leaves in the tables.
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { pages } from '../../../src/register/sources/source.ts';
import { FIRST_SCHEMA, lastNumber } from '../../../src/stores/logic/migration.ts';
import { postgresMigrations } from '../../../src/stores/postgres/migrations.ts';
import { PostgresConnection, type PostgresPool, type PostgresQuery } from '../../../src/stores/postgres/connection.ts';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { expectOthersToGoOn } from '../../contracts/damaged-definition.ts';
import { at, keyOf, keys, permits, say } from '../../contracts/store-register.ts';
import { letPass } from '../../until.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl'), max: 10 });
let schemas = 0;
let schema: string;

beforeEach(() => {
  schema = `database_${++schemas}`;
});
afterAll(() => pool.end());

const open = (options = {}): Promise<PostgresStore> => PostgresStore.open(pool, { schema, ...options });

/** A pool that sees every statement before it is run. */
function watched(before: (text: string) => Promise<void> | void): PostgresPool {
  return {
    query: (query: PostgresQuery) => pool.query(query),
    connect: async () => {
      const client = await pool.connect();
      return {
        query: async (query: PostgresQuery) => {
          await before(query.text);
          return client.query(query);
        },
        on: (event, listener) => client.on(event, listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
        release: (error) => {
          client.release(error);
        },
      };
    },
  };
}

/** How many batches each of the concurrent writers writes: a multiple of five. */
const ROUNDS = 5;

describe('concurrent writers', () => {
  it('leave dense positions, rising change numbers, and nothing new below what was read', async () => {
    const delays = [0, 1, 3, 7, 12, 2, 9, 5];
    const writers = await Promise.all(
      delays.map((delay) =>
        PostgresStore.open(
          watched(async (text) => {
            if (text === 'COMMIT') await letPass(delay * Math.random() * 2, 'each writer is late by a time of its own');
          }),
          { schema },
        ),
      ),
    );
    const store = await open();
    await store.createRegister(permits());
    let isWriting = true;
    const write = async (writer: PostgresStore, number: number): Promise<void> => {
      for (let round = 0; round < ROUNDS; round++) {
        const name = `w${number}-${round}`;
        const batch = [say(`${name}-a`), say(`${name}-b`), say('shared', { title: name })];
        await writer.apply('permits', batch, { recordedAt: at(round) });
        if (round % 5 === 4) await writer.withdraw('permits', [`permits:${name}-a`], { recordedAt: at(round) });
      }
    };
    // Stops at the top it finds, comes back later, and must find no id below that it did not see then.
    const read = async (): Promise<number> => {
      let walks = 0;
      const source = await store.source('permits');
      let seen = new Set<string>();
      let top = 0;
      let change = 0;
      while (isWriting) {
        const found = new Set<string>();
        let view = 0;
        for await (const page of pages(source, { limit: 50 })) {
          view = page.asOf as number;
          for (const record of page.records) {
            found.add(keyOf(record));
            if (record.position! <= top) expect(seen).toContain(keyOf(record));
          }
        }
        expect(view).toBeGreaterThanOrEqual(top);
        [seen, top] = [found, view];
        // A follower of the log misses no change either.
        for (let more = true; more;) {
          const log = await store.changes('permits', { since: change, limit: 100 });
          log.versions.forEach((version, index) => {
            expect(version.change).toBe(change + index + 1);
          });
          ({ nextSince: change, more } = log);
        }
        walks++;
      }
      return walks;
    };
    const reading = Promise.all([read(), read()]);
    await Promise.all(writers.map(write)).finally(() => {
      isWriting = false;
    });
    for (const walks of await reading) expect(walks).toBeGreaterThan(3);

    const rows = async (sql: string): Promise<number[]> =>
      (await pool.query<{ n: string }>(sql)).rows.map(({ n }) => Number(n) % 2 ** 32);
    const either = `SELECT slot FROM ${schema}.records UNION ALL SELECT slot FROM ${schema}.withdrawn`;
    const positions = await rows(`SELECT slot AS n FROM (${either}) ORDER BY 1`);
    expect(positions).toEqual(Array.from({ length: 8 * ROUNDS * 2 + 1 }, (_, index) => index + 1));
    const changes = await rows(`SELECT entry AS n FROM ${schema}.versions ORDER BY 1`);
    // Every batch adds two and changes the shared one, but for the first, which adds it; and one is withdrawn of five each.
    expect(changes).toEqual(Array.from({ length: 8 * (ROUNDS * 3 + ROUNDS / 5) }, (_, index) => index + 1));
    expect(await store.register('permits')).toMatchObject({
      top: positions.length,
      change: changes.length,
      total: positions.length - (8 * ROUNDS) / 5,
    });
  });

  it('of different registers do not wait for each other', async () => {
    const store = await open();
    await store.createRegister(permits());
    await store.createRegister(permits('others'));
    const holder = await pool.connect();
    await holder.query(`BEGIN; SELECT * FROM ${schema}.registers WHERE id = 'permits' FOR UPDATE`);
    const result = await store.apply('others', [say('x', {}, 'others')], { recordedAt: at(0) });
    expect(result.added).toBe(1);
    await holder.query('ROLLBACK');
    holder.release();
  });

  it('give up with store_busy when the register stays locked, and leave nothing behind', async () => {
    // Migrations of other schemas take a lock of theirs, which this one is not to wait for with so little patience.
    await open();
    const store = await open({ lockTimeoutMs: 50 });
    await store.createRegister(permits());
    const holder = await pool.connect();
    await holder.query(`BEGIN; SELECT * FROM ${schema}.registers FOR UPDATE`);
    const refused = store.apply('permits', [say('a')], { recordedAt: at(0) });
    await expect(refused).rejects.toMatchObject({ code: 'store_busy' });
    await holder.query('ROLLBACK');
    holder.release();
    expect(await store.apply('permits', [say('a')], { recordedAt: at(0) })).toMatchObject({ added: 1 });
  });

  it('see each other’s records under any default isolation', async () => {
    const strict = new pg.Pool({
      connectionString: inject('postgresUrl'),
      options: '-c default_transaction_isolation=serializable',
    });
    const stores = await Promise.all([0, 1, 2, 3].map(() => PostgresStore.open(strict, { schema })));
    await stores[0]!.createRegister(permits());
    const results = await Promise.all(
      stores.map((store) => store.apply('permits', [say('a'), say('b')], { recordedAt: at(0) })),
    );
    expect(results.map(({ added }) => added).sort()).toEqual([0, 0, 0, 2]);
    await strict.end();
  });

  it('keep the pool whole when a connection breaks in the middle', async () => {
    const broken = await PostgresStore.open(
      watched(async (text) => {
        if (!text.startsWith('INSERT INTO') || !text.includes('versions')) return;
        await pool.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE state = 'idle in transaction' AND query LIKE '%${schema}%'`,
        );
      }),
      { schema },
    );
    const onError = (): void => undefined;
    pool.on('error', onError);
    await broken.createRegister(permits());
    await expect(broken.apply('permits', [say('a')], { recordedAt: at(0) })).rejects.toThrow();
    const store = await open();
    expect(await keys(store)).toEqual([]);
    expect(await store.apply('permits', [say('a')], { recordedAt: at(0) })).toMatchObject({ added: 1 });
    pool.off('error', onError);
  });
});

it('a register with a damaged definition stops no other', async () => {
  const store = await open();
  await expectOthersToGoOn(store, async () => {
    await pool.query(`UPDATE ${schema}.registers SET definition = substr(definition, 1, 20) WHERE id = 'sites'`);
  });
  await store.close();
});

describe('the schema of a database', () => {
  const known = lastNumber(postgresMigrations(''));
  const later = (compatibleFrom = known + 1): ReturnType<typeof postgresMigrations> => [
    ...postgresMigrations(`"${schema}"`),
    {
      name: 'later',
      compatibleFrom,
      sql: `CREATE TABLE ${schema}.later (a int); INSERT INTO ${schema}.later VALUES (1)`,
    },
  ];

  it('is brought up to date, once, and keeps what is there', async () => {
    const store = await open();
    await store.createRegister(permits());
    await store.apply('permits', [say('a')], { recordedAt: at(0) });
    for (let time = 0; time < 2; time++) {
      const connection = await PostgresConnection.open(pool, { schema }, later());
      expect(await connection.query(`SELECT count(*)::int FROM ${schema}.later`)).toEqual([[1]]);
      expect(await connection.query(`SELECT id FROM ${schema}.records`)).toEqual([['permits:a']]);
    }
  });

  it('is refused when it is newer', async () => {
    await PostgresConnection.open(pool, { schema }, later());
    await expect(open()).rejects.toMatchObject({ code: 'schema_too_new', details: { version: known + 1, known } });
  });

  it('is opened by older code where its newest migration says so', async () => {
    await PostgresConnection.open(pool, { schema }, later(known));
    const store = await open();
    await store.createRegister(permits());
    await store.apply('permits', [say('a')], { recordedAt: at(0) });
    expect((await store.register('permits'))!.total).toBe(1);
    // A migration further on that older code cannot live with ends that, whatever the one before it said.
    const further = { name: 'further', compatibleFrom: known + 2, sql: `CREATE TABLE ${schema}.further (a int)` };
    await PostgresConnection.open(pool, { schema }, [...later(known), further]);
    await expect(open()).rejects.toMatchObject({ code: 'schema_too_new', details: { version: known + 2, known } });
  });

  it.each(['', ', compatible_from integer'])('of before the first release is refused (%j)', async (column) => {
    await pool.query(
      `CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.migrations (version integer PRIMARY KEY${column})`,
    );
    await pool.query(`INSERT INTO ${schema}.migrations SELECT generate_series(1, $1)`, [FIRST_SCHEMA - 1]);
    const message = expect.stringMatching(/^the schema "\w+" was made .* import the registers again$/) as string;
    await expect(open()).rejects.toMatchObject({ code: 'invalid_store', message });
  });

  it('is left as it was by a migration that fails', async () => {
    await open();
    const half = { name: 'broken', compatibleFrom: known, sql: `CREATE TABLE ${schema}.half (a int); SELECT nonsense` };
    await expect(PostgresConnection.open(pool, { schema }, [...later(), half])).rejects.toThrow('nonsense');
    const { rows } = await pool.query('SELECT to_regclass($1) AS half, to_regclass($2) AS later', [
      `${schema}.half`,
      `${schema}.later`,
    ]);
    expect(rows).toEqual([{ half: null, later: null }]);
    expect(await (await open()).registers()).toEqual([]);
  });

  it('is made once by processes that start together', async () => {
    const stores = await Promise.all([1, 2, 3, 4, 5].map(() => open()));
    expect(await stores[4]!.registers()).toEqual([]);
    const { rows } = await pool.query(`SELECT version FROM ${schema}.migrations`);
    expect(rows).toEqual([{ version: FIRST_SCHEMA }]);
  });

  it.each(['', 'Upper', 'a"b', 'x'.repeat(64), '1a'])('is not named %j', async (name) => {
    await expect(open({ schema: name })).rejects.toMatchObject({
      code: 'invalid_option',
      details: { option: 'schema' },
    });
  });
});

describe('redaction in a database', () => {
  it('leaves nothing of the content in any table', async () => {
    const store = await open();
    await store.createRegister(permits());
    const secret = (title: string) =>
      say('a', {
        title: `S3CR3T ${title}`,
        document_type: 'S3CR3T',
        facility_id: 'S3CR3T',
        data: { s3cr3t: 'S3CR3T' },
      });
    await store.apply('permits', [secret('1'), say('b')], { recordedAt: at(0) });
    await store.apply('permits', [secret('2')], { recordedAt: at(1) });
    await store.withdraw('permits', ['permits:a'], { recordedAt: at(2) });
    await store.apply('permits', [secret('3')], { recordedAt: at(3) });
    await store.redact('permits:a', { recordedAt: at(4) });
    const tables = await pool.query<{ table_name: string }>(
      'SELECT table_name FROM information_schema.tables WHERE table_schema = $1',
      [schema],
    );
    expect(tables.rows.length).toBeGreaterThan(5);
    for (const { table_name } of tables.rows) {
      const { rows } = await pool.query<{ t: string }>(`SELECT t::text AS t FROM ${schema}."${table_name}" t`);
      expect(JSON.stringify(rows).toLowerCase()).not.toContain('s3cr3t');
    }
    expect(await keys(store)).toEqual(['b']);
  });
});

describe('a filter’s query', () => {
  it('walks its own index, also where the planner thinks the type is common', async () => {
    // One connection: a connection's counts are seen by others only after a while.
    const single = new pg.Pool({ connectionString: inject('postgresUrl'), max: 1 });
    const store = await PostgresStore.open(single, { schema });
    await store.createRegister(permits());
    // Common in the older half, absent from the newer: walking the newer half would be the trap.
    for (let batch = 0; batch < 20; batch++) {
      const said = Array.from({ length: 500 }, (_, index) =>
        say(`k${batch}-${index}`, { document_type: batch < 10 ? 'old' : 'new', facility_id: `F${index % 3}` }),
      );
      await store.apply('permits', said, { recordedAt: at(batch) });
    }
    await single.query(`ANALYZE ${schema}.records`);
    const rowsRead = async (): Promise<number> => {
      await single.query('SELECT pg_stat_force_next_flush()');
      const { rows } = await single.query<{ n: number }>(
        `SELECT sum(idx_tup_fetch + seq_tup_read)::float8 AS n FROM pg_stat_user_tables
        WHERE schemaname = $1 AND relname = 'records'`,
        [schema],
      );
      return rows[0]!.n;
    };
    const source = await store.source('permits');
    const filters = [
      { document_type: 'old' },
      { facility_id: 'F1' },
      { document_type: 'old', facility_id: 'F1' },
      { document_type: 'none' },
      {},
    ];
    for (const filter of filters) {
      for (const offset of [0, 4000, 9950]) {
        const before = await rowsRead();
        const { records } = await source.page({ offset, limit: 100, filter });
        // One more is read, where there is one, to know that there is; and a walk backwards may count one twice.
        expect((await rowsRead()) - before, JSON.stringify({ offset, filter })).toBeLessThanOrEqual(records.length + 2);
      }
    }
    await single.end();
  });
});
