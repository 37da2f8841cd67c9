import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { expectTakenOver } from './killed-sender.ts';
import { deployment, receiver } from './sending.ts';

it('a sender on SQLite takes over at once what a killed one had claimed, and deletes its mark', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'store.db');
  const store = SqliteStore.open(path);
  onTestFinished(() => store.close());
  const marks = async (): Promise<number> => (await readdir(folder)).filter((name) => name.endsWith('.lock')).length;
  // Those of the three senders of this process, which the test closes when it ends.
  await expectTakenOver(store, path);
  expect(await marks()).toBe(3);
});

it('a sender takes over at once what a stopped one could not give back', async () => {
  const { store, add, commit, sender, errors } = await deployment();
  const hook = await receiver();
  await add(hook.url);
  await commit(['a']);
  const stop = new AbortController();
  const full = Object.assign(Object.create(store.deliveries) as typeof store.deliveries, {
    settle: () => {
      stop.abort();
      return Promise.reject(new Error('the disk is full'));
    },
  });
  await sender({ store: { deliveries: full }, stopGraceMs: 0 }).run(stop.signal);
  expect([errors.length > 0, hook.received.length]).toEqual([true, 1]);
  expect(await sender().sendDue()).toBe(1);
});
