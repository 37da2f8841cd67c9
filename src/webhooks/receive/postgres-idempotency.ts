// Handled events in a PostgreSQL database, shared by all processes that receive for one application.
import { type PostgresClient, PostgresConnection, type PostgresPool } from '../../stores/postgres/connection.ts';
import { checkAge, type ClaimOutcome, eventInProgress, type IdempotencyStore, PRUNE_PAGE } from './idempotency.ts';

/** What a write queries the database with: the part of `pg`'s client that is guaranteed. */
export interface PostgresTransaction {
  /** Sends a statement within the transaction. */
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly rows: Record<string, unknown>[]; readonly rowCount: number | null }>;
}

const MINE = 'WHERE id = $1 AND token = $2 AND handled_at IS NULL';

/**
 * Handled events in the table `handled_events` of a PostgreSQL database.
 *
 * A write receives the connection of a transaction (READ COMMITTED), and must not end the transaction itself. It must
 * await each of its queries; if one fails, the whole transaction is rolled back, even if the error was caught.
 */
export class PostgresIdempotencyStore<Client = PostgresTransaction> implements IdempotencyStore<Client> {
  readonly #connection: PostgresConnection;
  readonly #table: string;

  private constructor(connection: PostgresConnection) {
    this.#connection = connection;
    this.#table = `${connection.prefix}handled_events`;
  }

  /**
   * Uses a pool created with `pg` and creates the table if it does not exist. `Client` is the type that the pool's
   * `connect()` returns, if a write needs more of it than `query()`: `open<pg.PoolClient>(pool)`.
   *
   * @param options.schema the schema of its tables, created if it does not exist: `[a-z_][a-z0-9_]{0,62}`. Default
   *   `gazette_webhooks`
   * @param options.lockTimeoutMs how long a write waits for locks of others, in milliseconds. Default 5,000: a delivery waits
   *   three times as long
   * @throws GazetteError `invalid_option` for the schema's name, `schema_too_new`, `store_busy`.
   */
  static async open<Client = PostgresTransaction>(
    pool: PostgresPool & { connect(): Promise<Client> },
    options: { readonly schema?: string; readonly lockTimeoutMs?: number } = {},
  ): Promise<PostgresIdempotencyStore<Client>> {
    const { schema = 'gazette_webhooks', lockTimeoutMs = 5000 } = options;
    const sql = `
CREATE TABLE "${schema}".handled_events (
  id text COLLATE "C" PRIMARY KEY,
  token text NOT NULL,
  expires_at timestamptz NOT NULL,
  handled_at timestamptz
)`;
    const migrations = [{ name: 'events that were handled', sql, compatibleFrom: 1 }];
    return new PostgresIdempotencyStore(await PostgresConnection.open(pool, { schema, lockTimeoutMs }, migrations));
  }

  async claim(eventId: string, token: string, leaseMs: number): Promise<ClaimOutcome> {
    const claimed = await this.#connection.query(
      `INSERT INTO ${this.#table} AS event (id, token, expires_at)
      VALUES ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
      ON CONFLICT (id) DO UPDATE SET token = excluded.token, expires_at = excluded.expires_at
      WHERE event.handled_at IS NULL AND event.expires_at <= clock_timestamp() RETURNING true`,
      [eventId, token, leaseMs],
    );
    if (claimed.length === 1) return { state: 'claimed' };
    const [row] = await this.#connection.query(
      `SELECT handled_at IS NOT NULL, (extract(epoch FROM expires_at - clock_timestamp()) * 1000)::float8
      FROM ${this.#table} WHERE id = $1`,
      [eventId],
    );
    if (row?.[0] === true) return { state: 'handled' };
    // The other handling may have released it between the two statements: then retry at once.
    return { state: 'in_progress', leaseMs: (row?.[1] as number | undefined) ?? 0 };
  }

  async renew(eventId: string, token: string, leaseMs: number): Promise<void> {
    await this.#connection.query(
      `UPDATE ${this.#table} SET expires_at = clock_timestamp() + $3 * interval '1 millisecond' ${MINE}`,
      [eventId, token, leaseMs],
    );
  }

  complete<T>(eventId: string, token: string, write: (transaction: Client) => T | Promise<T>): Promise<T> {
    return this.#connection.transaction(async (query, client: PostgresClient) => {
      // Even if the database is configured to answer before a commit is on disk, this commit waits for the disk.
      await query(
        `SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'`,
      );
      const result = await write(client as Client);
      // This statement is last for two reasons: a duplicate that arrives meanwhile is answered at once and does not
      // wait for this row's lock; and if `write` has swallowed a failure in the transaction, it fails here and not
      // silently at COMMIT.
      const recorded = await query(`UPDATE ${this.#table} SET handled_at = clock_timestamp() ${MINE} RETURNING true`, [
        eventId,
        token,
      ]);
      if (recorded.length !== 1) throw eventInProgress(eventId, 0);
      return result;
    });
  }

  async release(eventId: string, token: string): Promise<void> {
    await this.#connection.query(`DELETE FROM ${this.#table} ${MINE}`, [eventId, token]);
  }

  async prune(options: { readonly olderThan: number }): Promise<number> {
    const olderThan = checkAge(options);
    let deleted = 0;
    for (let after: string | null = ''; after !== null;) {
      // A row that is locked is in use: it is left for the next time.
      const [row]: readonly (readonly unknown[])[] = await this.#connection.query(
        `WITH page AS (SELECT id FROM ${this.#table} WHERE id > $1 ORDER BY id LIMIT ${PRUNE_PAGE}),
        old AS (SELECT id FROM ${this.#table} WHERE id IN (SELECT id FROM page)
          AND coalesce(handled_at, expires_at) < clock_timestamp() - $2 * interval '1 millisecond'
          FOR UPDATE SKIP LOCKED),
        deleted AS (DELETE FROM ${this.#table} WHERE id IN (SELECT id FROM old) RETURNING id)
        SELECT (SELECT max(id) FROM page), (SELECT count(*)::float8 FROM deleted)`,
        [after, olderThan],
      );
      after = row![0] as string | null;
      deleted += row![1] as number;
    }
    return deleted;
  }
}
