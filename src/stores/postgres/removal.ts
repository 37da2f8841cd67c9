// Removes a register from a PostgreSQL database: all of it in one transaction.
import type { UnderLease } from '../contract/leases.ts';
import { beginBatch } from '../logic/leases.ts';
import { checkPlugins } from '../logic/plugins/joined.ts';
import type { StorePlugin } from '../logic/plugins/plugin.ts';
import { registerRows } from '../logic/removal.ts';
import type { Rule, Sql } from '../logic/rule.ts';
import { rememberRemoval } from '../rows/register.ts';
import type { RemovalHooks } from '../hooks.ts';
import { query } from './engine.ts';
import type { PostgresWrites } from './writes.ts';

/** The removals of one store. */
export function postgresRemoval(prefix: string, writes: PostgresWrites, plugins: readonly StorePlugin[]): RemovalHooks {
  const rows = registerRows(plugins);
  return {
    *remove(sql: Sql, feedId: string, under: UnderLease): Rule<void> {
      yield* beginBatch(sql, feedId, under);
      const { number } = yield* writes.lock(feedId);
      yield* checkPlugins(sql);
      yield* query(rememberRemoval(prefix, 'number = $1'), [number]);
      for (const { table, column, from } of rows) {
        const text = `DELETE FROM ${prefix}${table} WHERE ${column} >= $1 AND ${column} < $2`;
        yield* query(text, [from(number), from(number + 1)]);
      }
      yield* query(`DELETE FROM ${prefix}registers WHERE number = $1`, [number]);
    },
    // Nothing is left.
    complete: async () => undefined,
    completeAll: async () => [],
  };
}
