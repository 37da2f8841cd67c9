// The records that wings make of the versions of a register that they copy.
import type { RecordVersion } from '../../src/register/record.ts';
import { copiedRecords } from './proofs/copied.ts';

/** What a wing makes of versions, their statements among them, oldest first. */
type Copied = (versions: readonly RecordVersion[]) => readonly (object | null)[];

export const COPIED: readonly Copied[] = [copiedRecords];
