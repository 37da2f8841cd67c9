// Accounts and keys in a SQLite file, for SqliteStore.
import {
  ACCOUNT_COLUMNS,
  accountExists,
  accountOf,
  foundKeyOf,
  keptAccount,
  keptKey,
  keptTime,
  KEY_COLUMNS,
  keyEntryOf,
  notRotatable,
  selectFoundKey,
  unknownAccount,
  unknownKey,
} from '../rows/accounts.ts';
import type {
  Account,
  AccountChange,
  AccountStore,
  ApiKeyEntry,
  FoundKey,
  NewAccount,
  NewApiKey,
} from '../contract/accounts.ts';
import type { SqliteConnection } from './connection.ts';

const ACCOUNT = ACCOUNT_COLUMNS.join(', ');
const KEY = KEY_COLUMNS.join(', ');

/** The accounts of one connection. */
export class SqliteAccounts implements AccountStore {
  readonly #connection: SqliteConnection;
  readonly #statements: ReturnType<typeof prepareAccounts>;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#statements = prepareAccounts(connection);
  }

  async createAccount(account: NewAccount): Promise<Account> {
    const { id, accessUntil, createdAt } = keptAccount(account);
    const row = await this.#connection.write(() => {
      return this.#statements.createAccount.get(id, accessUntil, createdAt);
    });
    if (row === undefined) throw accountExists(id);
    return accountOf(row);
  }

  async account(accountId: string): Promise<Account | null> {
    const row = this.#statements.account.get(accountId);
    return row === undefined ? null : accountOf(row);
  }

  async accounts(): Promise<readonly Account[]> {
    return this.#statements.accounts.all().map(accountOf);
  }

  async updateAccount(accountId: string, { accessUntil, isSuspended }: AccountChange): Promise<Account> {
    const until = accessUntil == null ? null : keptTime('accessUntil', accessUntil);
    const hasUntil = accessUntil === undefined ? 0 : 1;
    const suspended = isSuspended === undefined ? null : Number(isSuspended);
    const row = await this.#connection.write(() => {
      return this.#statements.updateAccount.get(hasUntil, until, suspended, accountId);
    });
    if (row === undefined) throw unknownAccount(accountId);
    return accountOf(row);
  }

  async createKey(key: NewApiKey): Promise<ApiKeyEntry> {
    const kept = keptKey(key);
    return this.#connection.write(() => {
      this.#check(kept.accountId);
      return this.#add(kept, key.digest);
    });
  }

  async rotateKey(keyId: string, successor: NewApiKey, options: { readonly endsAt: string }): Promise<ApiKeyEntry> {
    const end = keptTime('endsAt', options.endsAt);
    const kept = keptKey(successor);
    return this.#connection.write(() => {
      const { changes } = this.#statements.endKey.run(end, end, keyId, kept.accountId, kept.product);
      if (Number(changes) === 0) throw notRotatable(keyId, successor);
      return this.#add(kept, successor.digest);
    });
  }

  async revokeKey(keyId: string, options: { readonly revokedAt: string }): Promise<ApiKeyEntry> {
    const revokedAt = keptTime('revokedAt', options.revokedAt);
    const row = await this.#connection.write(() => this.#statements.revokeKey.get(revokedAt, keyId));
    if (row === undefined) throw unknownKey(keyId);
    return keyEntryOf(row);
  }

  async keys(accountId: string): Promise<readonly ApiKeyEntry[]> {
    return this.#connection.read(() => {
      this.#check(accountId);
      return this.#statements.keys.all(accountId).map(keyEntryOf);
    });
  }

  async findKey(digest: Uint8Array): Promise<FoundKey | null> {
    const row = this.#statements.findKey.get(digest);
    return row === undefined ? null : foundKeyOf(row);
  }

  async recordKeyUses(uses: ReadonlyMap<string, string>): Promise<void> {
    const kept = [...uses].map(([id, time]) => [id, keptTime('lastUsedAt', time)] as const);
    if (kept.length === 0) return;
    await this.#connection.write(() => {
      for (const [id, time] of kept) this.#statements.recordUse.run(time, id, time);
    });
  }

  #check(accountId: string): void {
    if (this.#statements.account.get(accountId) === undefined) throw unknownAccount(accountId);
  }

  #add(key: ApiKeyEntry, digest: Uint8Array): ApiKeyEntry {
    const { id, accountId, product, lastFour, createdAt } = key;
    this.#statements.addKey.run(digest, id, accountId, product, lastFour, createdAt);
    return key;
  }
}

// As in sqlite-writes.ts: its type is what it holds.
function prepareAccounts(connection: SqliteConnection) {
  return {
    createAccount: connection.prepare(
      `INSERT INTO accounts (id, access_until, created_at) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING RETURNING ${ACCOUNT}`,
    ),
    account: connection.prepare(`SELECT ${ACCOUNT} FROM accounts WHERE id = ?`),
    accounts: connection.prepare(`SELECT ${ACCOUNT} FROM accounts ORDER BY id`),
    updateAccount: connection.prepare(
      `UPDATE accounts SET access_until = iif(?, ?, access_until), is_suspended = coalesce(?, is_suspended)
      WHERE id = ? RETURNING ${ACCOUNT}`,
    ),
    addKey: connection.prepare(
      'INSERT INTO api_keys (digest, id, account_id, product, last_four, created_at) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    endKey: connection.prepare(
      `UPDATE api_keys SET ends_at = min(coalesce(ends_at, ?), ?)
      WHERE id = ? AND account_id = ? AND product = ? AND revoked_at IS NULL`,
    ),
    revokeKey: connection.prepare(
      `UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? RETURNING ${KEY}`,
    ),
    keys: connection.prepare(`SELECT ${KEY} FROM api_keys WHERE account_id = ? ORDER BY number DESC`),
    findKey: connection.prepare(`${selectFoundKey('')} ?`),
    recordUse: connection.prepare(
      'UPDATE api_keys SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)',
    ),
  };
}
