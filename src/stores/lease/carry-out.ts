// Writes into a register what an import says, batch by batch: at once, or once it was approved. Whoever works on a register next
// finishes what a process left that ended before.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ErrorCode, isGazetteError } from '../../errors.ts';
import { statementNames } from '../../register/declared-values.ts';
import type { Field } from '../../register/record.ts';
import { throwIfAborted } from '../../register/sources/source.ts';
import { type ImportCounts, NO_COUNTS } from '../contract/imports/counts.ts';
import type { UnderLease } from '../contract/leases.ts';
import type { ProposedRecord, StoredProposal } from '../contract/imports/proposals.ts';
import type { RegisterStore, WriteOptions } from '../contract/registers.ts';
import type { HeldRegister } from './held-register.ts';

/** How it is carried out. */
export interface CarryOutOptions {
  readonly now?: () => number;
  readonly signal?: AbortSignal | undefined;
  /** Called after every batch with the number of records that are done. */
  readonly onProgress?: (records: number) => void;
}

/** The errors after which it is finished later. */
const PASSING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['aborted', 'import_superseded', 'store_busy', 'store_unavailable'] as const),
]);

/** Carries out an approved proposal: all of it, or as much as others have not. @returns what it did */
export async function carryOut(
  store: RegisterStore,
  hold: HeldRegister,
  { feedId, number }: Pick<StoredProposal, 'feedId' | 'number'>,
  options: CarryOutOptions = {},
): Promise<ImportCounts> {
  const { now = Date.now, onProgress } = options;
  const proposal = await hold.ask(() => store.imports.proposals.find(feedId, number));
  const { counts, fileDigest } = proposal;
  const end = async (error: string | null): Promise<void> => {
    const endedAt = new Date(now()).toISOString();
    await hold.ask(() =>
      store.imports.end(number, { counts, endedAt, error, digest: error === null ? fileDigest : null }),
    );
  };
  try {
    let done = 0;
    await writeProposed(
      store,
      hold,
      { ...proposal, records: recordsOf(store, hold, number) },
      {
        ...options,
        onWritten: (written) => {
          done += Object.values<number>({ ...written }).reduce((sum, count) => sum + count, 0);
          onProgress?.(done);
        },
      },
    );
  } catch (error) {
    // What cannot be done must not be in the way for ever. Whole batches stay.
    if (isGazetteError(error) && !PASSING.has(error.code)) await end(error.code);
    throw error;
  }
  await end(null);
  await store.imports.proposals.tidy(new Date(now()).toISOString());
  return counts;
}

/** What is written into a register: what an import says besides records, and the records, each batch of one kind. */
interface Writing extends Pick<StoredProposal, 'feedId' | 'number' | 'settings'> {
  readonly records: Iterable<readonly ProposedRecord[]> | AsyncIterable<readonly ProposedRecord[]>;
}

/** How it is written. */
interface WritingOptions extends Omit<CarryOutOptions, 'onProgress'> {
  /** Called after every batch that changes records, with what became of them, and whether they were withdrawn. */
  readonly onWritten?: (counts: Omit<ImportCounts, 'refused'>, isWithdrawal: boolean) => void;
}

/** Writes it, batch by batch. What is written already stays as it is. */
export async function writeProposed(
  store: RegisterStore,
  hold: HeldRegister,
  { feedId, number, settings, records }: Writing,
  { now = Date.now, signal, onWritten }: WritingOptions,
): Promise<void> {
  const { cause, sets, fields, indifferent, keepsHand } = settings;
  const how = { cause, ignored: new Set(indifferent) };
  const optionsOf = (under: UnderLease): WriteOptions => {
    return { ...under, recordedAt: new Date(now()).toISOString(), import: number };
  };
  const set = async (): Promise<void> => {
    if (Object.keys(sets).length === 0) return;
    await hold.write((under) => store.imports.proposals.set(feedId, number, sets, optionsOf(under)));
  };
  // Fields that go are needed until the records are others.
  const isLess = sets.fields !== undefined && shown(sets.fields) < shown(fields);
  if (!isLess) await set();
  for await (const batch of records) {
    throwIfAborted(signal);
    const stays = ({ byHand }: ProposedRecord): boolean =>
      byHand === 'kept' || (byHand === 'asked' && keepsHand === true);
    const says = batch.filter(stays);
    if (says.length > 0) await hold.write((under) => store.imports.byHand.keep(feedId, says, under));
    const others = batch.filter((one) => !stays(one));
    const [first] = others;
    if (first?.record === null) {
      const ids = others.map(({ id }) => id);
      const { withdrawn } = await hold.write((under) => store.withdraw(feedId, ids, optionsOf(under)));
      onWritten?.({ ...NO_COUNTS, withdrawn }, true);
    } else if (first !== undefined) {
      const stated = others.map(({ record }) => record!);
      const result = await hold.write((under) => store.apply(feedId, stated, { ...optionsOf(under), ...how }));
      onWritten?.({ ...result, withdrawn: 0 }, false);
    }
    // An embedded store answers without waiting: here other tasks of this process, and Ctrl-C, get their turn.
    await nextTurn();
  }
  if (isLess) await set();
}

/** How many names there are under which values of records are shown. */
function shown(fields: readonly Field[]): number {
  return fields.flatMap(statementNames).length;
}

/** The records that were kept of a proposal. */
async function* recordsOf(
  store: RegisterStore,
  hold: HeldRegister,
  number: number,
): AsyncGenerator<readonly ProposedRecord[], void, undefined> {
  for (let batch = 1; ; batch++) {
    const records = await hold.ask(() => store.imports.proposals.records(number, batch));
    if (records.length === 0) return;
    yield records;
  }
}
