// `gazette backup` through the real command line.
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { at, keys, permits, say } from '../contracts/store-register.ts';
import { folder, gazette, gazetteProcess } from './run.ts';
import { letPass } from '../until.ts';

describe('gazette backup', () => {
  it('copies a store that is written to meanwhile, as it stood at one moment', async () => {
    const place = await folder();
    const path = join(place, 'gazette.db');
    const copy = join(place, 'copy.db');
    const store = SqliteStore.open(path);
    await store.createRegister(permits());
    await store.apply('permits', [say('1'), say('2')], { recordedAt: at(1) });
    let isDone = false as boolean;
    const running = gazetteProcess(['backup', copy, '--store', path]).finally(() => {
      isDone = true;
    });
    let written = 2;
    while (!isDone) {
      // Always two at once: a copy of half a transaction would hold an odd number.
      const batch = [say(String(++written)), say(String(++written))];
      await store.apply('permits', batch, { recordedAt: at(2) });
      await letPass(1, 'a copy that is overtaken all the time never ends');
    }
    expect(await running).toMatchObject({ code: 0 });
    await store.close();

    const copied = SqliteStore.open(copy);
    const found = await keys(copied);
    const entry = await copied.register('permits');
    await copied.close();
    expect(found.length % 2).toBe(0);
    expect(found.length).toBeGreaterThanOrEqual(2);
    expect([entry!.top, entry!.total, entry!.change]).toEqual([found.length, found.length, found.length]);
    expect((await readdir(place)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('makes a store of its own: once it is written to, change numbers of the original are refused', async () => {
    const place = await folder();
    const path = join(place, 'gazette.db');
    const copy = join(place, 'copy.db');
    const store = SqliteStore.open(path);
    await store.createRegister(permits());
    await store.apply('permits', [say('1')], { recordedAt: at(1) });
    const before = (await store.register('permits'))!;
    expect(await gazette(['backup', copy, '--store', path])).toMatchObject({ code: 0 });
    const copyOfCopy = join(place, 'copy2.db');
    expect(await gazette(['backup', copyOfCopy, '--store', copy])).toMatchObject({ code: 0 });

    const logs = new Set([before.log]);
    for (const file of [copy, copyOfCopy]) {
      const restored = SqliteStore.open(file);
      const entry = (await restored.register('permits'))!;
      expect([entry.definition.uuid, entry.top, entry.change]).toEqual([before.definition.uuid, 1, 1]);
      expect(entry.lastModified).toBeGreaterThan(before.lastModified!);
      logs.add(entry.log);
      for (const old of [{ since: 1, log: before.log }, { since: 1 }]) {
        await expect(restored.changes('permits', { ...old, limit: 1 })).rejects.toMatchObject({
          code: 'log_restarted',
        });
      }
      expect((await restored.changes('permits', { since: 0, limit: 1 })).versions).toHaveLength(1);
      await restored.close();
      // Only the first opening begins a new log.
      const again = SqliteStore.open(file);
      expect((await again.register('permits'))!.log).toBe(entry.log);
      await again.close();
    }
    expect(logs.size).toBe(3);
    expect((await store.register('permits'))!.log).toBe(before.log);
    await store.close();
  });

  it('never writes over a file, and leaves none behind where it fails', async () => {
    const place = await folder();
    const path = join(place, 'gazette.db');
    await SqliteStore.open(path).close();
    const taken = join(place, 'taken');
    await writeFile(taken, 'mine');
    expect(await gazette(['backup', taken, '--store', path])).toMatchObject({ code: 1 });
    const nowhere = await gazette(['backup', join(place, 'no', 'where'), '--store', path]);
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('(output_failed)')]);
    expect(await gazette(['backup', join(place, 'x'), '--store', 'postgres://localhost/x'])).toMatchObject({ code: 2 });
    expect((await readdir(place)).sort()).toEqual(['gazette.db', 'taken']);
  });
});
