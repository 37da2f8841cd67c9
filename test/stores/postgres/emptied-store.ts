// Stores on PostgreSQL for hundreds of tests: a schema is made once, and emptied after each test that had it.
import type pg from 'pg';
import { STORED } from '../../../src/wings/stored.ts';
import { FIRST_ROWS } from '../../../src/stores/logic/schema/first.ts';
import { dialectOf } from '../../../src/stores/postgres/dialect.ts';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';

/** Opens an empty store. */
type OpenEmptied = () => Promise<{ readonly store: PostgresStore; readonly dispose: () => Promise<void> }>;

/**
 * Opens stores that are empty, in schemas of this name and a number.
 *
 * @param make makes a schema. Default: opening a store does
 */
export function emptiedStores(pool: pg.Pool, name: string, make?: (schema: string) => Promise<unknown>): OpenEmptied {
  const free: string[] = [];
  let schemas = 0;
  return async () => {
    let schema = free.pop();
    if (schema === undefined) {
      schema = `${name}_${++schemas}`;
      await make?.(schema);
    }
    const store = await PostgresStore.open(pool, { schema });
    return {
      store,
      dispose: async () => {
        await empty(pool, schema);
        free.push(schema);
      },
    };
  };
}

/** Deletes every row but those that every store has, and has every sequence begin again. */
async function empty(pool: pg.Pool, schema: string): Promise<void> {
  const { rows } = await pool.query<{ name: string; kind: 'r' | 'S' }>(
    `SELECT quote_ident(nspname) || '.' || quote_ident(relname) AS name, relkind AS kind
       FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE nspname = $1 AND relkind IN ('r', 'S') AND relname NOT IN ('migrations', 'plugins')`,
    [schema],
  );
  const statements = rows.map(({ name, kind }) =>
    kind === 'r' ? `DELETE FROM ${name}` : `SELECT setval('${name}', 1, false)`,
  );
  const begun = [...FIRST_ROWS, ...STORED.flatMap((plugin) => plugin.begun ?? [])];
  const firstRows = begun.map((one) => one.in(dialectOf(`"${schema}".`)));
  statements.push(...firstRows.filter((text) => text.trimStart().startsWith('INSERT')));
  // Without the checks of references, the order of the tables does not matter.
  await pool.query(`BEGIN; SET LOCAL session_replication_role = replica; ${statements.join('; ')}; COMMIT`);
}
