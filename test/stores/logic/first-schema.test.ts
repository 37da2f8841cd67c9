// The number of the first schema: until the first release it is all that tells a store of another commit.
import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { FIRST_SCHEMA } from '../../../src/stores/logic/migration.ts';
import { postgresMigrations } from '../../../src/stores/postgres/migrations.ts';
import { SQLITE_MIGRATIONS } from '../../../src/stores/sqlite/migrations.ts';

it('is another one when a table is: raise FIRST_SCHEMA, then write the new digest here', () => {
  const tables = [...SQLITE_MIGRATIONS, ...postgresMigrations('"gazette"')].map(({ sql }) => sql).join('\n');
  expect([FIRST_SCHEMA, hash('sha256', tables)]).toEqual([
    50,
    '3fc172e168e02936e1a24a1ed0e49f5042e4862a51309ad2563d4bd1cab78710',
  ]);
});
