// The thread of a long walk (walks.ts): asked for the rows from a slot down, it answers as many as are best handed
// over at once. Between two answers it holds no transaction, so that a reader who takes his time keeps nobody from anything.
import { parentPort, workerData } from 'node:worker_threads';
import { SLOT_SPAN, type SqlRow } from '../rows/columns.ts';
import { prepareArrays } from './statement.ts';
import type { WalkAnswer, WalkOrder } from './walks.ts';

/** Characters of text after which an answer is long enough: a few hundred records. */
const ANSWER_LENGTH = 131_072;

/** Characters of text after which a part of an answer is long enough: small parts were read fastest. */
const PART_LENGTH = 16_384;

/** Rows read by one statement at least: each statement takes as long as some rows. */
const LEAST_ROWS = 100;

/** How long the thread waits to be asked, in milliseconds: a walk that nobody ended must not keep it for ever. */
const IDLE_MS = 30_000;

// That node:sqlite is an experiment to some Nodes is no news to whoever asked for this.
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

/** The rows of one page at least, and one more: the next page's first shows that there is one. */
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
