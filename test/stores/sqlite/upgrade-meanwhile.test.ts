// An upgrade that only adds, while a process of the version before reads and writes: before it, in the midst of it, after it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { startWorking } from '../started-process.ts';
import { expectWorked } from '../worked.ts';
import { toNextSchema } from './next-schema.ts';

it('lets a process work on while its store is upgraded', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'store.db');
  await SqliteStore.open(path).close();
  const working = startWorking('sqlite', path);
  await working.more(5);
  toNextSchema(path, () => {
    working.moreAtOnce(5);
  });
  await working.more(5);
  expect(await working.end()).toBe('');
  const store = SqliteStore.open(path);
  await expectWorked(store, working.rounds());
  await store.close();
});
