// Plugins join a schema while a store is opened: their tables are made, and of the registers that it has already, what they need.
// Others go on writing; those that lack the plugin are refused from then on.
import { quote } from '../../../errors.ts';
import { JOINED_COLUMNS, type Joining, joiningOf } from '../../logic/plugins/joined.ts';
import type { StorePlugin } from '../../logic/plugins/plugin.ts';
import type { PostgresConnection, RunQuery } from '../connection.ts';
import { dialectOf } from '../dialect.ts';
import { PostgresEngine } from '../engine.ts';
import { MIGRATION_LOCK } from './migrate.ts';

/**
 * Opens a store with plugins, those that it has and others.
 *
 * @throws GazetteError `schema_too_new`, `invalid_store`, `store_busy`
 */
export async function joinPlugins(connection: PostgresConnection, plugins: readonly StorePlugin[]): Promise<void> {
  const { prefix } = connection;
  const dialect = dialectOf(prefix);
  const joiningIn = async (plugin: StorePlugin, query: RunQuery): Promise<Joining> => {
    const [row] = await query(`SELECT ${JOINED_COLUMNS} FROM ${prefix}plugins WHERE name = $1`, [plugin.name]);
    return joiningOf(`the schema ${quote(prefix.slice(1, -2))}`, plugin, dialect, row);
  };
  const engine = new PostgresEngine(connection, plugins);
  for (const plugin of plugins) {
    const { pending, isJoined } = await joiningIn(plugin, (text, values) => connection.query(text, values));
    if (pending.length > 0) {
      await connection.transaction(async (query) => {
        await query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
        // Read again under the lock: another process may have been first.
        for (const { sql, version, compatibleFrom } of (await joiningIn(plugin, query)).pending) {
          await query(sql);
          const noted = `INSERT INTO ${prefix}plugins (name, schema, compatible_from, is_joined) VALUES ($1, $2, $3, 0)
            ON CONFLICT (name) DO UPDATE SET schema = excluded.schema, compatible_from = excluded.compatible_from`;
          await query(noted, [plugin.name, version, compatibleFrom]);
        }
      });
    }
    if (isJoined) continue;
    const { join } = plugin;
    while (join !== undefined && (await engine.write(join)));
    await connection.transaction((query) =>
      query(`UPDATE ${prefix}plugins SET is_joined = 1 WHERE name = $1`, [plugin.name]),
    );
  }
}
