// What becomes of each record of a file, known before anything is written: once everything is staged, the store is asked
// for all of them, under the import's lease.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { throwIfAborted } from '../../register/sources/source.ts';
import type { CompareOptions, PreparedRecord } from '../../stores/contract/prepared-record.ts';
import { BATCH_SIZE, type BatchResult, type RegisterEntry } from '../../stores/contract/registers.ts';
import { statedIn } from '../../stores/rows/prepare.ts';
import type { WholeFile } from './absences.ts';
import type { Outcome } from '../fates.ts';
import type { HandReport } from './by-hand.ts';
import type { FileValues } from './file-values.ts';
import { EXAMPLES, FieldReports, type RecordExample } from './report.ts';
import { foldedKey, MOST_KEYS } from './similar-ids.ts';

/** What an import would do. */
export interface Foreseen {
  /** How many records would come to what. */
  readonly counts: BatchResult;
  readonly fields: FieldReports;
  readonly hand: HandReport;
  /** The keys of new records, the first of them, by what {@link foldedKey} makes of them; none where all records are new. */
  readonly addedKeys: ReadonlyMap<string, string>;
  /** As in {@link ImportReport.added}; none where all records are new. */
  readonly added: readonly RecordExample[];
  /** The positions of records that stay as they are, as in {@link NewProposal.unchanged}. */
  readonly unchanged: Uint8Array;
}

/** A record as an example. */
export function exampleOf(record: PreparedRecord): RecordExample {
  return { record_id: record.id, title: statedIn(record).title };
}

/**
 * Asks what becomes of each staged record, and keeps the answers in the staging area.
 *
 * @param top the register's last position. 0: all records are new, and nobody has to be asked
 * @param about what people did by hand, and what was seen in the file's records, of which those are forgotten that are not written
 */
export async function compareStaged(
  { store, feedId, staging, options, hold }: WholeFile,
  { top }: Pick<RegisterEntry, 'top'>,
  how: Required<Omit<CompareOptions, 'byHand'>>,
  about: { readonly hand: HandReport; readonly values: FileValues },
): Promise<Foreseen> {
  const { hand, values } = about;
  const counts = { added: 0, changed: 0, unchanged: 0, restored: 0, redacted: 0 };
  const fields = new FieldReports(how.fields);
  const unchanged = new Uint8Array((top >> 3) + 1);
  const addedKeys = new Map<string, string>();
  const added: RecordExample[] = [];
  if (top === 0) return { counts: { ...counts, added: staging.count }, fields, hand, added, addedKeys, unchanged };
  let compared = 0;
  await staging.decide(BATCH_SIZE, async (records) => {
    throwIfAborted(options.signal);
    const comparisons = await hold.ask(() => store.compare(feedId, records, { ...how, byHand: hand.numbers }));
    const outcomes = comparisons.map(({ outcome, changed, position, before, byHand }, at): Outcome => {
      const decided = hand.decide(records[at]!.id, byHand);
      const counted = decided === 'kept' ? 'unchanged' : outcome;
      counts[counted]++;
      if (outcome === 'added' && addedKeys.size < MOST_KEYS) addedKeys.set(...foldedKey(records[at]!.id));
      if (counted === 'unchanged' || outcome === 'redacted') values.forget(records[at]!.id);
      if (counted === 'unchanged') unchanged[position! >> 3]! |= 1 << (position! & 7);
      const differences = counted === 'changed' ? fields.add(before!, statedIn(records[at]!), changed) : [];
      if (decided === 'asked') hand.ask(records[at]!.id, outcome === 'restored' ? outcome : 'changed', differences);
      if (added.length < EXAMPLES && (counted === 'added' || counted === 'restored'))
        added.push(exampleOf(records[at]!));
      return decided ?? outcome;
    });
    compared += records.length;
    options.onProgress?.({ phase: 'comparing', records: compared, of: staging.count });
    // An embedded store answers without waiting: here other tasks of this process, and Ctrl-C, get their turn.
    await nextTurn();
    return outcomes;
  });
  return { counts, fields, hand, added, addedKeys, unchanged };
}
