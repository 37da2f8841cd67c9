// The code of the schema before and this code on one store: what the former wrote is complete after the upgrade, and it works
// on if the schema says so, or is refused.
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { postgresMigrations } from '../../../src/stores/postgres/migrations.ts';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { codeBefore, expectPassed, missingHistory, unpack } from '../code-before.ts';
import { startWorking, type Working } from '../started-process.ts';
import { expectWorked } from '../worked.ts';
import { quiet } from './way.ts';

const SCHEMA = 'code_before';

/** As many schemas as a suite has open at the same time, at most. */
const SCHEMAS = 8;

const why = missingHistory();
const before = why === null ? codeBefore('postgres', postgresMigrations('')) : null;

const url = inject('postgresUrl');
const pool = quiet(new pg.Pool({ connectionString: url }));
afterAll(() => pool.end());
beforeEach(async () => {
  await pool.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`);
});

const open = (schema = SCHEMA): Promise<PostgresStore> => PostgresStore.open(pool, { schema });

async function start(): Promise<Working> {
  return startWorking(await unpack(before!), 'postgres', url, SCHEMA);
}

describe.skipIf(before === null)(`code of the schema before (${why ?? before?.known ?? 'there is none'})`, () => {
  it('leaves a store that is upgraded with all that it has', async () => {
    const working = await start();
    await working.more(20);
    expect(await working.end()).toBe('');
    await expectWorked(await open(), working.rounds());
  });

  if (before?.isCompatible === true) {
    it('works on while a store is upgraded', async () => {
      const working = await start();
      await working.more(5);
      await open();
      await working.more(5);
      expect(await working.end()).toBe('');
      await expectWorked(await open(), working.rounds());
    });

    it('keeps its contract on this schema', async () => {
      const schemas = Array.from({ length: SCHEMAS }, (_, number) => `schema_after_${number + 1}`);
      for (const schema of schemas) await open(schema);
      await expectPassed(await unpack(before), 'postgres/on-schema-after.ts', { GAZETTE_TEST_STORE: url });
      // The suite would have made more by itself, as the code before does.
      const { rows } = await pool.query("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'schema\\_after\\_%'");
      expect(rows).toHaveLength(SCHEMAS);
    });
  } else {
    it('is refused, and changes nothing', async () => {
      await open();
      const working = await start();
      expect(await working.end()).toMatch(/^schema_too_new: /);
      expect(working.rounds()).toBe(0);
      expect(await (await open()).register('permits')).toBeNull();
    });
  }
});
