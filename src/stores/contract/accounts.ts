// What a service keeps besides registers: accounts and their keys, and webhooks (deliveries.ts). Every store keeps all
// of it (`ServiceStore`); contract suites hold them to it. A key is known here by its digest alone; what it looks like is access/api-key.ts's business.
import type { DeliveryStore } from './deliveries.ts';
import type { RegisterStore } from './registers.ts';

/** Somebody who has, or had, access. Times are RFC 3339 date-times, kept in UTC to the millisecond. */
export interface Account {
  /** `[a-z0-9][a-z0-9-]{0,63}`, the operator's name for it. */
  readonly id: string;
  /** The moment at which paid access ends; null: there is none. */
  readonly accessUntil: string | null;
  /** Stopped by the operator, whatever is paid. */
  readonly isSuspended: boolean;
  /** When it was made, RFC 3339. */
  readonly createdAt: string;
}

/** An account to be made. */
export type NewAccount = Omit<Account, 'isSuspended'>;

/** What may change of an account. */
export interface AccountChange {
  /** The moment at which access ends; null: there is none. Absent: as before. */
  readonly accessUntil?: string | null;
  /** Whether it is stopped. Absent: as before. */
  readonly isSuspended?: boolean;
}

/** An API key as it is kept: nothing here opens anything. Times are as in {@link Account}. */
export interface ApiKeyEntry {
  /** Names the key in lists and commands; not secret. */
  readonly id: string;
  /** The account it belongs to. */
  readonly accountId: string;
  /** The one deployment it works for (specification 5.4). */
  readonly product: string;
  /** The key's last four characters. */
  readonly lastFour: string;
  /** When it was made, RFC 3339. */
  readonly createdAt: string;
  /** Null until the first use; recorded to the minute, some seconds late. */
  readonly lastUsedAt: string | null;
  /** When a rotated key stops working: the end of its grace. Null: it was not rotated. */
  readonly endsAt: string | null;
  /** When it was revoked; null: it was not. */
  readonly revokedAt: string | null;
}

/** A key to be kept. */
export interface NewApiKey {
  /** The id that people name it by. */
  readonly id: string;
  /** The account it belongs to. */
  readonly accountId: string;
  /** The deployment it is for. */
  readonly product: string;
  /** SHA-256 of the whole key: 32 bytes. */
  readonly digest: Uint8Array;
  /** Its last four characters, for people to know it by. */
  readonly lastFour: string;
  /** When it is made, RFC 3339. */
  readonly createdAt: string;
}

/** A key together with the account that it opens. */
export interface FoundKey {
  /** What is kept of the key. */
  readonly key: ApiKeyEntry;
  /** The account it belongs to. */
  readonly account: Account;
}

/** Accounts and keys. Every change counts from the moment its promise resolves, for every process on the store. */
export interface AccountStore {
  /** Makes an account. @throws GazetteError `account_exists`; `invalid_option` for its id or a time. */
  createAccount(account: NewAccount): Promise<Account>;

  /** One account; null when there is none of this id. */
  account(accountId: string): Promise<Account | null>;

  /** All accounts, by id. */
  accounts(): Promise<readonly Account[]>;

  /** Changes what is given and leaves the rest. @throws GazetteError `unknown_account`, `invalid_option` */
  updateAccount(accountId: string, change: AccountChange): Promise<Account>;

  /** Keeps a key. @throws GazetteError `unknown_account`, `invalid_option` */
  createKey(key: NewApiKey): Promise<ApiKeyEntry>;

  /**
   * Keeps `successor` and gives the key `keyId` an end, in one transaction. A key that ends earlier already keeps its
   * end; the successor belongs to the same account and product.
   *
   * @returns the successor
   * @throws GazetteError `unknown_key` when the account has no such key for the product, or it was revoked;
   *   `invalid_option`.
   */
  rotateKey(keyId: string, successor: NewApiKey, options: { readonly endsAt: string }): Promise<ApiKeyEntry>;

  /** Ends a key for ever. Revoking twice changes nothing. @throws GazetteError `unknown_key` */
  revokeKey(keyId: string, options: { readonly revokedAt: string }): Promise<ApiKeyEntry>;

  /** An account's keys, newest first, ended ones included. @throws GazetteError `unknown_account` */
  keys(accountId: string): Promise<readonly ApiKeyEntry[]>;

  /** The key of this digest, and its account, as both stand now: one indexed look-up. Null when there is none. */
  findKey(digest: Uint8Array): Promise<FoundKey | null>;

  /** Records the last use of keys, by id; a time older than the recorded one is passed over, as is an unknown id. */
  recordKeyUses(uses: ReadonlyMap<string, string>): Promise<void>;
}

/** Everything a service keeps. */
export interface ServiceStore extends RegisterStore {
  /** Accounts and their keys. */
  readonly accounts: AccountStore;
  /** What webhooks need besides: endpoints and deliveries. */
  readonly deliveries: DeliveryStore;
}
