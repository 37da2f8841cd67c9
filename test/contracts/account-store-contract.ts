// The published suite of every store of accounts and keys, as vitest shows it.
import { describe, it } from 'vitest';
import { accountStoreContract as published, type OpenServiceStore } from '../../src/testing/stores/accounts.ts';

export { type OpenServiceStore } from '../../src/testing/stores/accounts.ts';

/** Registers the suite for one implementation. */
export function accountStoreContract(name: string, open: OpenServiceStore): void {
  describe(name, () => {
    published(it, open);
  });
}
