// An import that runs while no other process works on its register, and how it commits what it staged, batch by batch.
import type { Order } from '../register/sources/order.ts';
import { type ImportCounts, NO_COUNTS } from '../stores/contract/imports/counts.ts';
import type { ProposedRecord, ProposedSettings } from '../stores/contract/imports/proposals.ts';
import type { PreparedRecord } from '../stores/contract/prepared-record.ts';
import { BATCH_SIZE, type RegisterStore } from '../stores/contract/registers.ts';
import { writeProposed } from '../stores/lease/carry-out.ts';
import type { HeldRegister } from '../stores/lease/held-register.ts';
import type { ImportOptions } from './import-options.ts';
import type { RecordReader } from './readers/raw-record.ts';
import type { Staging } from './staging.ts';

/** An import while no other process works on the register. */
export interface HeldImport {
  readonly store: RegisterStore;
  readonly feedId: string;
  readonly reader: RecordReader;
  readonly options: ImportOptions;
  readonly hold: HeldRegister;
  /** Null in a dry run. */
  readonly number: number | null;
  /** Takes the counts after every batch. */
  readonly count: (counts: ImportCounts) => void;
  /** HMAC of the file's bytes, all of which were read, as the log of imports keeps it; null: it is not known. */
  readonly digest: () => Uint8Array | null;
}

/** The time of that clock, RFC 3339. */
export function timeOf(now: () => number = Date.now): string {
  return new Date(now()).toISOString();
}

/** The staged records as they are written: first what is remembered of those set by hand, last those that the file lacks. */
export function* proposedIn(
  staging: Staging,
  order: Order,
  settle: ((record: PreparedRecord) => PreparedRecord) | null,
): Generator<readonly ProposedRecord[], void, undefined> {
  for (const batch of staging.proposed(order, BATCH_SIZE)) {
    yield settle === null
      ? batch
      : batch.map((one) =>
          one.record === null || one.byHand === 'kept' ? one : { ...one, record: settle(one.record) },
        );
  }
}

/** What is committed. */
interface Commitment {
  readonly settings: ProposedSettings;
  readonly records: Iterable<readonly ProposedRecord[]>;
  /** What the import is expected to do. */
  readonly foreseen: ImportCounts;
}

/** Commits what is staged. @returns what became of it */
export async function commit(
  { store, feedId, options, hold, count, number, staging }: HeldImport & { number: number; staging: Staging },
  { settings, records, foreseen }: Commitment,
): Promise<ImportCounts> {
  const { now = Date.now, signal, onProgress } = options;
  const { unchanged, redacted, refused } = foreseen;
  const of = staging.count - unchanged - redacted;
  let total: ImportCounts = { ...NO_COUNTS, unchanged, redacted, refused };
  let committed = 0;
  count(total);
  await writeProposed(
    store,
    hold,
    { feedId, number, settings, records },
    {
      now,
      signal,
      onWritten: (written, isWithdrawal) => {
        total = {
          refused,
          added: total.added + written.added,
          changed: total.changed + written.changed,
          unchanged: total.unchanged + written.unchanged,
          restored: total.restored + written.restored,
          redacted: total.redacted + written.redacted,
          withdrawn: total.withdrawn + written.withdrawn,
        };
        count(total);
        if (isWithdrawal) {
          onProgress?.({ phase: 'withdrawing', records: total.withdrawn, of: staging.lacking });
        } else {
          committed += written.added + written.changed + written.unchanged + written.restored + written.redacted;
          onProgress?.({ phase: 'committing', records: committed, of });
        }
      },
    },
  );
  return total;
}
