// The accounts and keys the stores' tests are written on.
import { createHash } from 'node:crypto';
import type { NewAccount, NewApiKey, ServiceStore } from '../../../stores/contract/accounts.ts';
import { at } from '../said.ts';

/** Opens an empty store. */
export type OpenServiceStore = () => Promise<{
  readonly store: ServiceStore;
  readonly dispose: () => Promise<void>;
}>;

/** An account with an hour of access from `at(0)`. */
export function accountNamed(id: string): NewAccount {
  return { id, accessUntil: at(60), createdAt: at(0) };
}

/** A key whose whole text is `text`: only its digest matters here. */
export function keyOfAccount(accountId: string, text: string): NewApiKey {
  return {
    id: `key_${text}`,
    accountId,
    product: 'gazette',
    digest: digestOf(text),
    lastFour: text.slice(-4),
    createdAt: at(0),
  };
}

/** The digest of {@link keyOfAccount}. */
export function digestOf(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}
