// The number of the first schema: until the first release it is all that tells a store of another commit.
import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { migrationsOf } from '../../../src/stores/logic/plugins/joined.ts';
import { STORED } from '../../../src/wings/stored.ts';
import { dialectOf } from '../../../src/stores/postgres/dialect.ts';
import { DIALECT } from '../../../src/stores/sqlite/dialect.ts';
import { FIRST_SCHEMA } from '../../../src/stores/logic/migration.ts';
import { postgresMigrations } from '../../../src/stores/postgres/migrations.ts';
import { SQLITE_MIGRATIONS } from '../../../src/stores/sqlite/migrations.ts';

it('is another one when a table is: raise FIRST_SCHEMA, then write the new digest here', () => {
  const tables = [...SQLITE_MIGRATIONS, ...postgresMigrations('"gazette"')].map(({ sql }) => sql).join('\n');
  expect([FIRST_SCHEMA, hash('sha256', tables)]).toEqual([
    56,
    'da909002f35d3faaae7647331f9d276ebf7a04e9b13c819c848238d2d47f35fe',
  ]);
});

const OF_PLUGINS: Readonly<Record<string, string>> = {
  proofs: 'b3daab1c8a13392a045c2ec4c4dcd21dcdacbbe02e5ef0271ab2764ec035c490',
  selling: 'f05b400cb2ae55ed6d46d9c69279e70aafbe873da81e739704a338798a0db4e1',
};

it.each(STORED)(
  'of a plugin is another one when its tables are: raise its schema, then write the new digest here',
  (plugin) => {
    const tables = [DIALECT, dialectOf('"gazette".')].flatMap((dialect) => migrationsOf(plugin, dialect));
    expect([plugin.schema, hash('sha256', tables.map(({ sql }) => sql).join('\n'))]).toEqual([
      1,
      OF_PLUGINS[plugin.name],
    ]);
  },
);
