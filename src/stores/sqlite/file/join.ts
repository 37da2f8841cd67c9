// Plugins join a file while it is opened: their tables are made, and of the registers that it has already, what they need.
import type { DatabaseSync } from 'node:sqlite';
import { JOINED_COLUMNS, type Joining, joiningOf } from '../../logic/plugins/joined.ts';
import type { StorePlugin } from '../../logic/plugins/plugin.ts';
import { DIALECT } from '../dialect.ts';
import { runAtOnce } from '../engine.ts';
import { prepareArrays } from '../statement.ts';

/** Whether the store has all that these plugins need. @throws GazetteError `schema_too_new`, `invalid_store` */
export function isJoined(db: DatabaseSync, path: string, plugins: readonly StorePlugin[]): boolean {
  return plugins.every((plugin) => {
    const joining = joiningIn(db, path, plugin);
    return joining.isJoined && joining.pending.length === 0;
  });
}

/** Opens a store with plugins, those that it has and others. @throws GazetteError `schema_too_new`, `invalid_store` */
export function joinPlugins(db: DatabaseSync, path: string, plugins: readonly StorePlugin[]): void {
  for (const plugin of plugins) {
    if (joiningIn(db, path, plugin).pending.length > 0) {
      within(db, () => {
        // Read again under the lock: another process may have been first.
        for (const { sql, version, compatibleFrom } of joiningIn(db, path, plugin).pending) {
          db.exec(sql);
          const noted = `INSERT INTO plugins (name, schema, compatible_from, is_joined) VALUES (?, ?, ?, 0)
            ON CONFLICT (name) DO UPDATE SET schema = excluded.schema, compatible_from = excluded.compatible_from`;
          db.prepare(noted).run(plugin.name, version, compatibleFrom);
        }
      });
    }
    const { join } = plugin;
    const joinSome = (): boolean => join !== undefined && runAtOnce((text) => prepareArrays(db, text), plugins, join);
    while (!joiningIn(db, path, plugin).isJoined) {
      within(db, () => {
        if (!joinSome()) db.prepare('UPDATE plugins SET is_joined = 1 WHERE name = ?').run(plugin.name);
      });
    }
  }
}

function joiningIn(db: DatabaseSync, path: string, plugin: StorePlugin): Joining {
  const row = prepareArrays(db, `SELECT ${JOINED_COLUMNS} FROM plugins WHERE name = ?`).get(plugin.name);
  return joiningOf(path, plugin, DIALECT, row);
}

function within(db: DatabaseSync, work: () => void): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    work();
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
