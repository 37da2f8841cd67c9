import pg from 'pg';
import { afterAll, expect, inject, it } from 'vitest';
import { PostgresStore } from '../../../../src/stores/postgres/store.ts';
import { at, permits, say } from '../../../contracts/store-register.ts';
import { logContract } from '../contracts/log-contract.ts';
import { inspected } from '../../../contracts/overwrites.ts';
import { expectSigned, watch, watchedSigner } from '../operate/watched-signer.ts';
import { logsOf } from '../logs-of.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
let schemas = 0;
afterAll(() => pool.end());

logContract(async () => {
  const schema = `logs_${++schemas}`;
  return {
    store: await PostgresStore.open(pool, { schema }),
    run: async (sql) => {
      await pool.query(`SET LOCAL search_path TO ${schema}; ${sql}`);
    },
    dispose: async () => {
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    },
  };
});

it('signs while several processes write, and every checkpoint begins with the one before', async () => {
  const schema = `logs_${++schemas}`;
  const stores = await Promise.all(
    [0, 1, 2].map(async () => {
      const own = new pg.Pool({ connectionString: inject('postgresUrl'), max: 2 });
      return { own, store: await PostgresStore.open(own, { schema }) };
    }),
  );
  const { store } = stores[0]!;
  await store.createRegister(permits());
  const log = watch('permits');
  const signer = watchedSigner(logsOf(store), log);
  signer.start();
  await Promise.all(
    stores.map(async ({ store: writer }, who) => {
      for (let round = 0; round < 12; round++) {
        const mine = (n: number): string => `w${who}-${n}`;
        const times = { recordedAt: at(round) };
        const batch = [mine(round), mine(round + 1), 'shared'].map((key) => say(key, { title: `${who} ${round}` }));
        await writer.apply('permits', batch, times);
        if (round % 4 === 1) await writer.withdraw('permits', [`permits:${mine(round)}`], times);
        if (round % 4 === 3) await writer.redact(`permits:${mine(round)}`, times);
      }
    }),
  );
  await signer.close();
  await expectSigned(logsOf(store), log);
  expect(log.seen.length).toBeGreaterThan(3);
  expect(await inspected(store)).toEqual([]);
  await pool.query(`DROP SCHEMA ${schema} CASCADE`);
  for (const { own } of stores) await own.end();
});
