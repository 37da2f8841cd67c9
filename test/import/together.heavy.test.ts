import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { importTogether } from './together.ts';

it.each([false, true])(
  'two whole files imported together into SQLite leave one of them (waiting: %s)',
  async (wait) => {
    const folder = await mkdtemp(join(tmpdir(), 'gazette-test-'));
    const path = join(folder, 'store.db');
    const store = SqliteStore.open(path);
    onTestFinished(async () => {
      await store.close();
      await rm(folder, { recursive: true });
    });
    await importTogether(store, path, wait);
    expect(await store.register('r')).toMatchObject({ total: 9000 });
  },
);
