// What logs prove of copies and of mirrors.
import type { ProvingWing } from '../../../mirror/prover.ts';
import { proveCopies } from './copy.ts';
import { proveChanges } from './lacked-changes.ts';

export const PROVED_BY_LOGS: ProvingWing = { copies: proveCopies, changes: proveChanges };
