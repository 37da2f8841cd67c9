import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { at, permits, say } from '../../contracts/store-register.ts';
import { storePluginsContract } from '../../contracts/store-plugins-contract.ts';
import { logsOf } from '../../wings/proofs/logs-of.ts';

storePluginsContract(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  const path = join(folder, 'store.db');
  const opened: SqliteStore[] = [];
  const query = <T>(work: (database: DatabaseSync) => T): T => {
    const database = new DatabaseSync(path);
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  return {
    open: async (plugins) => {
      const store = SqliteStore.open(path, plugins && { plugins });
      opened.push(store);
      return store;
    },
    run: async (sql) => {
      query((database) => {
        database.exec(sql);
      });
    },
    rows: async (sql) =>
      query((database) =>
        database
          .prepare(sql)
          .all()
          .map((row) => Object.values(row)),
      ),
    dispose: async () => {
      for (const store of opened) await store.close().catch(() => undefined);
      await rm(folder, { recursive: true });
    },
  };
});

it('cannot be joined by who only reads, and is read without one by anybody', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  const path = join(folder, 'store.db');
  const store = SqliteStore.open(path, { plugins: [] });
  await store.createRegister(permits());
  await store.apply('permits', [say('a')], { recordedAt: at(0) });
  expect(() => SqliteStore.open(path, { readOnly: true })).toThrow(
    expect.objectContaining({ code: 'invalid_store', message: expect.stringContaining('upgraded') as string }) as Error,
  );
  await SqliteStore.open(path).close();
  const reading = SqliteStore.open(path, { readOnly: true });
  expect((await logsOf(reading).of('permits')).size).toBe(1);
  await reading.close();
  const without = SqliteStore.open(path, { readOnly: true, plugins: [] });
  expect((await without.register('permits'))!.total).toBe(1);
  await without.close();
  await store.close();
  await rm(folder, { recursive: true });
});

it('opens a copy only with what its registers need when they are given new logs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  const store = SqliteStore.open(join(folder, 'store.db'));
  await store.createRegister(permits());
  await store.apply('permits', [say('a')], { recordedAt: at(0) });
  await store.backup(join(folder, 'copy.db'));
  await store.close();
  expect(() => SqliteStore.open(join(folder, 'copy.db'), { plugins: [] })).toThrow(
    expect.objectContaining({ code: 'missing_plugin' }) as Error,
  );
  const copy = SqliteStore.open(join(folder, 'copy.db'));
  expect((await logsOf(copy).of('permits')).size).toBe(1);
  await copy.close();
  await rm(folder, { recursive: true });
});

it('ends no removal without what keeps something of the register', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  const path = join(folder, 'store.db');
  const store = SqliteStore.open(path);
  await store.createRegister(permits());
  await store.apply('permits', [say('a')], { recordedAt: at(0) });
  await store.close();
  const database = new DatabaseSync(path);
  // As a process leaves it that was killed while it removed the register.
  database.exec('UPDATE registers SET is_removed = 1, uuid = NULL');
  const left = (): unknown => database.prepare('SELECT count(*) AS tiles FROM log_tiles WHERE register = 1').get();
  const without = SqliteStore.open(path, { plugins: [] });
  await expect(without.completeRemovals()).rejects.toMatchObject({ code: 'missing_plugin' });
  await expect(without.createRegister(permits())).rejects.toMatchObject({ code: 'missing_plugin' });
  await without.close();
  expect(left()).toMatchObject({ tiles: 1 });
  const again = SqliteStore.open(path);
  expect(await again.completeRemovals()).toEqual(['permits']);
  expect(left()).toMatchObject({ tiles: 0 });
  database.close();
  await again.close();
  await rm(folder, { recursive: true });
});
