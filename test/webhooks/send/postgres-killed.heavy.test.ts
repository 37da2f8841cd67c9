import pg from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { expectAllDelivered, kill, sendThroughKills, startSender } from './killed-sender.ts';
import { letPass } from '../../until.ts';

it('three senders on PostgreSQL, of which one is killed, deliver every event and none of them twice at once', async () => {
  const admin = new pg.Client({ connectionString: inject('postgresUrl') });
  await admin.connect();
  await admin.query('CREATE DATABASE killed_sender');
  await admin.end();
  const url = inject('postgresUrl').replace(/\/postgres$/, '/killed_sender');
  const pool = new pg.Pool({ connectionString: url });
  onTestFinished(() => pool.end());
  const store = await PostgresStore.open(pool);
  const senders: Awaited<ReturnType<typeof startSender>>[] = [];
  onTestFinished(async () => {
    await Promise.all(senders.map(kill));
  });
  const tally = await sendThroughKills(store, async (isDone) => {
    senders.push(...(await Promise.all([startSender(url), startSender(url), startSender(url)])));
    await letPass(150, 'one is killed in the midst of it');
    expect(isDone()).toBe(false);
    await kill(senders.pop()!);
  });
  expectAllDelivered(tally);
  // Each outcome was recorded once. An attempt that has no answer need not have arrived.
  const { rows } = await pool.query<{ attempts: string }>(
    `SELECT count(*) AS attempts FROM gazette.webhook_attempts WHERE status IS NOT NULL`,
  );
  const arrived = [...tally.attempts.values()].reduce((sum, count) => sum + count, 0);
  expect(Number(rows[0]!.attempts)).toBeLessThanOrEqual(arrived);
});
