// How far a replica is behind its primary. The position of the write-ahead log is asked of the primary first, and then whether the
// replica has it: on a primary that rests, the time since the last commit says nothing.
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresConnection } from '../connection.ts';

/** How long a replica that is behind is waited for, in milliseconds. */
export const PATIENCE_MS = 1000;

/** The first wait, in milliseconds; each is twice as long as the one before. */
export const FIRST_WAIT_MS = 4;

/** Null where the server is not the primary now. */
const POSITION = 'SELECT CASE WHEN NOT pg_is_in_recovery() THEN pg_current_wal_flush_lsn()::text END';

/** Whether it has that position, null where the server does not follow another one; and the seconds since the last commit that it has. */
const REPLAYED = `SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() >= $1::text::pg_lsn END,
  extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())`;

/**
 * As `RegisterStore.replicaLag()`.
 *
 * @throws GazetteError `store_unavailable` when one of the two cannot be reached.
 */
export async function replicaLag(primary: PostgresConnection, replica: PostgresConnection): Promise<number | null> {
  const [[position]] = (await primary.query(POSITION)) as [[string | null]];
  if (position === null) return null;
  const asked = performance.now();
  for (let waitMs = FIRST_WAIT_MS; ; waitMs *= 2) {
    const [[hasIt, sinceCommit]] = (await replica.query(REPLAYED, [position])) as [[boolean | null, string | null]];
    const waitedMs = performance.now() - asked;
    if (hasIt === null) return null;
    if (hasIt) return waitedMs / 1000;
    if (waitedMs >= PATIENCE_MS) return Math.max(waitedMs / 1000, Number(sinceCommit));
    await sleep(Math.min(waitMs, PATIENCE_MS - waitedMs));
  }
}
