// Looks up keys in a SQLite file, with every request, and records their use. The decisions about accounts and keys are
// in logic/accounts.ts and logic/keys.ts.
import type { FoundKey } from '../contract/accounts.ts';
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
      'UPDATE api_keys SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)',
    );
  }

  async findKey(digest: Uint8Array): Promise<FoundKey | null> {
    const row = this.#find.get(digest);
    return row === undefined ? null : foundKeyOf(row);
  }

  async recordKeyUses(uses: ReadonlyMap<string, string>): Promise<void> {
    const kept = [...uses].map(([id, time]) => [id, keptTime('lastUsedAt', time)] as const);
    // Uses are not worth an error: a store that can only be read serves without recording them.
    if (kept.length === 0 || this.#connection.isReadOnly) return;
    await this.#connection.write(() => {
      for (const [id, time] of kept) this.#recordUse.run(time, id, time);
    });
  }
}
