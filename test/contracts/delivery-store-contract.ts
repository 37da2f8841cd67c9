// The published suite of every store of endpoints and deliveries, as vitest shows it.
import { describe, it } from 'vitest';
import type { OpenServiceStore } from '../../src/testing/stores/accounts/keys.ts';
import { deliveryStoreContract as published } from '../../src/testing/stores/deliveries.ts';

/** Registers the suite for one implementation. */
export function deliveryStoreContract(name: string, open: OpenServiceStore): void {
  describe(name, () => {
    published(it, open);
  });
}
