// The code of the schema before and this code on one store: what the former wrote is complete after the upgrade, and it works
// on if the schema says so, or is refused.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { SQLITE_MIGRATIONS } from '../../../src/stores/sqlite/migrations.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { codeBefore, expectPassed, missingHistory, unpack } from '../code-before.ts';
import { startWorking } from '../started-process.ts';
import { expectWorked } from '../worked.ts';

const why = missingHistory();
const before = why === null ? codeBefore('sqlite', SQLITE_MIGRATIONS) : null;

let path: string;
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  path = join(folder, 'store.db');
  return () => rm(folder, { recursive: true });
});

/** Opens the store with this code, and expects what was written in so many rounds. */
async function expectComplete(rounds: number): Promise<void> {
  const store = SqliteStore.open(path);
  await expectWorked(store, rounds);
  await store.close();
}

describe.skipIf(before === null)(`code of the schema before (${why ?? before?.known ?? 'there is none'})`, () => {
  it('leaves a store that is upgraded with all that it has', async () => {
    const working = startWorking(await unpack(before!), 'sqlite', path);
    await working.more(20);
    expect(await working.end()).toBe('');
    await expectComplete(working.rounds());
  });

  if (before?.isCompatible === true) {
    it('works on while a store is upgraded', async () => {
      const working = startWorking(await unpack(before), 'sqlite', path);
      await working.more(5);
      await SqliteStore.open(path).close();
      await working.more(5);
      expect(await working.end()).toBe('');
      await expectComplete(working.rounds());
    });

    it('keeps its contract on this schema', async () => {
      await SqliteStore.open(path).close();
      await expectPassed(await unpack(before), 'sqlite/on-schema-after.ts', { GAZETTE_TEST_STORE: path });
    });
  } else {
    it('is refused, and changes nothing', async () => {
      await SqliteStore.open(path).close();
      const working = startWorking(await unpack(before!), 'sqlite', path);
      expect(await working.end()).toMatch(/^schema_too_new: /);
      expect(working.rounds()).toBe(0);
      const store = SqliteStore.open(path);
      expect(await store.register('permits')).toBeNull();
      await store.close();
    });
  }
});
