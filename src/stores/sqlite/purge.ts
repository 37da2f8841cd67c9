// Removes all traces of erased content from a SQLite file. secure_delete overwrites deleted rows, but not the copies
// that b-tree pages keep of rows they once moved, nor those in the write-ahead log. Therefore the file is rebuilt and
// the log truncated.
import { GazetteError, quote } from '../../errors.ts';
import { isBusy } from './transaction.ts';
import { runInThread } from './thread.ts';

/**
 * Rebuilds the file at `path`, so that neither it nor its log contains deleted content.
 *
 * @param busyTimeoutMs how long to wait for other processes, in milliseconds.
 * @throws GazetteError `store_busy` when a reader or writer did not finish in time: deleted content cannot be queried,
 *   but may still be in the file until a purge succeeds.
 */
export async function purge(path: string, busyTimeoutMs: number): Promise<void> {
  const busy = (cause?: unknown): GazetteError =>
    new GazetteError(
      'store_busy',
      `the store ${quote(path)} was in use all the time: what was erased may still be in its file; redact the record again`,
      { cause, details: { store: path } },
    );
  let checkpoint: Readonly<Record<string, unknown>> | undefined;
  try {
    checkpoint = await runInThread(path, { busyTimeoutMs }, [
      ['PRAGMA secure_delete = ON'],
      ['VACUUM'],
      ['PRAGMA wal_checkpoint(TRUNCATE)'],
    ]);
  } catch (error) {
    throw isBusy(error) ? busy(error) : error;
  }
  if (checkpoint?.busy !== 0) throw busy();
}
