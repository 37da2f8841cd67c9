// Looks up keys in a PostgreSQL database, with every request, and records their use. The decisions about accounts and
// keys are in logic/accounts.ts and logic/keys.ts.
import type { FoundKey, KeyUse } from '../contract/accounts.ts';
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

  isUnchanged(since: number): boolean {
    return this.#connection.knowledge?.areAccountsUnchanged(since) ?? false;
  }

  async recordKeyUses(uses: ReadonlyMap<string, KeyUse>): Promise<void> {
    const times = [...uses.values()].map(({ at }) => keptTime('lastUsedAt', at));
    const requests = [...uses.values()].map((use) => use.requests);
    if (times.length === 0) return;
    const keys = `${this.#connection.prefix}api_keys`;
    // All processes lock rows in one order, so that two nodes that record the same keys cannot deadlock.
    const sql = `WITH uses AS (
        SELECT k.number, u.used_at, u.requests FROM ${keys} k
        JOIN unnest($1::text[], $2::text[], $3::bigint[]) AS u (id, used_at, requests) ON u.id = k.id
        ORDER BY k.number FOR UPDATE OF k
      )
      UPDATE ${keys} k SET last_used_at = greatest(k.last_used_at, u.used_at), requests = k.requests + u.requests
      FROM uses u WHERE k.number = u.number`;
    await this.#connection.query(sql, [[...uses.keys()].map(withoutNul), times, requests]);
  }
}
