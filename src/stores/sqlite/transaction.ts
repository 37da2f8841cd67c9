// A write transaction on a SQLite connection that waits for the locks of other processes without blocking the event
// loop.
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { GazetteError, isGazetteError, quote } from '../../errors.ts';
import { primaryCode, SQLITE_BUSY } from '../../files/sqlite-codes.ts';

/** Waits between attempts to begin a write, in milliseconds. They are short because writes are short. */
const RETRY_MS = 5;

/**
 * Runs `work`, which is synchronous, in one transaction.
 *
 * @param path the file, for the message
 * @param busyTimeoutMs how long to wait for other writers
 * @throws GazetteError `store_busy` when others write for longer than the time allowed.
 */
export async function writeTransaction<T>(
  db: DatabaseSync,
  work: () => T,
  { path, busyTimeoutMs }: { readonly path: string; readonly busyTimeoutMs: number },
): Promise<T> {
  const deadline = performance.now() + busyTimeoutMs;
  for (;;) {
    let cause: unknown;
    // A transaction that other code began on this connection must be neither joined nor ended.
    if (!db.isTransaction) {
      try {
        return transaction(db, work);
      } catch (error) {
        if (!isBusy(error)) throw error;
        cause = error;
      }
    }
    if (performance.now() >= deadline) throw storeBusy(path, cause);
    await sleep(RETRY_MS);
  }
}

/** The error when others hold a lock for too long. */
export function storeBusy(path: string, cause: unknown): GazetteError {
  return new GazetteError('store_busy', `the store ${quote(path)} is locked by another process`, {
    cause,
    details: { store: path },
  });
}

/** Whether SQLite said that others hold the lock. */
export function isBusy(error: unknown): boolean {
  return primaryCode(isGazetteError(error, 'store_unavailable') ? error.cause : error) === SQLITE_BUSY;
}

// Runs from begin to end without yielding: otherwise other statements on this connection would become part of it.
function transaction<T>(db: DatabaseSync, work: () => T): T {
  const statement = db.prepare('PRAGMA busy_timeout');
  // The connection may be shared, and may return rows as arrays by default.
  statement.setReturnArrays(false);
  const { timeout } = statement.get() as { readonly timeout: number | bigint };
  try {
    // SQLite's own wait would block the event loop.
    db.exec('PRAGMA busy_timeout = 0; BEGIN IMMEDIATE');
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // The transaction may not have begun, and some failures (a full disk) have already ended it.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  } finally {
    db.exec(`PRAGMA busy_timeout = ${timeout}`);
  }
}
