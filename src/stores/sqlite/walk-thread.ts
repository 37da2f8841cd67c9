// The thread of a long walk (walks.ts). When asked for the rows from a slot down, it answers with the best number of
// rows to transfer at once. Between two answers it holds no transaction, so that a slow reader blocks nothing.
import { parentPort, workerData } from 'node:worker_threads';
import { SLOT_SPAN, type SqlRow } from '../rows/columns.ts';
import { prepareArrays } from './statement.ts';
import type { WalkAnswer, WalkOrder } from './walks.ts';

/** The length of an answer, in characters of text: a few hundred records. */
const ANSWER_LENGTH = 131_072;

/** The length of a part of an answer, in characters of text: small parts were the fastest. */
const PART_LENGTH = 16_384;

/** The minimum number of rows that one statement reads: each statement costs as much as some rows. */
const LEAST_ROWS = 100;

/**
 * How long the thread waits for the next request, in milliseconds: a walk that was never ended must not keep it
 * running.
 */
const IDLE_MS = 30_000;

// Some Node versions warn that node:sqlite is experimental; users of this store do not need the warning.
process.removeAllListeners('warning');
const { DatabaseSync } = process.getBuiltinModule('node:sqlite');

const { path, register, select, values, limit } = workerData as WalkOrder;
const port = parentPort!;
const db = new DatabaseSync(path, { readOnly: true });
db.exec('PRAGMA busy_timeout = 2000');
const isThere = db.prepare('SELECT 1 FROM registers WHERE number = ? AND is_removed = 0');
const matching = prepareArrays(db, select);

const idle = setTimeout(() => {
  port.close();
}, IDLE_MS);
port.on('message', (slot: number) => {
  for (const answer of answersFrom(slot)) port.postMessage(answer);
  idle.refresh();
});
port.on('close', () => {
  clearTimeout(idle);
  db.close();
});
port.postMessage('ready' satisfies WalkAnswer);

/** On one state of the file: a register that is being removed loses its records one by one. */
function answersFrom(slot: number): WalkAnswer[] {
  db.exec('BEGIN');
  try {
    return isThere.get(register) === undefined ? ['gone'] : partsOf(rowsFrom(slot));
  } finally {
    db.exec('COMMIT');
  }
}

/** At least the rows of one page, and one more, which shows whether there is a next page. */
function rowsFrom(slot: number): SqlRow[] {
  const lowest = register * SLOT_SPAN + 1;
  const count = Math.ceil(LEAST_ROWS / limit) * limit;
  const rows = matching.all(...values, lowest, slot, count + 1);
  let length = lengthOf(rows);
  for (let isMore = rows.length > count; isMore && length < ANSWER_LENGTH;) {
    const more = matching.all(...values, lowest, (rows.at(-1)![0] as number) - 1, count);
    rows.push(...more);
    length += lengthOf(more);
    isMore = more.length === count;
  }
  return rows;
}

function partsOf(rows: readonly SqlRow[]): WalkAnswer[] {
  const parts: WalkAnswer[] = [];
  for (let start = 0, end = 0; start < rows.length || parts.length === 0; start = end) {
    for (let length = 0; end < rows.length && length < PART_LENGTH;) length += lengthOf([rows[end++]!]);
    parts.push({ rows: rows.slice(start, end), isLast: end === rows.length });
  }
  return parts;
}

function lengthOf(rows: readonly SqlRow[]): number {
  let length = 0;
  for (const row of rows) for (const value of row) if (typeof value === 'string') length += value.length;
  return length;
}
