// The live records that a whole file lacks: found and judged before anything is written, withdrawn after everything else.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { GazetteError, quote } from '../errors.ts';
import { counted } from '../register/counted.ts';
import { throwIfAborted } from '../register/sources/source.ts';
import { BATCH_SIZE, IDS_PAGE_SIZE, type RegisterStore, type WriteOptions } from '../stores/contract/registers.ts';
import type { UnderLease } from '../stores/contract/leases.ts';
import type { HeldRegister } from '../stores/lease/hold-register.ts';
import type { ImportOptions } from './import-options.ts';
import type { Staging } from './staging.ts';

/** So many records may be absent from a file, whatever their share. */
const MOST_ABSENT = 10;

/** So much of the live records may be absent, in percent, however many they are. */
const MOST_ABSENT_PERCENT = 10;

/** Where absent records are looked for. */
export interface WholeFile {
  readonly store: RegisterStore;
  readonly feedId: string;
  /** What the file has; it keeps what the file lacks. */
  readonly staging: Staging;
  readonly options: ImportOptions;
  readonly hold: HeldRegister;
}

/**
 * Finds the live records that a file lacks, and keeps their ids in the staging area.
 *
 * @param file its name
 * @returns why they must not be withdrawn unless the caller says so; null: they may
 */
export async function findAbsent(
  { store, feedId, staging, options, hold }: WholeFile,
  file: string,
): Promise<GazetteError | null> {
  let below: number | undefined;
  let live = 0;
  for (let isEnd = false; !isEnd;) {
    throwIfAborted(options.signal);
    const range = { limit: IDS_PAGE_SIZE, ...(below === undefined ? {} : { below }) };
    const page = await hold.ask(() => store.ids(feedId, range));
    staging.lack(page.map(({ id }) => id).filter((id) => !staging.has(id)));
    live += page.length;
    options.onProgress?.({ phase: 'comparing', records: live, of: null });
    below = page.at(-1)?.position;
    isEnd = page.length < IDS_PAGE_SIZE;
  }
  const absent = staging.lacking;
  const isWithin = absent <= MOST_ABSENT || absent * 100 <= live * MOST_ABSENT_PERCENT;
  if (isWithin || options.accept?.includes('absences') === true) return null;
  return new GazetteError(
    'absences',
    `${file}: nothing was withdrawn or changed; the file lacks ${absent.toLocaleString('en-US')} of the ${counted(live, 'live record')} of register ${quote(feedId)}, ` +
      `and more than ${MOST_ABSENT} that are more than ${MOST_ABSENT_PERCENT} % are withdrawn only where --accept absences says that it is meant`,
    { details: { feed_id: feedId, absent, live } },
  );
}

/**
 * Withdraws what {@link findAbsent} has found.
 *
 * @param optionsOf gives the options of a write that is made now
 * @param count takes after each batch how many were withdrawn
 * @returns how many were
 */
export async function withdrawAbsent(
  { store, feedId, staging, options, hold }: WholeFile,
  optionsOf: (under: UnderLease) => WriteOptions,
  count: (withdrawn: number) => void,
): Promise<number> {
  let withdrawn = 0;
  for (const ids of staging.lacked(BATCH_SIZE)) {
    throwIfAborted(options.signal);
    const result = await hold.write((under) => store.withdraw(feedId, ids, optionsOf(under)));
    withdrawn += result.withdrawn;
    count(withdrawn);
    options.onProgress?.({ phase: 'withdrawing', records: withdrawn, of: staging.lacking });
    await nextTurn();
  }
  return withdrawn;
}
