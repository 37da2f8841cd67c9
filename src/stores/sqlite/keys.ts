// Looks up keys in a SQLite file, with every request, and records their use. The decisions about accounts and keys are
// in logic/accounts.ts and logic/keys.ts.
import type { FoundKey, KeyUse } from '../contract/accounts.ts';
import type { AccountHooks } from '../logic/account-store.ts';
import { keptTime } from '../rows/accounts.ts';
import { foundKeyOf, selectFoundKey } from '../rows/keys.ts';
import type { SqliteConnection } from './connection.ts';
import type { SqliteStatement } from './statement.ts';

/** The key look-ups of one connection. */
export class SqliteKeys implements AccountHooks {
  readonly #connection: SqliteConnection;
  readonly #find: SqliteStatement;
  readonly #recordUse: SqliteStatement;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#find = connection.prepare(`${selectFoundKey('')} ?`);
    this.#recordUse = connection.prepare(
      `UPDATE api_keys SET last_used_at = max(coalesce(last_used_at, ''), ?), requests = requests + ? WHERE id = ?`,
    );
  }

  async findKey(digest: Uint8Array): Promise<FoundKey | null> {
    const row = this.#find.get(digest);
    return row === undefined ? null : foundKeyOf(row);
  }

  async recordKeyUses(uses: ReadonlyMap<string, KeyUse>): Promise<void> {
    const kept = [...uses].map(([id, { at, requests }]) => [keptTime('lastUsedAt', at), requests, id] as const);
    // Uses are not worth an error: a store that can only be read serves without recording them.
    if (kept.length === 0 || this.#connection.isReadOnly) return;
    await this.#connection.write(() => {
      for (const use of kept) this.#recordUse.run(...use);
    });
  }
}
