// What signs registers, for tests that want them signed and are of something else.
import type { ServiceStore } from '../../src/stores/contract/accounts.ts';
import { sign } from './proofs/signing.ts';

type Sign = (store: Pick<ServiceStore, 'part'>, feedId: string) => Promise<void>;

const SIGNS: readonly Sign[] = [sign];

/** Signs a register, as it is. */
export const signAll: Sign = async (store, feedId) => {
  for (const one of SIGNS) await one(store, feedId);
};
