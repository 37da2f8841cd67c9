// A copy of a store is marked, and the first process that opens it for writing gives every register a new log: what the
// original recorded after the copy was made is unknown here, and its change numbers will be given again to other changes.
import { DatabaseSync } from 'node:sqlite';
import { beginNewLogs } from '../../logic/registers.ts';
import type { PluginRules } from '../../logic/rule.ts';
import { runAtOnce } from '../engine.ts';
import { prepareArrays } from '../statement.ts';

/** What is in no copy: proposals, which are nobody's records yet. One that was being carried out was interrupted. */
const withoutProposals = (): string => `
  PRAGMA secure_delete = ON;
  UPDATE imports SET state = 'discarded', ended_at = '${new Date().toISOString()}', digest = NULL WHERE state = 'proposed';
  UPDATE imports SET state = 'interrupted', digest = NULL WHERE state = 'approved';
  DELETE FROM proposed_records;
  DELETE FROM proposals;
  VACUUM;
`;

/** Marks a finished copy. A copy of a copy has the mark already. */
export function markCopy(path: string): void {
  const db = new DatabaseSync(path);
  try {
    if (db.prepare('SELECT 1 FROM proposed_records UNION ALL SELECT 1 FROM proposals LIMIT 1').get() !== undefined) {
      db.exec(withoutProposals());
    }
    db.exec('CREATE TABLE IF NOT EXISTS unopened_copy (mark INTEGER) STRICT');
  } finally {
    db.close();
  }
}

/** Gives the registers of a marked copy new logs and removes the mark; does nothing to any other store. */
export function openCopy(db: DatabaseSync, plugins: readonly PluginRules[]): void {
  const mark = prepareArrays(db, "SELECT 1 FROM sqlite_schema WHERE name = 'unopened_copy'");
  if (mark.get() === undefined) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have been first.
    if (mark.get() !== undefined) {
      const now = new Date().toISOString();
      runAtOnce(
        (text) => prepareArrays(db, text),
        plugins,
        (sql) => beginNewLogs(sql, now),
      );
      db.exec('DROP TABLE unopened_copy');
    }
    db.exec('COMMIT');
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}
