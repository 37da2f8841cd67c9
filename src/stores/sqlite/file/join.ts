// Plugins join a file while it is opened: their tables are made, and of the registers that it has already, what they need.
import type { DatabaseSync } from 'node:sqlite';
import { beginPlugin, joiningOf, joinSome } from '../../logic/plugins/joined.ts';
import type { StorePlugin } from '../../logic/plugins/plugin.ts';
import type { Rule, Sql } from '../../logic/rule.ts';
import { DIALECT } from '../dialect.ts';
import { runAtOnce } from '../engine.ts';
import { prepareArrays } from '../statement.ts';

/** Whether the store has all that these plugins need. @throws GazetteError `schema_too_new`, `invalid_store` */
export function isJoined(db: DatabaseSync, path: string, plugins: readonly StorePlugin[]): boolean {
  return plugins.every((plugin) => {
    const { pending, isJoined } = run(db, plugins, (sql) => joiningOf(sql, path, plugin, DIALECT));
    return isJoined && pending.length === 0;
  });
}

/** Opens a store with plugins, those that it has and others. @throws GazetteError `schema_too_new`, `invalid_store` */
export function joinPlugins(db: DatabaseSync, path: string, plugins: readonly StorePlugin[]): void {
  // eslint-disable-next-line require-yield -- It runs at once.
  const make = function* (text: string): Rule<void> {
    db.exec(text);
  };
  for (const plugin of plugins) {
    const { pending, isJoined } = run(db, plugins, (sql) => joiningOf(sql, path, plugin, DIALECT));
    if (pending.length > 0) write(db, plugins, (sql) => beginPlugin(sql, path, plugin, DIALECT, make));
    while (!isJoined && write(db, plugins, (sql) => joinSome(sql, plugin)));
  }
}

function run<T>(db: DatabaseSync, plugins: readonly StorePlugin[], rule: (sql: Sql) => Rule<T>): T {
  return runAtOnce((text) => prepareArrays(db, text), plugins, rule);
}

/** The same in one transaction. */
function write<T>(db: DatabaseSync, plugins: readonly StorePlugin[], rule: (sql: Sql) => Rule<T>): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = run(db, plugins, rule);
    db.exec('COMMIT');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
