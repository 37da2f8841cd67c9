import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { expectAllDelivered, kill, sendThroughKills, startSender } from './killed-sender.ts';
import { letPass } from '../../until.ts';
import { tried, tries } from '../../effort.ts';

const KILLS = tries(3, 200);

it(`a sender on SQLite that is killed at ${KILLS} random moments delivers every event, the same bytes, freshly signed`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'store.db');
  const store = SqliteStore.open(path);
  onTestFinished(() => store.close());
  let killed = 0;
  const tally = await sendThroughKills(store, async (isDone) => {
    for (; killed < KILLS; killed++) {
      const sender = await startSender(path);
      await letPass(Math.random() * 80, 'the moment is drawn at random');
      await kill(sender);
    }
    expect(isDone()).toBe(false);
    const last = await startSender(path);
    onTestFinished(() => kill(last));
  });
  expect(killed).toBe(KILLS);
  tried(KILLS);
  expectAllDelivered(tally);
});
