// What becomes of each record of a file, known before anything is written: once everything is staged, the store is asked
// for all of them, under the import's lease.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Field } from '../register/record.ts';
import { throwIfAborted } from '../register/sources/source.ts';
import { BATCH_SIZE, type BatchResult } from '../stores/contract/registers.ts';
import type { WholeFile } from './absences.ts';

/** What an import would do. */
export interface Foreseen {
  /** How many records would come to what. */
  readonly counts: BatchResult;
  /** How many records would change each field, by its name as `changed` of a version has it. */
  readonly changedFields: ReadonlyMap<string, number>;
}

/**
 * Asks what becomes of each staged record, and keeps the answers in the staging area.
 *
 * @param isEmpty whether the register never had a record: then all are new, and nobody has to be asked
 * @param fields those that the definition will have
 */
export async function compareStaged(
  { store, feedId, staging, options, hold }: WholeFile,
  isEmpty: boolean,
  fields: readonly Field[],
): Promise<Foreseen> {
  const counts = { added: 0, changed: 0, unchanged: 0, restored: 0, redacted: 0 };
  const changedFields = new Map<string, number>();
  if (isEmpty) return { counts: { ...counts, added: staging.count }, changedFields };
  let compared = 0;
  await staging.decide(BATCH_SIZE, async (records) => {
    throwIfAborted(options.signal);
    const comparisons = await hold.ask(() => store.compare(feedId, records, fields));
    for (const { outcome, changed } of comparisons) {
      counts[outcome]++;
      if (outcome !== 'changed') continue;
      for (const name of changed) changedFields.set(name, (changedFields.get(name) ?? 0) + 1);
    }
    compared += records.length;
    options.onProgress?.({ phase: 'comparing', records: compared, of: staging.count });
    // An embedded store answers without waiting: here other tasks of this process, and Ctrl-C, get their turn.
    await nextTurn();
    return comparisons.map(({ outcome }) => outcome);
  });
  return { counts, changedFields };
}
