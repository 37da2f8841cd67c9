// Work on a whole SQLite file, which takes seconds where the file is large: in a thread of its own, on a connection of its
// own, whose waits for locks may block there.
import { Worker } from 'node:worker_threads';

/** A statement with what stands for its question marks. */
export type Statement = readonly [sql: string, ...parameters: string[]];

// That node:sqlite is an experiment to some Nodes is no news to whoever asked for this.
const THREAD = `
process.removeAllListeners('warning');
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
const db = new DatabaseSync(workerData.path);
try {
  db.exec('PRAGMA busy_timeout = ' + workerData.busyTimeoutMs);
  let row;
  for (const [sql, ...parameters] of workerData.statements) row = db.prepare(sql).get(...parameters);
  parentPort.postMessage(row);
} finally {
  db.close();
}`;

/**
 * Runs statements one after the other.
 *
 * @param busyTimeoutMs how long each waits for other processes, in milliseconds
 * @returns the last one's first row; undefined when it has none
 * @throws what node:sqlite throws
 */
export function runInThread(
  path: string,
  busyTimeoutMs: number,
  statements: readonly Statement[],
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const worker = new Worker(THREAD, { eval: true, workerData: { path, busyTimeoutMs, statements } });
  let row: Readonly<Record<string, unknown>> | undefined;
  worker.once('message', (message: typeof row) => {
    row = message;
  });
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    // Only then its connection is closed: until then files of SQLite's own may still come and go.
    worker.once('exit', () => {
      resolve(row);
    });
  });
}
