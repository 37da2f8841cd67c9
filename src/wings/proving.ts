// The wings that prove copies: one at most.
import type { ProvingWing } from '../mirror/prover.ts';
import { proveCopies } from './proofs/mirror/copy.ts';
import { proveChanges } from './proofs/mirror/lacked-changes.ts';

export const PROVING: readonly ProvingWing[] = [{ copies: proveCopies, changes: proveChanges }];
