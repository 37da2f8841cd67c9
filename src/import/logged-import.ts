// The entry of an import in its register's log: made when it begins, completed when it ends, however it ends.
import { createHmac, randomBytes } from 'node:crypto';
import { isGazetteError } from '../errors.ts';
import type { ImportCounts } from '../stores/contract/imports.ts';
import type { RegisterStore } from '../stores/contract/registers.ts';
import type { HeldRegister } from '../stores/lease/hold-register.ts';
import type { ImportOptions } from './import-options.ts';

/** The length of a store's key, in bytes. */
const KEY_LENGTH = 32;

/** The counts of an import that has done nothing yet. */
export const NO_COUNTS: ImportCounts = {
  ...{ added: 0, changed: 0, unchanged: 0, restored: 0, redacted: 0 },
  ...{ withdrawn: 0, refused: 0 },
};

/**
 * Runs an import and logs it.
 *
 * @param hold the register
 * @param file the name of the file
 * @param work imports, and reports its counts after every batch: what was committed before a failure is logged too
 */
export async function loggedImport<T extends ImportCounts>(
  { imports }: RegisterStore,
  feedId: string,
  hold: HeldRegister,
  file: string,
  { origin, cause = 'source_change', now = Date.now }: ImportOptions,
  work: (count: (counts: ImportCounts) => void) => Promise<T>,
): Promise<T> {
  const time = (): string => new Date(now()).toISOString();
  const begun = { file, cause, who: origin?.who ?? null, begunAt: time() };
  const key = randomBytes(KEY_LENGTH);
  const { number, key: kept } = await hold.write((under) => imports.begin(feedId, begun, { key, ...under }));
  const digest = createHmac('sha256', kept);
  origin?.watch?.((bytes) => {
    digest.update(bytes);
  });
  let counts = NO_COUNTS;
  try {
    const result = await work((latest) => {
      counts = latest;
    });
    const known = origin?.watch === undefined ? null : digest.digest();
    await hold.ask(() => imports.end(number, { counts: result, endedAt: time(), error: null, digest: known }));
    return result;
  } catch (error) {
    const code = isGazetteError(error) ? error.code : 'internal_error';
    // The import's own error is the one to report. An entry without an end is `interrupted` when the next one begins.
    await imports.end(number, { counts, endedAt: time(), error: code, digest: null }).catch(() => undefined);
    throw error;
  }
}
