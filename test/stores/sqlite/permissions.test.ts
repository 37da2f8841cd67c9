// Who may read what a store puts on the disk.
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { at, permits, say } from '../../contracts/store-register.ts';

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'gazette-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

it('only the owner reads a store, SQLite’s files beside it, and a backup', async () => {
  const place = await folder();
  const path = join(place, 'store.db');
  const store = SqliteStore.open(path);
  await store.createRegister(permits());
  await store.apply('permits', [say('a')], { recordedAt: at(0) });
  const copy = join(place, 'copy.db');
  await store.backup(copy);
  const paths = [path, `${path}-wal`, `${path}-shm`, copy];
  expect(await Promise.all(paths.map(modeOf))).toEqual(['600', '600', '600', '600']);
  await store.close();
});

it('a store keeps the mode that its operator gave it', async () => {
  const path = join(await folder(), 'store.db');
  await SqliteStore.open(path).close();
  await chmod(path, 0o640);
  const store = SqliteStore.open(path);
  expect(await Promise.all([path, `${path}-wal`].map(modeOf))).toEqual(['640', '640']);
  await store.close();
});

it('a backup is never written over a file', async () => {
  const place = await folder();
  const store = SqliteStore.open(':memory:');
  await writeFile(join(place, 'taken'), '');
  await expect(store.backup(join(place, 'taken'))).rejects.toMatchObject({ code: 'EEXIST' });
  await store.close();
});
