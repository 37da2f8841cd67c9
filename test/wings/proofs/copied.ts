// The records that a proved copy makes of the versions of a register.
import type { RecordVersion } from '../../../src/register/record.ts';
import { ProvedRecords } from '../../../src/wings/proofs/mirror/record.ts';

export function copiedRecords(versions: readonly RecordVersion[]): readonly (object | null)[] {
  const proved = new ProvedRecords([]);
  return versions.map((version) => proved.after({ ...version, statement: version.statement!, isErased: false }));
}
