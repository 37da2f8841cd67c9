// An operator's work with accounts and their keys, over any store. The command line and the account's own pages both
// use it. The store only stores; this file decides when things end and how keys are made.
import { GazetteError, quote } from '../errors.ts';
import type { Account, ServiceStore, ApiKeyEntry, KeyChange } from '../stores/contract/accounts.ts';
import { unknownAccount } from '../stores/rows/accounts.ts';
import { checkAhead, checkGrace, checkTime, endTime } from './times.ts';
import { createApiKey, newKeyEntry } from '../access/api-key.ts';
import { checkProduct } from '../stores/rows/keys.ts';
import type { RateLimit } from '../web/rate-limit.ts';
import { accountStateAt, type AccountState, keyStateAt, type KeyState } from '../access/state.ts';

/** A key to create: by default it reads every register, as much as any key, until its account ends. */
export interface KeyRequest extends KeyChange {
  /** Until when it works: a day, which is included and in UTC, or an RFC 3339 date-time. Default null: with its account. */
  readonly expiresAt?: string | null;
}

/** A new key: the only time that it is available as text. */
export interface IssuedKey {
  /** The key itself. It is shown now and never again. */
  readonly key: string;
  /** The stored key. */
  readonly entry: ApiKeyEntry;
}

/** The default grace period of a rotated key: long enough to deploy the new one everywhere. */
export const DEFAULT_GRACE_MS: number = 24 * 60 * 60 * 1000;

/**
 * The accounts of a store, and keys for one product.
 *
 * @example
 * const accounts = new Accounts(SqliteStore.open(':memory:'), { product: 'gazette' });
 * await accounts.add('acme', '2027-01-01T00:00:00Z');
 * const { key } = await accounts.createKey('acme'); // to be shown once, and kept nowhere
 */
export class Accounts {
  readonly #accounts: ServiceStore['accounts'];
  readonly #product: string;
  readonly #now: () => number;

  /**
   * @param options.product the deployment for which keys are made and found
   * @param options.now the clock, in milliseconds since 1970. Default `Date.now`
   * @throws GazetteError `invalid_option` for a malformed product
   */
  constructor(
    { accounts }: Pick<ServiceStore, 'accounts'>,
    options: { readonly product: string; readonly now?: () => number },
  ) {
    checkProduct(options.product);
    this.#accounts = accounts;
    this.#product = options.product;
    this.#now = options.now ?? Date.now;
  }

  /**
   * Creates an account.
   *
   * @param accessUntil when access ends: a day, which is included and in UTC, or an RFC 3339 date-time; null for no
   *   access yet.
   * @param options.limit how much its keys may request together; null, the default: each of them as much as any key.
   * @param options.email where its owner gets mail, for links to sign in; null, the default: nowhere.
   * @throws GazetteError `account_exists`, `invalid_option`.
   */
  add(
    accountId: string,
    accessUntil: string | null,
    options: { readonly limit?: RateLimit | null; readonly email?: string | null } = {},
  ): Promise<Account> {
    const end = accessUntil === null ? null : endOf(accessUntil);
    return this.#accounts.createAccount({ ...options, id: accountId, accessUntil: end, createdAt: this.#time() });
  }

  /** One account. @throws GazetteError `unknown_account` */
  async find(accountId: string): Promise<Account> {
    const account = await this.#accounts.account(accountId);
    if (account === null) throw unknownAccount(accountId);
    return account;
  }

  /**
   * Sets the time at which an account's access ends, later or earlier than before.
   *
   * @param accessUntil as in {@link add}
   * @throws GazetteError `unknown_account`, `invalid_option`.
   */
  extend(accountId: string, accessUntil: string): Promise<Account> {
    return this.#accounts.updateAccount(accountId, { accessUntil: endOf(accessUntil) });
  }

  /** Sets how much an account's keys may request together, as in {@link add}. @throws GazetteError `unknown_account`, `invalid_option` */
  setLimit(accountId: string, limit: RateLimit | null): Promise<Account> {
    return this.#accounts.updateAccount(accountId, { limit });
  }

  /** Sets the limit, or where the owner gets mail, as in {@link add}. @throws GazetteError `unknown_account`, `invalid_option` */
  update(accountId: string, change: NonNullable<Parameters<Accounts['add']>[2]>): Promise<Account> {
    return this.#accounts.updateAccount(accountId, change);
  }

  /**
   * Removes an account with its keys, its endpoints and their deliveries. It cannot be undone. Keys stop at once.
   *
   * @throws GazetteError `unknown_account`
   */
  remove(accountId: string): Promise<void> {
    return this.#accounts.removeAccount(accountId, { at: this.#time() });
  }

  /** Suspends an account at once, even if access is paid for. @throws GazetteError `unknown_account` */
  suspend(accountId: string): Promise<Account> {
    return this.#accounts.updateAccount(accountId, { isSuspended: true });
  }

  /** Ends the suspension of an account. @throws GazetteError `unknown_account` */
  resume(accountId: string): Promise<Account> {
    return this.#accounts.updateAccount(accountId, { isSuspended: false });
  }

  /**
   * Creates a key.
   *
   * @param options.by the key that creates it: it gives no more than its own
   * @throws GazetteError `unknown_account`, `unknown_feed`, `invalid_option`, `insufficient_scope`
   */
  async createKey(
    accountId: string,
    { expiresAt, ...asked }: KeyRequest = {},
    options: { readonly by?: string | null } = {},
  ): Promise<IssuedKey> {
    const key = createApiKey();
    const end = expiresAt == null ? null : this.#endOfKey(expiresAt);
    const entry = { ...this.#entryOf(key, accountId), ...asked, expiresAt: end };
    return { key, entry: await this.#accounts.createKey(entry, options) };
  }

  /**
   * Changes the name of a key, or what it may do.
   *
   * @param keyId which one; null for the only working key of the account.
   * @param options.by as in {@link createKey}
   * @throws GazetteError `unknown_account`, `unknown_key`, `unknown_feed`, `invalid_option`, `insufficient_scope`
   */
  async updateKey(
    accountId: string,
    keyId: string | null,
    change: KeyChange,
    options: { readonly by?: string | null } = {},
  ): Promise<ApiKeyEntry> {
    return this.#accounts.updateKey(await this.#find(accountId, keyId), change, options);
  }

  /**
   * Creates a key that replaces another, which keeps working for a grace period.
   *
   * @param keyId which one; null for the only working key of the account.
   * @param options `graceMs` is 0 to a year, by default a day; the rest is as in {@link createKey}.
   * @throws GazetteError `unknown_account`, `unknown_key`, `invalid_option`, `insufficient_scope`.
   */
  async rotateKey(
    accountId: string,
    keyId: string | null,
    options: { readonly graceMs?: number; readonly by?: string | null } = {},
  ): Promise<IssuedKey & { readonly replaced: ApiKeyEntry }> {
    const { graceMs = DEFAULT_GRACE_MS, ...by } = options;
    checkGrace(graceMs);
    const { id } = await this.#find(accountId, keyId);
    const key = createApiKey();
    const endsAt = new Date(this.#now() + graceMs).toISOString();
    const entry = await this.#accounts.rotateKey(id, this.#entryOf(key, accountId), { endsAt, ...by });
    // Read again: it may already have had an earlier end.
    return { key, entry, replaced: await this.#find(accountId, id) };
  }

  /**
   * Revokes a key at once. It cannot be undone.
   *
   * @param keyId which one; null for the only working key of the account.
   * @throws GazetteError `unknown_account`, `unknown_key`.
   */
  async revokeKey(accountId: string, keyId: string | null): Promise<ApiKeyEntry> {
    const { id } = await this.#find(accountId, keyId);
    return this.#accounts.revokeKey(id, { revokedAt: this.#time() });
  }

  /** All keys of an account, of every product, newest first. @throws GazetteError `unknown_account` */
  keys(accountId: string): Promise<readonly ApiKeyEntry[]> {
    return this.#accounts.keys(accountId);
  }

  /** All accounts, by id. */
  all(): Promise<readonly Account[]> {
    return this.#accounts.accounts();
  }

  /** The state of an account now. */
  stateOf(account: Account): AccountState {
    return accountStateAt(account, this.#now());
  }

  /** The state of a key now, independent of its account. */
  keyStateOf(key: ApiKeyEntry): KeyState {
    return keyStateAt(key, this.#now());
  }

  /** An account's key for this product, by its id; without an id, the only one that works and was not rotated. */
  async #find(accountId: string, keyId: string | null): Promise<ApiKeyEntry> {
    const all = await this.#accounts.keys(accountId);
    const keys = all.filter(({ product }) => product === this.#product);
    const found = keys.filter((key) => (keyId === null ? this.keyStateOf(key) === 'active' : key.id === keyId));
    if (found.length === 1) return found[0]!;
    const other = all.find(({ id }) => id === keyId);
    const whose = `account ${quote(accountId)}`;
    const message =
      other !== undefined
        ? `key ${other.id} of ${whose} is for the product ${quote(other.product)}, not ${quote(this.#product)}`
        : keyId !== null
          ? `${whose} has no key ${quote(keyId)}`
          : found.length === 0
            ? `${whose} has no key for the product ${quote(this.#product)} that works`
            : `${whose} has ${found.length} keys that work: say which, of ${found.map(({ id }) => id).join(', ')}`;
    throw new GazetteError('unknown_key', message, { details: { account: accountId, key: keyId } });
  }

  /** The end of a new key: a time to come, for one that has passed was meant otherwise. */
  #endOfKey(text: string): string {
    return checkAhead('expires_at', checkTime('expires_at', endTime(text), text), this.#now());
  }

  #entryOf(key: string, accountId: string): ReturnType<typeof newKeyEntry> {
    return newKeyEntry(key, { accountId, product: this.#product, createdAt: this.#time() });
  }

  #time(): string {
    return new Date(this.#now()).toISOString();
  }
}

/** A text that is not a time is passed on unchanged, and the store refuses it. */
function endOf(accessUntil: string): string {
  return endTime(accessUntil) ?? accessUntil;
}
