// Looks up keys in a PostgreSQL database, with every request, and records their use. The decisions about accounts and
// keys are in logic/accounts.ts and logic/keys.ts.
import type { FoundKey } from '../contract/accounts.ts';
import type { AccountHooks } from '../logic/account-store.ts';
import { keptTime } from '../rows/accounts.ts';
import { foundKeyOf, selectFoundKey } from '../rows/keys.ts';
import { withoutNul } from '../rows/sql.ts';
import type { PostgresConnection } from './connection.ts';

/** The key look-ups of one store. */
export class PostgresKeys implements AccountHooks {
  readonly #connection: PostgresConnection;
  readonly #find: string;

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
    this.#find = `${selectFoundKey(connection.prefix)} $1`;
  }

  async findKey(digest: Uint8Array): Promise<FoundKey | null> {
    const [row] = await this.#connection.query(this.#find, [digest]);
    return row === undefined ? null : foundKeyOf(row);
  }

  async recordKeyUses(uses: ReadonlyMap<string, string>): Promise<void> {
    const times = [...uses.values()].map((time) => keptTime('lastUsedAt', time));
    if (times.length === 0) return;
    const keys = `${this.#connection.prefix}api_keys`;
    // All processes lock rows in one order, so that two nodes that record the same keys cannot deadlock.
    const sql = `WITH uses AS (
        SELECT k.number, u.used_at FROM ${keys} k JOIN unnest($1::text[], $2::text[]) AS u (id, used_at) ON u.id = k.id
        WHERE k.last_used_at IS NULL OR k.last_used_at < u.used_at ORDER BY k.number FOR UPDATE OF k
      )
      UPDATE ${keys} k SET last_used_at = u.used_at FROM uses u
      WHERE k.number = u.number AND (k.last_used_at IS NULL OR k.last_used_at < u.used_at)`;
    await this.#connection.query(sql, [[...uses.keys()].map(withoutNul), times]);
  }
}
