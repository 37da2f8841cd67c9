// Stores in SQLite files for hundreds of tests: an empty store is made once, and each test has a copy of its file.
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';

/** Opens an empty store. */
type OpenFresh = () => Promise<{ readonly store: SqliteStore; readonly dispose: () => Promise<void> }>;

/**
 * Opens stores that are empty, each in a file of its own. To be called once in a file of tests, outside of them.
 *
 * @param make makes the empty file. Default: by opening a store
 */
export function freshStores(make?: (path: string) => void): OpenFresh {
  let folder = '';
  let files = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gazette-'));
    const empty = join(folder, 'empty.db');
    if (make === undefined) await SqliteStore.open(empty).close();
    else make(empty);
  });
  afterAll(() => rm(folder, { recursive: true }));
  return async () => {
    const path = join(folder, `${++files}.db`);
    await copyFile(join(folder, 'empty.db'), path);
    const store = SqliteStore.open(path);
    return {
      store,
      dispose: async () => {
        await store.close();
        await rm(path);
      },
    };
  };
}
