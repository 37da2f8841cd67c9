// What an operator does with accounts and their keys, over any store: the command line and the account's own pages both
// come here. The store keeps; this file decides when things end and what a key is made of.
import { GazetteError, quote } from '../errors.ts';
import type { Account, AccountStore, ApiKeyEntry } from '../stores/contract/accounts.ts';
import { endTime } from './times.ts';
import { checkProduct, createApiKey, newKeyEntry } from '../access/api-key.ts';

/** How accounts are kept. */
export interface AccountsOptions {
  /** The deployment that keys are made for. */
  readonly product: string;
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

/** A new key: the only time that it is to be had as text. */
export interface IssuedKey {
  /** The key itself. It is shown now and never again. */
  readonly key: string;
  /** What is kept of it. */
  readonly entry: ApiKeyEntry;
}

/** The state of a key: `active`, in the grace after its rotation (`rotated`), past it (`ended`), or `revoked`. */
export type KeyState = 'active' | 'rotated' | 'ended' | 'revoked';

/** The state of an account: its keys work, its access has ended or never began, or it was stopped. */
export type AccountState = 'active' | 'lapsed' | 'suspended';

/** How long a rotated key goes on working when nobody says: long enough to bring the new one everywhere. */
export const DEFAULT_GRACE_MS: number = 24 * 60 * 60 * 1000;

/** A year. A key that is to live on for longer need not be rotated yet. */
const MAX_GRACE_MS = 366 * DEFAULT_GRACE_MS;

/**
 * The accounts of a store, and keys for one product.
 *
 * @example
 * const accounts = new Accounts(SqliteStore.open(':memory:').accounts, { product: 'gazette' });
 * await accounts.add('acme', '2027-01-01T00:00:00Z');
 * const { key } = await accounts.createKey('acme'); // to be shown once, and kept nowhere
 */
export class Accounts {
  readonly #accounts: AccountStore;
  readonly #product: string;
  readonly #now: () => number;

  /** @throws GazetteError `invalid_option` for a malformed product. */
  constructor(accounts: AccountStore, options: AccountsOptions) {
    checkProduct(options.product);
    this.#accounts = accounts;
    this.#product = options.product;
    this.#now = options.now ?? Date.now;
  }

  /**
   * Makes an account.
   *
   * @param accessUntil when access ends: a day, which counts as a whole and in UTC, or an RFC 3339 date-time; null for none
   *   yet.
   * @throws GazetteError `account_exists`, `invalid_option`.
   */
  add(accountId: string, accessUntil: string | null): Promise<Account> {
    const end = accessUntil === null ? null : endOf(accessUntil);
    return this.#accounts.createAccount({ id: accountId, accessUntil: end, createdAt: this.#time() });
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

  /** Stops an account at once, whatever is paid. @throws GazetteError `unknown_account` */
  suspend(accountId: string): Promise<Account> {
    return this.#accounts.updateAccount(accountId, { isSuspended: true });
  }

  /** Lets a suspended account go on. @throws GazetteError `unknown_account` */
  resume(accountId: string): Promise<Account> {
    return this.#accounts.updateAccount(accountId, { isSuspended: false });
  }

  /** Makes a key. @throws GazetteError `unknown_account` */
  async createKey(accountId: string): Promise<IssuedKey> {
    const key = createApiKey();
    return { key, entry: await this.#accounts.createKey(this.#entryOf(key, accountId)) };
  }

  /**
   * Makes a key that replaces another, which keeps working for a grace.
   *
   * @param keyId which one; null for the only one of the account that works.
   * @param graceMs 0 to a year. Default {@link DEFAULT_GRACE_MS}.
   * @throws GazetteError `unknown_account`, `unknown_key`, `invalid_option`.
   */
  async rotateKey(
    accountId: string,
    keyId: string | null,
    { graceMs = DEFAULT_GRACE_MS }: { readonly graceMs?: number } = {},
  ): Promise<IssuedKey & { readonly replaced: ApiKeyEntry }> {
    if (!(graceMs >= 0 && graceMs <= MAX_GRACE_MS)) {
      throw new GazetteError('invalid_option', `grace must be 0..${MAX_GRACE_MS / 3_600_000} hours`, {
        details: { option: 'grace' },
      });
    }
    const { id } = await this.#find(accountId, keyId);
    const key = createApiKey();
    const endsAt = new Date(this.#now() + graceMs).toISOString();
    const entry = await this.#accounts.rotateKey(id, this.#entryOf(key, accountId), { endsAt });
    // Read again: its end may have been nearer already.
    return { key, entry, replaced: await this.#find(accountId, id) };
  }

  /**
   * Ends a key at once. It cannot be undone.
   *
   * @param keyId which one; null for the only one of the account that works.
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
  stateOf({ isSuspended, accessUntil }: Account): AccountState {
    if (isSuspended) return 'suspended';
    return accessUntil !== null && this.#now() < Date.parse(accessUntil) ? 'active' : 'lapsed';
  }

  /** The state of a key now, whatever its account may do. */
  keyStateOf(key: ApiKeyEntry): KeyState {
    if (key.revokedAt !== null) return 'revoked';
    if (key.endsAt === null) return 'active';
    return this.#now() < Date.parse(key.endsAt) ? 'rotated' : 'ended';
  }

  /** An account's own key for this product, by its id; without one, the only one that works and was not rotated. */
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

  #entryOf(key: string, accountId: string): ReturnType<typeof newKeyEntry> {
    return newKeyEntry(key, { accountId, product: this.#product, createdAt: this.#time() });
  }

  #time(): string {
    return new Date(this.#now()).toISOString();
  }
}

/** A text that is not a time goes to the store as it is, and the store refuses it. */
function endOf(accessUntil: string): string {
  return endTime(accessUntil) ?? accessUntil;
}
