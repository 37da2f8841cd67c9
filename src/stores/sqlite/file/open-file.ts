// Opens a SQLite file in the best way that its permissions allow: for reading and writing, only for reading, or as a
// file that nothing changes, where not even SQLite's own files can be made beside it.
import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { primaryCode, SQLITE_CANTOPEN, SQLITE_READONLY } from '../../../files/sqlite-codes.ts';

/** Only the owner reads and writes what contains records and keys' digests. */
export const PRIVATE_MODE = 0o600;

/** An open file. */
export interface OpenedFile {
  readonly db: DatabaseSync;
  /** Whether nothing can be written through it. */
  readonly isReadOnly: boolean;
  /** The path or URL by which other threads open the file; null for a database in memory. */
  readonly location: string | null;
}

/**
 * Opens or creates the file. A new one is readable and writable only by its owner, as are the files that SQLite puts
 * beside it.
 *
 * @param readOnly whether a missing file is an error
 * @param prepare makes an opened file ready for use. It is called for each way of opening until one works.
 * @throws the errors of node:sqlite and of `prepare`
 */
export function openFile(path: string, readOnly: boolean, prepare: (opened: OpenedFile) => void): OpenedFile {
  if (!readOnly) makePrivate(path);
  let failure: unknown;
  for (const open of waysOf(path, readOnly)) {
    let opened: OpenedFile | null = null;
    try {
      opened = open();
      prepare(opened);
      return opened;
    } catch (error) {
      opened?.db.close();
      failure ??= error;
      if (!CANNOT_WRITE_BESIDE.has(primaryCode(error))) throw error;
    }
  }
  throw failure;
}

/** What SQLite says where it cannot make its files `-wal` and `-shm`. */
const CANNOT_WRITE_BESIDE: ReadonlySet<number> = new Set([SQLITE_CANTOPEN, SQLITE_READONLY]);

/** The ways to open a file, the most capable first. */
function waysOf(path: string, readOnly: boolean): (() => OpenedFile)[] {
  const way = (target: string, isReadOnly: boolean) => (): OpenedFile => {
    const db = new DatabaseSync(target, { readOnly: isReadOnly });
    return { db, isReadOnly, location: target === path ? db.location() : target };
  };
  if (!isFile(path)) return [way(path, readOnly)];
  const ways = isWritable(path) ? [way(path, false), way(path, true)] : [way(path, true)];
  // SQLite's own files beside it cannot be made, or contain commits that cannot be read without them.
  return hasCommits(`${path}-wal`) ? ways : [...ways, way(immutable(path), true)];
}

/** SQLite then locks nothing and makes no files, which is right as long as nobody changes the file. */
function immutable(path: string): string {
  const url = pathToFileURL(resolve(path));
  url.search = '?immutable=1';
  return url.href;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function hasCommits(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Creates a missing file before SQLite does, which would let everybody read it. */
function makePrivate(path: string): void {
  if (path === '' || path === ':memory:' || path.startsWith('file:') || existsSync(path)) return;
  try {
    closeSync(openSync(path, 'a', PRIVATE_MODE));
  } catch {
    // SQLite reports the reason.
  }
}
