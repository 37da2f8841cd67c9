// How PostgreSQL writes what the two databases write differently.
import type { Dialect } from '../rows/sql.ts';

/** The column that says what has changed (knowledge/written.ts). */
const WRITTEN = 'written xid8 NOT NULL';

/** Of a schema of PostgreSQL. @param prefix of the tables' names */
export function dialectOf(prefix: string): Dialect {
  return {
    table: (name) => `${prefix}${name}`,
    parameter: (number) => `$${number}`,
    forUpdate: 'FOR UPDATE',
    forShare: 'FOR SHARE',
    least: 'least',
    greatest: 'greatest',
    isPresent: 'true',
    randomUuid: 'gen_random_uuid()::text',
    fromNow: (seconds) =>
      `to_char((clock_timestamp() + interval '${seconds} seconds') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
    eachText: 'json_array_elements_text',
    tables: {
      uncompressed: (table, column) => `\nALTER TABLE ${prefix}${table} ALTER COLUMN ${column} SET STORAGE EXTERNAL;`,
      text: 'text COLLATE "C"',
      bigint: 'bigint',
      flag: 'smallint',
      bytes: 'bytea',
      counter: 'GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
      rows: '',
      keyed: '',
      createFleeting: 'CREATE UNLOGGED TABLE',
      byNumber: ', number',
      ofAccount: ` REFERENCES ${prefix}accounts (id)`,
      ownColumns: { registers: WRITTEN, removed_registers: WRITTEN, accounts: WRITTEN, api_keys: WRITTEN },
    },
  };
}
