// The wings that prove copies: one at most.
import type { ProvingWing } from '../mirror/prover.ts';
import { PROVED_BY_LOGS } from './proofs/mirror/lacked-changes.ts';

export const PROVING: readonly ProvingWing[] = [PROVED_BY_LOGS];
