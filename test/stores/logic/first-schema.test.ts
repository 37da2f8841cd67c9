// The number of the first schema: until the first release it is all that tells a store of another commit.
import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { migrationsOf } from '../../../src/stores/logic/plugins/joined.ts';
import { PROOFS } from '../../../src/stores/logic/proofs/plugin.ts';
import { dialectOf } from '../../../src/stores/postgres/dialect.ts';
import { DIALECT } from '../../../src/stores/sqlite/dialect.ts';
import { FIRST_SCHEMA } from '../../../src/stores/logic/migration.ts';
import { postgresMigrations } from '../../../src/stores/postgres/migrations.ts';
import { SQLITE_MIGRATIONS } from '../../../src/stores/sqlite/migrations.ts';

it('is another one when a table is: raise FIRST_SCHEMA, then write the new digest here', () => {
  const tables = [...SQLITE_MIGRATIONS, ...postgresMigrations('"gazette"')].map(({ sql }) => sql).join('\n');
  expect([FIRST_SCHEMA, hash('sha256', tables)]).toEqual([
    54,
    'c25f390c022ae7a230d24e0e957afca78e1292a8f4303f201323eb22850e3449',
  ]);
});

it('of a plugin is another one when its tables are: raise its schema, then write the new digest here', () => {
  const tables = [DIALECT, dialectOf('"gazette".')].flatMap((dialect) => migrationsOf(PROOFS, dialect));
  expect([PROOFS.schema, hash('sha256', tables.map(({ sql }) => sql).join('\n'))]).toEqual([
    1,
    'b3daab1c8a13392a045c2ec4c4dcd21dcdacbbe02e5ef0271ab2764ec035c490',
  ]);
});
