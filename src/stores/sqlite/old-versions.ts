// Completes the log of a store that older code wrote: its versions get salts and commitments, oldest first, some in each
// transaction.
import type { DatabaseSync } from 'node:sqlite';
import { SLOT_SPAN, selectVersions, type SqlRow } from '../rows/columns.ts';
import { Committer, LOG, type LogRow } from '../rows/commitment.ts';
import { withoutOwnKey } from '../rows/old-rows.ts';
import { OLD_VERSIONS_BATCH, OLD_VERSIONS_READ, oldCommitment } from '../rows/old-rows.ts';
import { prepareArrays } from './statement.ts';

/** The columns of a content, in the first stores. */
export const CONTENT = `
  document_type TEXT,
  facility_id TEXT,
  content_type TEXT,
  published_at TEXT,
  observed_at TEXT,
  observed_is_stated INTEGER,
  title TEXT,
  author TEXT,
  source_url TEXT,
  summary TEXT,
  content TEXT,
  data TEXT`;

/** The columns of a record, before its content: a look-up by id does not read past long content. */
export const RECORD = `
  slot INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  version INTEGER NOT NULL,
  content_version INTEGER NOT NULL,
  updated_at TEXT NOT NULL,
  digest BLOB NOT NULL`;

/** Makes the commitments that are missing. Several processes may do it at once. */
export function commitOldVersions(db: DatabaseSync): void {
  const logs = prepareArrays(db, `SELECT ${LOG.columns.join(', ')}, register FROM logs`).all();
  const logOf = new Map(logs.map((row) => [row.at(-1) as number, LOG.read(row)]));
  const read = prepareArrays(
    db,
    `${selectVersions('')} WHERE v.entry > ? AND v.log IS NULL ORDER BY v.entry LIMIT ${OLD_VERSIONS_READ}`,
  );
  const complete = prepareArrays(db, 'UPDATE versions SET salt = ?, commitment = ?, log = ? WHERE entry = ?');
  const completeRow = (row: SqlRow): void => {
    const log: LogRow = logOf.get(Math.floor((row[0] as number) / SLOT_SPAN))!;
    const { salt, commitment } = oldCommitment(row, new Committer(log, 1));
    complete.run(salt, commitment, log.number, row[0] as number);
  };
  for (let last = 0, isOpen = true; isOpen;) {
    db.exec('BEGIN IMMEDIATE');
    try {
      for (let done = 0; isOpen && done < OLD_VERSIONS_BATCH; done += OLD_VERSIONS_READ) {
        const rows = read.all(last);
        rows.forEach(completeRow);
        isOpen = rows.length === OLD_VERSIONS_READ;
        last = (rows.at(-1)?.[0] as number | undefined) ?? last;
      }
      db.exec('COMMIT');
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  }
}

/** Renames an own field `key` in the definitions. Several processes may do it at once. */
export function renameOldKeys(db: DatabaseSync): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    const update = prepareArrays(db, 'UPDATE registers SET definition = ? WHERE number = ?');
    for (const [number, definition] of prepareArrays(db, 'SELECT number, definition FROM registers').all()) {
      const renamed = withoutOwnKey(definition as string);
      if (renamed !== null) update.run(renamed, number as number);
    }
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
