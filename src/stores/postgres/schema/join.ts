// Plugins join a schema while a store is opened: their tables are made, and of the registers that it has already, what they need.
// Others go on writing; those that lack the plugin are refused from then on.
import { quote } from '../../../errors.ts';
import { beginPlugin, joiningOf, joinSome } from '../../logic/plugins/joined.ts';
import type { StorePlugin } from '../../logic/plugins/plugin.ts';
import type { Rule } from '../../logic/rule.ts';
import type { PostgresConnection } from '../connection.ts';
import { dialectOf } from '../dialect.ts';
import { PostgresEngine, query } from '../engine.ts';
import { MIGRATION_LOCK } from './migrate.ts';

/**
 * Opens a store with plugins, those that it has and others.
 *
 * @throws GazetteError `schema_too_new`, `invalid_store`, `store_busy`
 */
export async function joinPlugins(connection: PostgresConnection, plugins: readonly StorePlugin[]): Promise<void> {
  const { prefix } = connection;
  const engine = new PostgresEngine(connection, plugins);
  for (const plugin of plugins) {
    const place = [`the schema ${quote(prefix.slice(1, -2))}`, plugin, dialectOf(prefix)] as const;
    const { pending, isJoined } = await engine.read(joiningOf, ...place);
    if (pending.length > 0) {
      await engine.write(function* begin(sql): Rule<void> {
        yield* query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
        yield* beginPlugin(sql, ...place, make);
      });
    }
    while (!isJoined && (await engine.write(joinSome, plugin)));
  }
}

function* make(text: string): Rule<void> {
  // Without parameters PostgreSQL accepts several statements at once.
  yield* query(text);
}
