// `gazette verify postgres://…`: a store in PostgreSQL, as a file's in verify-store.test.ts.
import pg from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import { PostgresStore } from '../../../../src/stores/postgres/store.ts';
import { toPublishedRecord } from '../../../../src/stores/rows/published-record.ts';
import { sign } from '../signing.ts';
import { SAMPLE_DEFINITION, sampleRecord } from '../../../contracts/sample-register.ts';
import { gazette } from '../../../cli/run.ts';
import { logsOf } from '../logs-of.ts';

it('proves the log of a register, finds a text that is not what was signed, and shows no password', async () => {
  const server = inject('postgresUrl');
  const name = `verified_${process.pid}`;
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  const url = server.replace(/[^/]+$/, name);
  const pool = new pg.Pool({ connectionString: url });
  onTestFinished(async () => {
    await pool.end();
    // Not WITH (FORCE): the pool's connections end a moment later by themselves, and the server waits for them.
    await admin.query(`DROP DATABASE ${name}`);
    await admin.end();
  });
  const store = await PostgresStore.open(pool);
  await store.createRegister(SAMPLE_DEFINITION);
  const batch = Array.from({ length: 300 }, (_, index) => toPublishedRecord(sampleRecord(index + 1), true));
  await store.apply('permits', batch, { recordedAt: '2026-10-01T10:00:00Z' });
  await sign(store, 'permits');
  const { vkey } = await logsOf(store).of('permits');
  const verify = () => gazette(['verify', url, '--vkey', vkey!]);
  expect((await verify()).stdout.toString()).toContain('complete and unrewritten to change 300: 300 records\n');
  await pool.query(
    `UPDATE gazette.records SET title = 'Another one' WHERE slot = (SELECT max(slot) FROM gazette.records)`,
  );
  const { code, stdout, stderr } = await verify();
  expect([code, stdout.toString()]).toEqual([1, '']);
  expect(stderr).toContain('see gazette doctor');
  expect(stderr).not.toContain(new URL(url).password);
});
