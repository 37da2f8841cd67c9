// Accounts and keys in a PostgreSQL database, for PostgresStore. Every change is one statement, which is a transaction of
// its own: whoever looks afterwards, on whatever connection, sees it.
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
import { type PostgresConnection, withoutNul } from './connection.ts';
import type {
  Account,
  AccountChange,
  AccountStore,
  ApiKeyEntry,
  FoundKey,
  NewAccount,
  NewApiKey,
} from '../contract/accounts.ts';

const ACCOUNT = ACCOUNT_COLUMNS.join(', ');
const KEY = KEY_COLUMNS.join(', ');

/** The accounts of one store. */
export class PostgresAccounts implements AccountStore {
  readonly #connection: PostgresConnection;
  readonly #prefix: string;
  readonly #findKey: string;

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
    this.#prefix = connection.prefix;
    this.#findKey = `${selectFoundKey(connection.prefix)} $1`;
  }

  async createAccount(account: NewAccount): Promise<Account> {
    const { id, accessUntil, createdAt } = keptAccount(account);
    const sql = `INSERT INTO ${this.#prefix}accounts (id, access_until, created_at) VALUES ($1, $2, $3)
      ON CONFLICT (id) DO NOTHING RETURNING ${ACCOUNT}`;
    const [row] = await this.#connection.query(sql, [id, accessUntil, createdAt]);
    if (row === undefined) throw accountExists(id);
    return accountOf(row);
  }

  async account(accountId: string): Promise<Account | null> {
    const sql = `SELECT ${ACCOUNT} FROM ${this.#prefix}accounts WHERE id = $1`;
    const [row] = await this.#connection.query(sql, [withoutNul(accountId)]);
    return row === undefined ? null : accountOf(row);
  }

  async accounts(): Promise<readonly Account[]> {
    return (await this.#connection.query(`SELECT ${ACCOUNT} FROM ${this.#prefix}accounts ORDER BY id`)).map(accountOf);
  }

  async updateAccount(accountId: string, { accessUntil, isSuspended }: AccountChange): Promise<Account> {
    const until = accessUntil == null ? null : keptTime('accessUntil', accessUntil);
    const suspended = isSuspended === undefined ? null : Number(isSuspended);
    const sql = `UPDATE ${this.#prefix}accounts
      SET access_until = CASE WHEN $1 THEN $2 ELSE access_until END, is_suspended = coalesce($3, is_suspended)
      WHERE id = $4 RETURNING ${ACCOUNT}`;
    const values = [accessUntil !== undefined, until, suspended, withoutNul(accountId)];
    const [row] = await this.#connection.query(sql, values);
    if (row === undefined) throw unknownAccount(accountId);
    return accountOf(row);
  }

  async createKey(key: NewApiKey): Promise<ApiKeyEntry> {
    const kept = keptKey(key);
    const source = `SELECT $1::bytea, $2, id, $4, $5, $6 FROM ${this.#prefix}accounts WHERE id = $3`;
    const [row] = await this.#connection.query(this.#insertKey(source), this.#valuesOf(kept, key.digest));
    if (row === undefined) throw unknownAccount(kept.accountId);
    return keyEntryOf(row);
  }

  async rotateKey(keyId: string, successor: NewApiKey, options: { readonly endsAt: string }): Promise<ApiKeyEntry> {
    const end = keptTime('endsAt', options.endsAt);
    const kept = keptKey(successor);
    const sql = `WITH ended AS (
        UPDATE ${this.#prefix}api_keys SET ends_at = least(ends_at, $7)
        WHERE id = $8 AND account_id = $3 AND product = $4 AND revoked_at IS NULL RETURNING account_id
      ) ${this.#insertKey('SELECT $1::bytea, $2, account_id, $4, $5, $6 FROM ended')}`;
    const values = [...this.#valuesOf(kept, successor.digest), end, withoutNul(keyId)];
    const [row] = await this.#connection.query(sql, values);
    if (row === undefined) throw notRotatable(keyId, successor);
    return keyEntryOf(row);
  }

  async revokeKey(keyId: string, options: { readonly revokedAt: string }): Promise<ApiKeyEntry> {
    const revokedAt = keptTime('revokedAt', options.revokedAt);
    const sql = `UPDATE ${this.#prefix}api_keys SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2 RETURNING ${KEY}`;
    const [row] = await this.#connection.query(sql, [revokedAt, withoutNul(keyId)]);
    if (row === undefined) throw unknownKey(keyId);
    return keyEntryOf(row);
  }

  async keys(accountId: string): Promise<readonly ApiKeyEntry[]> {
    const sql = `SELECT ${KEY} FROM ${this.#prefix}api_keys WHERE account_id = $1 ORDER BY number DESC`;
    const rows = await this.#connection.query(sql, [withoutNul(accountId)]);
    if (rows.length === 0 && (await this.account(accountId)) === null) throw unknownAccount(accountId);
    return rows.map(keyEntryOf);
  }

  async findKey(digest: Uint8Array): Promise<FoundKey | null> {
    const [row] = await this.#connection.query(this.#findKey, [digest]);
    return row === undefined ? null : foundKeyOf(row);
  }

  async recordKeyUses(uses: ReadonlyMap<string, string>): Promise<void> {
    const times = [...uses.values()].map((time) => keptTime('lastUsedAt', time));
    if (times.length === 0) return;
    const keys = `${this.#prefix}api_keys`;
    // Rows are locked in one order by all: two nodes that record the same keys never wait for each other in a circle.
    const sql = `WITH uses AS (
        SELECT k.number, u.used_at FROM ${keys} k JOIN unnest($1::text[], $2::text[]) AS u (id, used_at) ON u.id = k.id
        WHERE k.last_used_at IS NULL OR k.last_used_at < u.used_at ORDER BY k.number FOR UPDATE OF k
      )
      UPDATE ${keys} k SET last_used_at = u.used_at FROM uses u
      WHERE k.number = u.number AND (k.last_used_at IS NULL OR k.last_used_at < u.used_at)`;
    await this.#connection.query(sql, [[...uses.keys()].map(withoutNul), times]);
  }

  #insertKey(source: string): string {
    return `INSERT INTO ${this.#prefix}api_keys (digest, id, account_id, product, last_four, created_at)
      ${source} RETURNING ${KEY}`;
  }

  #valuesOf({ id, accountId, product, lastFour, createdAt }: ApiKeyEntry, digest: Uint8Array): unknown[] {
    return [digest, id, accountId, product, lastFour, createdAt];
  }
}
