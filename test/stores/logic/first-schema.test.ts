// The number of the first schema: until the first release it is all that tells a store of another commit.
import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { FIRST_SCHEMA } from '../../../src/stores/logic/migration.ts';
import { postgresMigrations } from '../../../src/stores/postgres/migrations.ts';
import { SQLITE_MIGRATIONS } from '../../../src/stores/sqlite/migrations.ts';

it('is another one when a table is: raise FIRST_SCHEMA, then write the new digest here', () => {
  const tables = [...SQLITE_MIGRATIONS, ...postgresMigrations('"gazette"')].map(({ sql }) => sql).join('\n');
  expect([FIRST_SCHEMA, hash('sha256', tables)]).toEqual([
    40,
    'adc6b559a87d8d7e6eb92e8598ff2f9904ae5be6af5a1ead3ac09fd59c75413e',
  ]);
});
