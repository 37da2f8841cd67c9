// A PostgreSQL database as it is soon after an import.
import pg from 'pg';

/** What autovacuum would do within a minute of an import, done before anything is measured. */
export async function settle(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('VACUUM (ANALYZE)');
  await client.query('CHECKPOINT');
  await client.end();
}
