// The entry of an import in its register's log: made when it begins, completed when it ends, however it ends.
import { createHmac, randomBytes } from 'node:crypto';
import { isGazetteError } from '../errors.ts';
import { type ImportCounts, NO_COUNTS } from '../stores/contract/imports/counts.ts';
import type { NewImport } from '../stores/contract/imports/log.ts';
import type { NewProposal } from '../stores/contract/imports/proposals.ts';
import type { RegisterStore } from '../stores/contract/registers.ts';
import type { HeldRegister } from '../stores/lease/held-register.ts';
import type { ImportOptions } from './import-options.ts';

/** The length of a store's key, in bytes. */
const KEY_LENGTH = 32;

/** An import in the log. */
export interface LoggedImport extends Pick<ImportOptions, 'now'> {
  readonly store: RegisterStore;
  readonly feedId: string;
  readonly hold: HeldRegister;
  readonly what: Omit<NewImport, 'begunAt'>;
  readonly watch?: NonNullable<ImportOptions['origin']>['watch'];
}

/** What an import comes to. */
export interface Outcome<T> {
  /** @param number of the import, or of the proposal that waits and says the same; null in a dry run */
  readonly result: (number: number | null) => T;
  /** What it proposes, its records being kept; null where it is done. */
  readonly proposal: Omit<NewProposal, 'fileDigest'> | null;
  /** What is kept of what it says of itself, where it is done. Default: nothing. */
  readonly report?: string | null;
}

/**
 * Runs an import and logs it.
 *
 * @param work imports, and reports its counts after every batch: what was committed before a failure is logged too. It may ask for
 *   the digest of the file's bytes when it has read them all
 */
export async function loggedImport<T extends ImportCounts>(
  { store, feedId, hold, what, watch, now = Date.now }: LoggedImport,
  work: (number: number, count: (counts: ImportCounts) => void, digest: () => Uint8Array | null) => Promise<Outcome<T>>,
): Promise<T> {
  const { imports } = store;
  const { proposals } = imports;
  const time = (): string => new Date(now()).toISOString();
  const begun = { ...what, begunAt: time() };
  const key = randomBytes(KEY_LENGTH);
  const { number, key: kept } = await hold.write((under) => imports.begin(feedId, begun, { key, ...under }));
  const digest = createHmac('sha256', kept);
  watch?.((bytes) => {
    digest.update(bytes);
  });
  let known: Uint8Array | null = null;
  const digestOf = (): Uint8Array | null => (watch === undefined ? null : (known ??= digest.digest()));
  let counts = NO_COUNTS;
  const count = (latest: ImportCounts): void => {
    counts = latest;
  };
  try {
    const { result, proposal, report = null } = await work(number, count, digestOf);
    const fileDigest = digestOf();
    if (proposal !== null) {
      return result(await hold.write((under) => proposals.propose(number, { ...proposal, fileDigest }, under)));
    }
    const done = result(number);
    const end = { counts: done, endedAt: time(), error: null, digest: fileDigest, report };
    await hold.ask(() => imports.end(number, end));
    return done;
  } catch (error) {
    const code = isGazetteError(error) ? error.code : 'internal_error';
    // The import's own error is the one to report. An entry without an end is `interrupted` when the next one begins.
    await imports.end(number, { counts, endedAt: time(), error: code, digest: null }).catch(() => undefined);
    throw error;
  }
}
