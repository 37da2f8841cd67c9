// The wings that sign registers, for those who ask for nothing else of a wing: one at most.
import type { ServiceStore } from '../stores/contract/accounts.ts';
import type { SignedStates } from '../views/signed.ts';
import { signedStates } from './proofs/operate/signed-states.ts';

export const SIGNED: readonly ((store: ServiceStore) => SignedStates)[] = [signedStates];
