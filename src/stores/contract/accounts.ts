// What a service stores besides registers: accounts with their API keys, and webhooks (deliveries.ts). Every store
// implements all of it (`ServiceStore`), and contract suites check that. A key is stored only as its digest;
// access/api-key.ts defines the format of keys.
import type { FindingStore } from './finding.ts';
import type { RateLimit } from '../../web/rate-limit.ts';
import type { DeliveryStore } from './deliveries.ts';
import type { RegisterStore } from './registers.ts';
import type { SignInStore } from './sign-in.ts';

/** A customer that has, or had, access. Times are RFC 3339 date-times, stored in UTC with millisecond precision. */
export interface Account {
  /** `[a-z0-9][a-z0-9-]{0,63}`, chosen by the operator. */
  readonly id: string;
  /** When paid access ends. Null: the account has no paid access. */
  readonly accessUntil: string | null;
  /** Whether the operator suspended the account, even if access is paid for. */
  readonly isSuspended: boolean;
  /** How much its keys may request together; null: each of them as much as any key. */
  readonly limit: RateLimit | null;
  /** When the account was created, RFC 3339. */
  readonly createdAt: string;
}

/** An account to create. */
export interface NewAccount extends Omit<Account, 'isSuspended' | 'limit'> {
  /** Default null. */
  readonly limit?: RateLimit | null;
}

/** The properties of an account that can change. */
export interface AccountChange {
  /** When access ends; null for no access. Absent: unchanged. */
  readonly accessUntil?: string | null;
  /** Whether the account is suspended. Absent: unchanged. */
  readonly isSuspended?: boolean;
  /** How much its keys may request together; null for no limit of its own. Absent: unchanged. */
  readonly limit?: RateLimit | null;
}

/** An API key as it is stored, which is not enough to authenticate. Times are as in {@link Account}. */
export interface ApiKeyEntry {
  /** Identifies the key in lists and commands; not secret. */
  readonly id: string;
  /** The account it belongs to. */
  readonly accountId: string;
  /** The one deployment it is valid for (specification 5.4). */
  readonly product: string;
  /** The key's last four characters. */
  readonly lastFour: string;
  /** When the key was created, RFC 3339. */
  readonly createdAt: string;
  /** When the key was last used: to the minute, recorded some seconds late. Null until the first use. */
  readonly lastUsedAt: string | null;
  /** When a rotated key stops working (the end of its grace period). Null: it was not rotated. */
  readonly endsAt: string | null;
  /** When the key was revoked. Null: it was not. */
  readonly revokedAt: string | null;
}

/** A key to store. */
export interface NewApiKey {
  /** The public id of the key. */
  readonly id: string;
  /** The account it belongs to. */
  readonly accountId: string;
  /** The deployment it is for. */
  readonly product: string;
  /** SHA-256 of the whole key: 32 bytes. */
  readonly digest: Uint8Array;
  /** Its last four characters, so that people can recognise it. */
  readonly lastFour: string;
  /** When the key was created, RFC 3339. */
  readonly createdAt: string;
}

/** A key together with its account. */
export interface FoundKey {
  /** The stored key. */
  readonly key: ApiKeyEntry;
  /** The account it belongs to. */
  readonly account: Account;
}

/** Accounts and keys. A change applies to every process on the store as soon as its promise resolves. */
export interface AccountStore {
  /** Creates an account. @throws GazetteError `account_exists`; `invalid_option` for its id, a time or a limit. */
  createAccount(account: NewAccount): Promise<Account>;

  /** Returns one account, or null if the id is unknown. */
  account(accountId: string): Promise<Account | null>;

  /** All accounts, by id. */
  accounts(): Promise<readonly Account[]>;

  /** Changes the given properties and leaves the rest. @throws GazetteError `unknown_account`, `invalid_option` */
  updateAccount(accountId: string, change: AccountChange): Promise<Account>;

  /** Stores a key. @throws GazetteError `unknown_account`, `invalid_option` */
  createKey(key: NewApiKey): Promise<ApiKeyEntry>;

  /**
   * Stores `successor` and sets when the key `keyId` ends, in one transaction. A key that already ends earlier keeps
   * its end. The successor belongs to the same account and product.
   *
   * @returns the successor
   * @throws GazetteError `unknown_key` when the account has no such key for the product, or it was revoked;
   *   `invalid_option`.
   */
  rotateKey(keyId: string, successor: NewApiKey, options: { readonly endsAt: string }): Promise<ApiKeyEntry>;

  /** Revokes a key permanently. Revoking twice changes nothing. @throws GazetteError `unknown_key` */
  revokeKey(keyId: string, options: { readonly revokedAt: string }): Promise<ApiKeyEntry>;

  /** An account's keys, newest first, including ended ones. @throws GazetteError `unknown_account` */
  keys(accountId: string): Promise<readonly ApiKeyEntry[]>;

  /** Returns the key with this digest and its account, both current, in one indexed look-up. Null if there is none. */
  findKey(digest: Uint8Array): Promise<FoundKey | null>;

  /** Records when keys were last used, by key id. Ignores unknown ids and times older than the recorded one. */
  recordKeyUses(uses: ReadonlyMap<string, string>): Promise<void>;
}

/** Everything a service stores. */
export interface ServiceStore extends RegisterStore {
  /**
   * Whether every write fails with `output_failed`, because the store can only be read. Uses of keys are then not
   * recorded. Absent: false.
   */
  readonly isReadOnly?: boolean;
  /** Accounts and their keys. */
  readonly accounts: AccountStore;
  /** How the owners of accounts sign in. */
  readonly signIns: SignInStore<Account>;
  /** The indexes of its registers. Absent: they are always complete. */
  readonly finding?: FindingStore;
  /** What webhooks also need: endpoints and deliveries. */
  readonly deliveries: DeliveryStore;
}
