// SQLite's result codes (https://sqlite.org/rescode.html) that gazette answers to, for its locks and its stores.

/** Others hold the lock. */
export const SQLITE_BUSY = 5;

/** The file, or its folder, cannot be written. */
export const SQLITE_READONLY = 8;

/** The file, or one that SQLite needs beside it, cannot be opened. */
export const SQLITE_CANTOPEN = 14;

/** The file is not a database. */
export const SQLITE_NOTADB = 26;

/** What keeps a file from being written: READONLY, IOERR, FULL. */
export const SQLITE_UNWRITABLE: ReadonlySet<number> = new Set([8, 10, 13]);

/** What keeps a file from being used at all: PERM, CORRUPT, CANTOPEN. */
export const SQLITE_UNUSABLE: ReadonlySet<number> = new Set([3, 11, 14]);

/** What says that a file is damaged: CORRUPT, NOTADB. */
export const SQLITE_DAMAGED: ReadonlySet<number> = new Set([11, 26]);

/**
 * What keeps a store from answering for a while: BUSY, LOCKED, NOMEM, IOERR, FULL, CANTOPEN, PROTOCOL (a lock that
 * others hold). A damaged file (CORRUPT, NOTADB) is not among them: waiting does not repair it.
 */
export const SQLITE_AWAY: ReadonlySet<number> = new Set([5, 6, 7, 10, 13, 14, 15]);

/** SQLite's result code of an error; 0 for others. Extended codes contain the primary one in their low byte. */
export function primaryCode(error: unknown): number {
  return ((error as { readonly errcode?: number } | null)?.errcode ?? 0) & 0xff;
}
