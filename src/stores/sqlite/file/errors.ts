// What the errors of SQLite mean for a store: which ones pass, and which ones say that its file is not a store.
import { type ErrorCode, GazetteError, quote } from '../../../errors.ts';
import {
  primaryCode,
  SQLITE_AWAY,
  SQLITE_DAMAGED,
  SQLITE_NOTADB,
  SQLITE_UNUSABLE,
  SQLITE_UNWRITABLE,
} from '../../../files/sqlite-codes.ts';
import { isBusy, storeBusy } from '../transaction.ts';

/**
 * What an error of SQLite says of an open store: `store_unavailable` for one that will pass ({@link SQLITE_AWAY}), with
 * `details.isUnwritable` where it can be read meanwhile; `output_failed` where nothing can be written; `invalid_store` for a
 * damaged file. `details.database` has SQLite's own words. Others, which are faults of a statement, unchanged.
 */
export function storeError(path: string, error: unknown): unknown {
  const code = primaryCode(error);
  const isUnwritable = SQLITE_UNWRITABLE.has(code);
  const reason = error instanceof Error ? error.message : String(error);
  const told = (errorCode: ErrorCode, what: string): GazetteError =>
    new GazetteError(errorCode, `the store ${quote(path)} ${what}: ${reason}`, {
      cause: error,
      details: { store: path, database: reason, ...(isUnwritable ? { isUnwritable } : {}) },
    });
  if (SQLITE_AWAY.has(code)) return told('store_unavailable', 'cannot be used now');
  if (isUnwritable) return told('output_failed', 'cannot be written');
  return SQLITE_DAMAGED.has(code) ? told('invalid_store', 'is damaged') : error;
}

/** An error of opening a file, as one that says what is wrong with it; errors that are not SQLite's unchanged. */
export function openingError(path: string, error: unknown): unknown {
  if (isBusy(error)) return storeBusy(path, error);
  const code = primaryCode(error);
  if (SQLITE_UNUSABLE.has(code) || SQLITE_UNWRITABLE.has(code)) return cannotBeOpened(path, error);
  if (code !== SQLITE_NOTADB) return code === 0 ? error : damaged(path, error);
  return new GazetteError('invalid_store', `${quote(path)} is not a SQLite file`, {
    cause: error,
    details: { store: path },
  });
}

/** The error for a file that has left its path. */
export function fileGone(path: string): GazetteError {
  return new GazetteError(
    'invalid_store',
    `the store ${quote(path)} was removed, or another file put in its place, while it was open: what was written last is not in it`,
    { details: { store: path } },
  );
}

/** The error for a write to a store that can only be read. */
export function onlyRead(path: string): GazetteError {
  return new GazetteError(
    'output_failed',
    `the store ${quote(path)} can only be read: its file or folder cannot be written`,
    {
      details: { store: path },
    },
  );
}

/** The error for a file whose content is not that of a store, although it says so. */
export function damaged(path: string, cause: unknown): GazetteError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new GazetteError('invalid_store', `the store ${quote(path)} is damaged: ${reason}`, {
    cause,
    details: { store: path },
  });
}

function cannotBeOpened(path: string, cause: unknown): GazetteError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new GazetteError('invalid_store', `the store ${quote(path)} cannot be opened: ${reason}`, {
    cause,
    details: { store: path },
  });
}
