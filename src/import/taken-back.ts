// Which imports took another back, and how much of it is left.
import type { ImportEntry } from '../stores/contract/imports/log.ts';

/** The imports that took another back and stand, and whether nothing of it is left to be taken back. */
export interface TakenBack {
  readonly by: readonly number[];
  readonly isWhole: boolean;
}

/** What took an import back, and was not taken back itself. */
export function takenBackIn(imports: readonly ImportEntry[], { number, kind, counts }: ImportEntry): TakenBack {
  const undos = imports.filter(
    (one) => one.undoes === number && one.state === 'completed' && !takenBackIn(imports, one).isWhole,
  );
  const done = undos.reduce((sum, one) => sum + writtenBy(one.counts), 0);
  const isWhole = undos.length > 0 && done >= writtenBy(counts) && (done > 0 || kind === 'settings');
  return { by: undos.map((one) => one.number), isWhole };
}

/** How many records an import wrote. */
export function writtenBy({ added, changed, restored, withdrawn }: ImportEntry['counts']): number {
  return added + changed + restored + withdrawn;
}
