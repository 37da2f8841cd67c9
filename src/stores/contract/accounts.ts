// What a service stores besides registers: accounts with their API keys, and webhooks (deliveries.ts). Every store
// implements all of it (`ServiceStore`), and contract suites check that. A key is stored only as its digest;
// access/api-key.ts defines the format of keys.
import type { FindingStore } from './finding.ts';
import type { Money } from '../../money.ts';
import type { RateLimit } from '../../web/rate-limit.ts';
import type { DeliveryStore } from './deliveries.ts';
import type { ConfigurationStore } from './nodes/configuration.ts';
import type { IdempotencyStore } from './idempotency.ts';
import type { LimitCounter } from './nodes/counter.ts';
import type { RegisterStore } from './registers.ts';
import type { EditorStore } from './desk/editors.ts';
import type { MirrorStore } from './mirrors.ts';
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
  /** Where its owner gets mail, in lower case. Null: nowhere. Several accounts may have one address. */
  readonly email: string | null;
  /** When the account was created, RFC 3339. */
  readonly createdAt: string;
  /** Its credit, and what was charged to it. Absent: it never had credit. */
  readonly balance?: Balance;
}

/** An account to create. */
export interface NewAccount extends Omit<Account, 'isSuspended' | 'limit' | 'email' | 'balance'> {
  /** Default null. */
  readonly limit?: RateLimit | null;
  /** Default null. */
  readonly email?: string | null;
}

/** The properties of an account that can change. */
export interface AccountChange {
  /** When access ends; null for no access. Absent: unchanged. */
  readonly accessUntil?: string | null;
  /** Whether the account is suspended. Absent: unchanged. */
  readonly isSuspended?: boolean;
  /** How much its keys may request together; null for no limit of its own. Absent: unchanged. */
  readonly limit?: RateLimit | null;
  /** Where its owner gets mail; null for nowhere. Absent: unchanged. */
  readonly email?: string | null;
}

/**
 * What a key may be used for: `read` opens the records of registers, `webhooks` endpoints and deliveries of its
 * account, `account` everything of its account.
 */
export type KeyScope = 'read' | 'webhooks' | 'account';

/** What a key may do. */
export interface KeyGrants {
  /** At least one, `read` before `webhooks` before `account`. */
  readonly scopes: readonly KeyScope[];
  /** The registers that it opens. Null: all, including future ones. */
  readonly feeds: readonly string[] | null;
  /** How much it may request, besides what its account may; null: as much as any key. */
  readonly limit: RateLimit | null;
}

/** What its owner may change of a key. Absent properties stay as they are. */
export interface KeyChange extends Partial<KeyGrants> {
  /** Its name; null for none. */
  readonly name?: string | null;
  /** What it may spend, altogether or on one day; null: nothing by reading, and as much by asking as its account has. */
  readonly budget?: BudgetChange | null;
}

/** An account's money in its currency. All are whole numbers. The ledger's entries add up to them. */
export interface Balance {
  /** The currency of its first credit; the account has no other. */
  readonly currency: string;
  /** All credits. */
  readonly credit: number;
  /** All charges, less refunds. */
  readonly charged: number;
  /** `credit - charged`: never negative. */
  readonly left: number;
}

/** What a key may spend of its account's credit. Amounts are in the account's currency. */
export interface KeyBudget {
  /** Altogether. */
  readonly budget: number;
  /** On one day in UTC, by the database's clock. Null: as much as is left. */
  readonly perDay: number | null;
  /** For one record: no more, and in no other currency. Null: as much as the budget allows. */
  readonly maxPrice: Money | null;
  /** What was charged through it, less refunds. */
  readonly spent: number;
  /** The day of {@link spentOnDay}, `2026-05-02`. Null: nothing was charged yet. */
  readonly day: string | null;
  /** What was charged on that day. */
  readonly spentOnDay: number;
}

/** What is decided of a budget, in the currency of the account's credit. Absent properties stay as they are. */
export interface BudgetChange {
  /** Altogether, from 1 and not below what was spent. A key that has no budget needs one. */
  readonly budget?: number;
  /** On one day in UTC, from 1; null: as much as is left. Default for a new budget: null. */
  readonly perDay?: number | null;
  /** For one record, from 1 on; null: as much as is left. Default for a new budget: null. */
  readonly maxPrice?: Money | null;
}

/** An API key as it is stored, which is not enough to authenticate. Times are as in {@link Account}. */
export interface ApiKeyEntry extends KeyGrants {
  /** Identifies the key in lists and commands; not secret. */
  readonly id: string;
  /** The account it belongs to. */
  readonly accountId: string;
  /** The one deployment it is valid for (specification 5.4). */
  readonly product: string;
  /** What its owner calls it, 1..100 characters. Null: nothing. */
  readonly name: string | null;
  /** The key's last four characters. */
  readonly lastFour: string;
  /** When the key was created, RFC 3339. */
  readonly createdAt: string;
  /** When the key was last used: to the minute, recorded some seconds late. Null until the first use. */
  readonly lastUsedAt: string | null;
  /** How many requests it was used for, recorded up to a minute late. */
  readonly requests: number;
  /** When a rotated key stops working (the end of its grace period). Null: it was not rotated. */
  readonly endsAt: string | null;
  /** When the key was revoked. Null: it was not. */
  readonly revokedAt: string | null;
  /** When it stops working, decided when it was created. Null: with its account. */
  readonly expiresAt: string | null;
  /** What it may spend of its account's credit: it is made to pay for what it reads. Absent: it pays for nothing so. */
  readonly budget?: KeyBudget;
}

/** A key to store: by default it has no name, reads every register, and ends with its account. */
export interface NewApiKey extends KeyChange {
  /** When it stops working; null: with its account. Default null. */
  readonly expiresAt?: string | null;
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

/** Who makes or changes a key. */
export interface ByKey {
  /** The id of a key, which bounds what is made. Default: the operator, or the account's owner: nothing does. */
  readonly by?: string | null;
}

/** Uses of a key. */
export interface KeyUse {
  /** When it was last used, RFC 3339. */
  readonly at: string;
  /** For how many requests, besides those that are recorded: a whole number. */
  readonly requests: number;
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

  /** The accounts whose owners get mail at an address, in any case, by id. */
  accountsOfEmail(email: string): Promise<readonly Account[]>;

  /** Changes the given properties and leaves the rest. @throws GazetteError `unknown_account`, `invalid_option` */
  updateAccount(accountId: string, change: AccountChange): Promise<Account>;

  /**
   * Deletes an account with its keys, its sessions, its endpoints and their deliveries. Many deliveries go some at a time, while the
   * account is suspended; if the process is killed meanwhile, it can be removed again.
   *
   * @throws GazetteError `unknown_account`; `invalid_option` for the time
   */
  removeAccount(accountId: string, options: { readonly at: string }): Promise<void>;

  /**
   * Stores a key.
   *
   * @param options.by the key of the same account that makes it: no key makes one that may do more, or lives longer, and
   *   what it gives of a budget is taken from its own
   * @throws GazetteError `unknown_account`, `unknown_feed`, `invalid_option`; `insufficient_scope` for more than `by`
   */
  createKey(key: NewApiKey, options?: ByKey): Promise<ApiKeyEntry>;

  /**
   * Changes the given properties of a key and leaves the rest.
   *
   * @param options.by as in {@link createKey}, for what is changed
   * @throws GazetteError `unknown_key` when the account has no such key for the product, or it was revoked;
   *   `unknown_feed`, `invalid_option`, `insufficient_scope`.
   */
  updateKey(
    key: Pick<NewApiKey, 'id' | 'accountId' | 'product'>,
    change: KeyChange,
    options?: ByKey,
  ): Promise<ApiKeyEntry>;

  /**
   * Stores `successor` and sets when the key `keyId` ends, in one transaction. A key that already ends earlier keeps
   * its end. The successor belongs to the same account and product, and may do what the key may do.
   *
   * @param options.by as in {@link createKey}
   * @returns the successor
   * @throws GazetteError `unknown_key` when the account has no such key for the product, or it was revoked;
   *   `invalid_option`, `insufficient_scope`.
   */
  rotateKey(keyId: string, successor: NewApiKey, options: { readonly endsAt: string } & ByKey): Promise<ApiKeyEntry>;

  /** Revokes a key permanently. Revoking twice changes nothing. @throws GazetteError `unknown_key` */
  revokeKey(keyId: string, options: { readonly revokedAt: string }): Promise<ApiKeyEntry>;

  /** An account's keys, newest first, including ended ones. @throws GazetteError `unknown_account` */
  keys(accountId: string): Promise<readonly ApiKeyEntry[]>;

  /** Returns the key with this digest and its account, both current, in one indexed look-up. Null if there is none. */
  findKey(digest: Uint8Array): Promise<FoundKey | null>;

  /**
   * Whether nothing that {@link findKey} says of any key has changed since an earlier stamp of the store
   * (`RegisterStore.stamp()`), as far as is known under the present one. Absent: only an equal stamp says so.
   */
  isUnchanged?(since: number): boolean;

  /** Records uses of keys, by key id. Ignores unknown ids, times older than the recorded one, and all once the store is closed. @throws GazetteError `invalid_option` for a time */
  recordKeyUses(uses: ReadonlyMap<string, KeyUse>): Promise<void>;
}

/**
 * Everything a service stores. What only gazette's own layers ask of it is not described in the reference; its types can be
 * taken from this one, as `ServiceStore['accounts']`.
 */
export interface ServiceStore extends RegisterStore {
  /**
   * Whether every write fails with `output_failed`, because the store can only be read. Uses of keys are then not
   * recorded. Absent: false.
   */
  readonly isReadOnly?: boolean;
  /** Accounts and their keys. @internal */
  readonly accounts: AccountStore;
  /** How the owners of accounts, and editors, sign in. @internal */
  readonly signIns: SignInStore;
  /** The editors of the desk. @internal */
  readonly editors: EditorStore;
  /** The indexes of its registers. Absent: they are always complete. @internal */
  readonly finding?: FindingStore;
  /** The registers that are copies of other services'. Absent: there are none. @internal */
  readonly mirrors?: MirrorStore;
  /** What webhooks also need: endpoints and deliveries. @internal */
  readonly deliveries: DeliveryStore;
  /** The configuration that a service last started with. @internal */
  readonly configuration: ConfigurationStore;
  /** Requests that must not take effect twice. @internal */
  readonly idempotency: IdempotencyStore<Pick<ServiceStore, 'accounts' | 'deliveries'>>;
  /** Counts requests for all processes that use the store. Absent: each process counts for itself. */
  readonly limitCounter?: LimitCounter;
  /** What a plugin has in the store. @throws GazetteError `missing_plugin` if the store was opened without it @internal */
  part<Own>(plugin: StorePart<Own>): Own;
}

/** What tells the parts of a store apart: the plugins that they belong to. */
export interface StorePart<Own> {
  /** Such as `proofs`. */
  readonly name: string;
  /** Opens it in a store. */
  readonly open: (store: never) => Own;
}
