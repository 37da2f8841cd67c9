// The published suites of every store of a service: accounts, keys, sessions, pages of registers. As vitest shows them.
import { describe, it } from 'vitest';
import { accountStoreContract as published } from '../../src/testing/stores/accounts/accounts.ts';
import type { OpenServiceStore } from '../../src/testing/stores/accounts/keys.ts';
import { catalogueContract } from '../../src/testing/stores/catalogue.ts';
import { signInStoreContract } from '../../src/testing/stores/accounts/sign-in.ts';

export { type OpenServiceStore } from '../../src/testing/stores/accounts/keys.ts';

/** Registers the suite for one implementation. */
export function accountStoreContract(name: string, open: OpenServiceStore): void {
  describe(name, () => {
    published(it, open);
    signInStoreContract(it, open);
    catalogueContract(it, open);
  });
}
