// A store that was restored from a backup, and what its sender then sends.
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { deployment, receiver } from './sending.ts';

it('sends again what was acknowledged after the backup, the same bytes, and loses nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-restored-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [path, backup] = [join(folder, 'gazette.db'), join(folder, 'backup.db')];
  const store = SqliteStore.open(path);
  const { add, commit, sender, clock } = await deployment(store);
  const hook = await receiver((_, nth) => (nth === 2 ? 500 : 204));
  await add(hook.url);
  await commit(['acknowledged']);
  await sender().sendDue();
  await commit(['failed']);
  await sender().sendDue();
  await commit(['committed']);
  await store.close();
  await copyFile(path, backup);

  clock.pass(60);
  const sentBy = async (file: string): Promise<string[]> => {
    const before = hook.received.length;
    const opened = SqliteStore.open(file);
    await sender({ store: opened.deliveries }).sendDue();
    await opened.close();
    return hook.received.slice(before).map(({ body, headers }) => `${String(headers['x-register-event'])} ${body.toString()}`).sort(); // prettier-ignore
  };
  const sent = await sentBy(path);
  expect(sent.map((text) => /permits:\w+/.exec(text)![0]).sort()).toEqual(['permits:committed', 'permits:failed']);
  expect(await sentBy(path)).toEqual([]);
  expect(await sentBy(backup)).toEqual(sent);
  expect(await sentBy(backup)).toEqual([]);
});
