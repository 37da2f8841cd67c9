// The wings that add files to snapshots: one at most.
import type { SnapshotWing } from '../snapshot/wing.ts';
import { SIGNED_FILES } from './proofs/snapshot/signed-files.ts';

export const SNAPSHOTS: readonly SnapshotWing[] = [SIGNED_FILES];
