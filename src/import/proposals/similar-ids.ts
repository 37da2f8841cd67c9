// New records whose ids differ from those of known ones in case, spaces or Unicode form alone: most likely the same records, which
// the publisher writes otherwise now.
import { recordKey } from '../../register/identity.ts';
import { liveIds, type WholeFile } from './absences.ts';

/** Of so many new records at most the keys are kept in memory. */
export const MOST_KEYS = 100_000;

/** So many known ids are looked at for every record of the file, and in any case as many as {@link MOST_KEYS}. */
const KNOWN_PER_RECORD = 100;

/** A key of a new record, and the key of a known one that is like it. */
export type SimilarKeys = readonly [added: string, known: string];

/** The key in an id, and before it the same without case, spaces and Unicode form. */
export function foldedKey(id: string): readonly [folded: string, key: string] {
  return folding(recordKey(id));
}

function folding(key: string): readonly [folded: string, key: string] {
  return [key.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ''), key];
}

/**
 * The new keys that are like known ones.
 *
 * @param added new keys by their folded ones
 * @param live the number of live records: where they are very many beside those of the file, they are not looked at
 */
export async function findSimilar(
  whole: WholeFile,
  added: ReadonlyMap<string, string>,
  live: number,
): Promise<readonly SimilarKeys[]> {
  const similar: SimilarKeys[] = [];
  if (added.size === 0 || live > Math.max(MOST_KEYS, whole.staging.count * KNOWN_PER_RECORD)) return similar;
  for await (const ids of liveIds(whole)) {
    for (const { id, key: own } of ids) {
      const [folded, known] = own === null ? foldedKey(id) : folding(own);
      const key = added.get(folded);
      if (key !== undefined) similar.push([key, known]);
    }
  }
  return similar;
}
