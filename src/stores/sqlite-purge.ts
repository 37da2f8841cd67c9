// Makes a SQLite file forget what was erased. secure_delete overwrites deleted rows, but not the copies that b-tree pages
// keep of rows they once moved, nor those in the write-ahead log: the file is built anew and the log cut to nothing.
import { Worker } from 'node:worker_threads';
import { GazetteError, quote } from '../errors.ts';

// In a thread of its own: a large file takes seconds. The connection's own wait for locks may block there.
// That node:sqlite is an experiment to some Nodes is no news to whoever redacts.
const PURGE = `
process.removeAllListeners('warning');
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
const db = new DatabaseSync(workerData.path);
try {
  db.exec('PRAGMA busy_timeout = ' + workerData.busyTimeoutMs);
  db.exec('PRAGMA secure_delete = ON');
  db.exec('VACUUM');
  parentPort.postMessage(db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get().busy);
} finally {
  db.close();
}`;

/**
 * Rebuilds the file at `path`, so that nothing of what was deleted is left in it or in its log.
 *
 * @param busyTimeoutMs how long to wait for other processes, in milliseconds.
 * @throws GazetteError `store_busy` when a reader or writer did not give way: deleted content is out of reach, but may
 *   still lie in the file until a purge succeeds.
 */
export async function purge(path: string, busyTimeoutMs: number): Promise<void> {
  const busy = (cause?: unknown): GazetteError =>
    new GazetteError(
      'store_busy',
      `the store ${quote(path)} was in use all the time: what was erased may still lie in its file; redact once more`,
      { cause, details: { store: path } },
    );
  const worker = new Worker(PURGE, { eval: true, workerData: { path, busyTimeoutMs } });
  const isBusy = await new Promise<boolean>((resolve, reject) => {
    worker.once('message', (answer) => {
      resolve(answer !== 0);
    });
    worker.once('error', (error: Error & { readonly errcode?: number }) => {
      reject(error.errcode === 5 ? busy(error) : error);
    });
  });
  if (isBusy) throw busy();
}
