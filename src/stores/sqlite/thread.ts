// Work on a whole SQLite file, which takes seconds for a large file. It runs in its own thread on its own connection,
// where waiting for locks may block.
import { Worker } from 'node:worker_threads';

/** A statement with its parameters. */
export type Statement = readonly [sql: string, ...parameters: string[]];

// Some Node versions warn that node:sqlite is experimental; users of this store do not need the warning.
const THREAD = `
process.removeAllListeners('warning');
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
const db = new DatabaseSync(workerData.path, { readOnly: workerData.isReadOnly });
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
 * @param options.busyTimeoutMs how long each waits for other processes, in milliseconds
 * @returns the first row of the last statement; undefined when it has none
 * @throws the errors of node:sqlite
 */
export function runInThread(
  path: string,
  { busyTimeoutMs, isReadOnly = false }: { readonly busyTimeoutMs: number; readonly isReadOnly?: boolean },
  statements: readonly Statement[],
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const worker = new Worker(THREAD, { eval: true, workerData: { path, busyTimeoutMs, isReadOnly, statements } });
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
