// Copies a whole store into a file, while others read and write it.
import { writeFile } from 'node:fs/promises';
import type { SqliteConnection } from '../connection.ts';
import { runInThread } from '../thread.ts';
import { markCopy } from './copy.ts';
import { PRIVATE_MODE } from './open-file.ts';

/** @param path of a file that does not exist yet; only its owner can read it */
export async function copyStore(connection: SqliteConnection, path: string): Promise<void> {
  const { file, busyTimeoutMs, isReadOnly } = connection;
  // SQLite fills an empty file too, but would let everybody read one that it makes itself.
  await writeFile(path, '', { flag: 'wx', mode: PRIVATE_MODE });
  // Only this connection can see a store in memory. A file is copied by a thread, so that nothing waits for it.
  if (file === null) connection.prepare('VACUUM INTO ?').run(path);
  else await runInThread(file, { busyTimeoutMs, isReadOnly }, [['VACUUM INTO ?', path]]);
  markCopy(path);
}
