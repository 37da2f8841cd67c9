// The number of the first schema: until the first release it is all that tells a store of another commit.
import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { FIRST_SCHEMA } from '../../../src/stores/logic/migration.ts';
import { postgresMigrations } from '../../../src/stores/postgres/migrations.ts';
import { SQLITE_MIGRATIONS } from '../../../src/stores/sqlite/migrations.ts';

it('is another one when a table is: raise FIRST_SCHEMA, then write the new digest here', () => {
  const tables = [...SQLITE_MIGRATIONS, ...postgresMigrations('"gazette"')].map(({ sql }) => sql).join('\n');
  expect([FIRST_SCHEMA, hash('sha256', tables)]).toEqual([
    53,
    '0f2f8d5805285bac3a39dda082b663521d28b0164c4a8916d777c5ab84d3fa39',
  ]);
});
