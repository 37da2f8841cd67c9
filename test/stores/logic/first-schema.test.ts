// The number of the first schema: until the first release it is all that tells a store of another commit.
import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { FIRST_SCHEMA } from '../../../src/stores/logic/migration.ts';
import { postgresMigrations } from '../../../src/stores/postgres/migrations.ts';
import { SQLITE_MIGRATIONS } from '../../../src/stores/sqlite/migrations.ts';

it('is another one when a table is: raise FIRST_SCHEMA, then write the new digest here', () => {
  const tables = [...SQLITE_MIGRATIONS, ...postgresMigrations('"gazette"')].map(({ sql }) => sql).join('\n');
  expect([FIRST_SCHEMA, hash('sha256', tables)]).toEqual([
    49,
    '86d83ee4a136fab22916a9d805bc39779a6b5a4ac7c085d3e50f77f05f424d47',
  ]);
});
