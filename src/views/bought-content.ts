// What a buyer sees of a record whose source may have changed it since it was paid for.
import type { RecordVersion } from '../register/record.ts';
import type { RegisterViews } from './registers.ts';

/** How many versions are read at once. */
export const HISTORY_PAGE = 100;

/** Whether a version belongs to the content version before it: who bought that one sees it too. */
export function isOfSameContent({ cause, changed }: Pick<RecordVersion, 'cause' | 'changed'>): boolean {
  return cause === 'withdrawn' || isFree({ cause }) || (cause === 'restored' && changed.length === 0);
}

/** Whether a version is shown to who bought the one before it, in its place. */
export function isFree({ cause }: Pick<RecordVersion, 'cause'>): boolean {
  return cause === 'extraction_correction' || cause === 'renumbered';
}

/**
 * Whether somebody bought what a version says.
 *
 * @param owned the content versions that they own
 * @param version its number
 * @param newest the number of the record's newest version, or of an older one that is not below this
 */
export async function isBoughtIn(
  registers: Pick<RegisterViews, 'history'>,
  recordId: string,
  owned: readonly number[],
  { version, newest }: { readonly version: number; readonly newest: number },
): Promise<boolean> {
  const bought = Math.max(...owned.filter((content) => content <= version));
  if (!Number.isFinite(bought)) return false;
  // Newer ones that come meanwhile move the others down, so that some come twice.
  for (let [offset, above] = [newest - version, version]; above > bought;) {
    const page = await registers.history(recordId, { offset, limit: HISTORY_PAGE });
    const own = page.filter((one) => one.version > bought && one.version <= version);
    if (page.length === 0 || !own.every(isOfSameContent)) return false;
    above = page.at(-1)!.version - 1;
    offset += page.length;
  }
  return true;
}
