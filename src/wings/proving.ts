// The wings that prove copies: one at most.
import type { ProvingWing } from '../mirror/prover.ts';
import { proveCopies } from './proofs/mirror/copy.ts';

export const PROVING: readonly ProvingWing[] = [proveCopies];
