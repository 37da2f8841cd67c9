// How SQLite finds a page of registers: those that are passed over are counted in an index, and their rows are not read.
import { expect, it } from 'vitest';
import { SQLITE_MIGRATIONS } from '../../../src/stores/sqlite/migrations.ts';
import { SqliteConnection } from '../../../src/stores/sqlite/connection.ts';

it.each([
  ['registers to pass over', 'is_removed = 0', 'COVERING INDEX registers_present'],
  ['registers with prices', `is_removed = 0 AND definition LIKE '%"prices":{%'`, 'INDEX registers_priced'],
])('finds %s in an index', (_what, condition, index) => {
  const connection = SqliteConnection.open(':memory:', {}, SQLITE_MIGRATIONS);
  const text = `SELECT id FROM registers WHERE ${condition} AND id >= ? AND id < ? ORDER BY id LIMIT 1 OFFSET 5000`;
  const plan = connection.prepare(`EXPLAIN QUERY PLAN ${text}`).all('', '~');
  expect(plan.map((row) => String(row[3]))).toEqual([expect.stringContaining(`USING ${index} (id>? AND id<?)`)]);
  connection.close();
});
