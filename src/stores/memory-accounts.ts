// Accounts and keys in memory, for MemoryStore.
import { GazetteError, quote } from '../errors.ts';
import {
  accountExists,
  keptAccount,
  keptKey,
  keptTime,
  notRotatable,
  unknownAccount,
  unknownKey,
} from './rows/accounts.ts';
import type {
  Account,
  AccountChange,
  AccountStore,
  ApiKeyEntry,
  FoundKey,
  NewAccount,
  NewApiKey,
} from './contract/accounts.ts';

/** The accounts of one {@link MemoryStore}. Entries are replaced, never changed, and handed out as copies. */
export class MemoryAccounts implements AccountStore {
  readonly #accounts = new Map<string, Account>();
  /** In the order in which they were made. */
  readonly #keys = new Map<string, ApiKeyEntry>();
  /** The ids of keys by their digests in hexadecimal. */
  readonly #idsByDigest = new Map<string, string>();

  async createAccount(account: NewAccount): Promise<Account> {
    const kept = keptAccount(account);
    if (this.#accounts.has(kept.id)) throw accountExists(kept.id);
    return this.#keep(kept);
  }

  async account(accountId: string): Promise<Account | null> {
    const account = this.#accounts.get(accountId);
    return account === undefined ? null : { ...account };
  }

  async accounts(): Promise<readonly Account[]> {
    return [...this.#accounts.values()].sort((a, b) => (a.id < b.id ? -1 : 1)).map((account) => ({ ...account }));
  }

  async updateAccount(accountId: string, { accessUntil, isSuspended }: AccountChange): Promise<Account> {
    const until = accessUntil == null ? accessUntil : keptTime('accessUntil', accessUntil);
    const before = this.get(accountId);
    return this.#keep({
      ...before,
      accessUntil: until === undefined ? before.accessUntil : until,
      isSuspended: isSuspended ?? before.isSuspended,
    });
  }

  async createKey(key: NewApiKey): Promise<ApiKeyEntry> {
    const kept = keptKey(key);
    this.get(kept.accountId);
    this.#checkNew(kept, key.digest);
    return this.#add(kept, key.digest);
  }

  async rotateKey(keyId: string, successor: NewApiKey, options: { readonly endsAt: string }): Promise<ApiKeyEntry> {
    const end = keptTime('endsAt', options.endsAt);
    const kept = keptKey(successor);
    const key = this.#keys.get(keyId);
    if (key?.accountId !== kept.accountId || key.product !== kept.product || key.revokedAt !== null) {
      throw notRotatable(keyId, successor);
    }
    this.#checkNew(kept, successor.digest);
    this.#keys.set(keyId, { ...key, endsAt: key.endsAt !== null && key.endsAt < end ? key.endsAt : end });
    return this.#add(kept, successor.digest);
  }

  async revokeKey(keyId: string, options: { readonly revokedAt: string }): Promise<ApiKeyEntry> {
    const revokedAt = keptTime('revokedAt', options.revokedAt);
    const key = this.#keys.get(keyId);
    if (key === undefined) throw unknownKey(keyId);
    const revoked = { ...key, revokedAt: key.revokedAt ?? revokedAt };
    this.#keys.set(keyId, revoked);
    return { ...revoked };
  }

  async keys(accountId: string): Promise<readonly ApiKeyEntry[]> {
    this.get(accountId);
    const own = [...this.#keys.values()].filter((key) => key.accountId === accountId);
    return own.reverse().map((key) => ({ ...key }));
  }

  async findKey(digest: Uint8Array): Promise<FoundKey | null> {
    const id = this.#idsByDigest.get(hexOf(digest));
    if (id === undefined) return null;
    const key = this.#keys.get(id)!;
    return { key: { ...key }, account: { ...this.get(key.accountId) } };
  }

  async recordKeyUses(uses: ReadonlyMap<string, string>): Promise<void> {
    const kept = [...uses].map(([id, time]) => [id, keptTime('lastUsedAt', time)] as const);
    for (const [id, lastUsedAt] of kept) {
      const key = this.#keys.get(id);
      if (key === undefined || (key.lastUsedAt !== null && key.lastUsedAt >= lastUsedAt)) continue;
      this.#keys.set(id, { ...key, lastUsedAt });
    }
  }

  /** As it stands. @throws GazetteError `unknown_account` */
  get(accountId: string): Account {
    const account = this.#accounts.get(accountId);
    if (account === undefined) throw unknownAccount(accountId);
    return account;
  }

  /** Forgets everything. */
  clear(): void {
    this.#accounts.clear();
    this.#keys.clear();
    this.#idsByDigest.clear();
  }

  #keep(account: Account): Account {
    this.#accounts.set(account.id, account);
    return { ...account };
  }

  #checkNew({ id }: ApiKeyEntry, digest: Uint8Array): void {
    if (!this.#keys.has(id) && !this.#idsByDigest.has(hexOf(digest))) return;
    // Both are random: two that are alike were not made as they should be.
    throw new GazetteError('internal_error', `key ${quote(id)} is not new`, { details: { key: id } });
  }

  #add(key: ApiKeyEntry, digest: Uint8Array): ApiKeyEntry {
    this.#keys.set(key.id, key);
    this.#idsByDigest.set(hexOf(digest), key.id);
    return { ...key };
  }
}

function hexOf(digest: Uint8Array): string {
  return Buffer.from(digest).toString('hex');
}
