// Counts the callers of all nodes in the database, one statement for each draw. The counts are in tables without a log, which a
// crash empties; those of failures are in one with a log.
import {
  type DrawnTokens,
  type LimitCounter,
  type LimitDraw,
  NODE_GONE_MS,
  type UnusedTokens,
} from '../../contract/nodes/counter.ts';
import { asNumber, withoutNul } from '../../rows/sql.ts';
import { limitTable } from '../../logic/limits/tables.ts';
import type { PostgresConnection } from '../connection.ts';

/** The database's time, in milliseconds; not that of the transaction, which may have waited for a lock. */
const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** How many windows that are over a node removes at a time. */
const REMOVED_AT_ONCE = 1000;

/**
 * After how many milliseconds a node that is still there is written again: every transaction that writes has all nodes read
 * again what they know, and a node says every two seconds that it is there.
 */
const SEEN_AGAIN_MS = 0.4 * NODE_GONE_MS;

/** The counter of one store. */
export class PostgresLimitCounter implements LimitCounter {
  readonly #connection: PostgresConnection;

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
  }

  async draw({ caller, isKept, limit, windowSeconds, needed, wanted, spent }: LimitDraw): Promise<DrawnTokens> {
    const text = drawText(this.#connection.prefix, limitTable(isKept));
    const values = [withoutNul(caller), limit, windowSeconds * 1000, needed, wanted, spent];
    const [row] = await this.#connection.query(text, values);
    const [granted, used, endsAt, endsInMs, nodes] = [...row!].map(asNumber);
    return { granted: granted!, left: limit - used!, endsAt: endsAt!, endsInMs: endsInMs!, nodes: nodes! };
  }

  async giveBack({ caller, isKept, endsAt, tokens }: UnusedTokens): Promise<void> {
    const text = `UPDATE ${this.#connection.prefix}${limitTable(isKept)} SET used = greatest(0, used - $2)
      WHERE caller = $1 AND ends_at = $3`;
    await this.#connection.query(text, [withoutNul(caller), tokens, endsAt]);
  }

  async meet(node: string): Promise<number> {
    const { prefix } = this.#connection;
    const over = (table: string, column: string, ageMs: number): string => `DELETE FROM ${prefix}${table}
      WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${prefix}${table} WHERE ${column} <= ${NOW_MS} - ${ageMs}
        LIMIT ${REMOVED_AT_ONCE} FOR UPDATE SKIP LOCKED))`;
    const isFresh = `SELECT 1 FROM ${prefix}limit_nodes WHERE node = $1 AND seen_at > ${NOW_MS} - ${SEEN_AGAIN_MS}`;
    const text = `WITH here AS (INSERT INTO ${prefix}limit_nodes (node, seen_at)
        SELECT $1, ${NOW_MS} WHERE NOT EXISTS (${isFresh})
        ON CONFLICT (node) DO UPDATE SET seen_at = excluded.seen_at),
      gone AS (${over('limit_nodes', 'seen_at', 2 * NODE_GONE_MS)}),
      passed AS (${over(limitTable(false), 'ends_at', 0)}), kept AS (${over(limitTable(true), 'ends_at', 0)})
      SELECT 1 + count(*) FROM ${prefix}limit_nodes WHERE node <> $1 AND seen_at > ${NOW_MS} - ${NODE_GONE_MS}`;
    const [row] = await this.#connection.query(text, [node]);
    return asNumber(row![0]);
  }

  async leave(node: string): Promise<void> {
    await this.#connection.query(`DELETE FROM ${this.#connection.prefix}limit_nodes WHERE node = $1`, [node]);
  }
}

/** The statement of a draw: $1 caller, $2 limit, $3 milliseconds of a window, $4 needed, $5 wanted, $6 spent. */
function drawText(prefix: string, table: string): string {
  const nodes = `(SELECT greatest(1, count(*)) FROM ${prefix}limit_nodes WHERE seen_at > ${NOW_MS} - ${NODE_GONE_MS})`;
  // A row that waited for another draw is read after it: each part of the statement sees the counts of then.
  const counted = (
    used: string,
    endsAt: string,
  ): string => `SELECT least($2::bigint, w.used + g.granted), g.granted, w.ends_at
    FROM (SELECT least($2::bigint, ${used} + $6::bigint) AS used, ${endsAt} AS ends_at) AS w,
    LATERAL (SELECT CASE WHEN $2::bigint - w.used < $4::bigint THEN 0
      ELSE least($5::bigint, greatest($4::bigint, ($2::bigint - w.used) / (4 * ${nodes}))) END AS granted) AS g`;
  const over = 't.ends_at <= clock.now';
  return `INSERT INTO ${prefix}${table} AS t (caller, used, granted, ends_at)
    SELECT $1::text, w.* FROM (${counted('0', `${NOW_MS} + $3::bigint`)}) AS w
    ON CONFLICT (caller) DO UPDATE SET (used, granted, ends_at) = (SELECT w.* FROM (SELECT ${NOW_MS} AS now) AS clock,
      LATERAL (${counted(`CASE WHEN ${over} THEN 0 ELSE t.used END`, `CASE WHEN ${over} THEN clock.now + $3::bigint ELSE t.ends_at END`)}) AS w)
    RETURNING granted, used, ends_at, greatest(0, ends_at - ${NOW_MS}), ${nodes}`;
}
