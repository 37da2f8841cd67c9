// Stores that older versions made: what a migration makes of the registers in them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'vitest';
import { SqliteConnection } from '../../../src/stores/sqlite/connection.ts';
import { SQLITE_MIGRATIONS } from '../../../src/stores/sqlite/migrations.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { expectIdentified, OLD_CHANGES, OLD_DEFINITIONS } from '../../contracts/old-registers.ts';

it('gives every register of an older store a UUID and a date, once, and leaves the rest of its definition', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  try {
    const path = join(folder, 'store.db');
    const before = SQLITE_MIGRATIONS.findIndex(({ name }) => name === 'a UUID for every register');
    SqliteConnection.open(path, {}, SQLITE_MIGRATIONS.slice(0, before)).close();
    const database = new DatabaseSync(path);
    const insert = database.prepare('INSERT INTO registers (id, definition, last_change) VALUES (?, ?, ?)');
    for (const [id, definition] of OLD_DEFINITIONS) insert.run(id, definition, OLD_CHANGES[id]![0]);
    database.close();
    const open = (): SqliteStore => SqliteStore.open(path);
    await expectIdentified(open);
  } finally {
    await rm(folder, { recursive: true });
  }
});
