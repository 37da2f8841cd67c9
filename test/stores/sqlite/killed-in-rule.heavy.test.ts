import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'vitest';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { expectJoined, expectWhole, KILLS } from '../kill-in-rules.ts';

it(`a file is whole after ${KILLS} processes that ended inside a rule of a plugin`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  const path = join(folder, 'store.db');
  await expectWhole(async () => SqliteStore.open(path), 'sqlite', path);
  await rm(folder, { recursive: true });
});

it('a log joins a file with a long history', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  await expectJoined(async (plugins) => SqliteStore.open(join(folder, 'store.db'), plugins && { plugins }));
  await rm(folder, { recursive: true });
});
